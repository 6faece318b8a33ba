package topology

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccAnotherClusterIsAReplacement(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	between := func(server string) string {
		return lab.Contexts(fmt.Sprintf(`
			resource "liqo_shortcut" "rome_milan" {
			  client         = "rome"
			  server         = %q
			  server_gateway = { service_type = "NodePort" }
			}`, server))
	}
	acctest.Apply(t,
		resource.TestStep{Config: between("milan")},
		resource.TestStep{
			Config: between("europe"),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(acctest.RomeMilan, plancheck.ResourceActionReplace),
			}},
			ConfigStateChecks: []statecheck.StateCheck{acctest.IsConnected},
		},
	)
}
