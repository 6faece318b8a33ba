package topology

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// Liqo 1.2.0 never reports a remapping as complete if the changed ranges are remapped to the same ones as before, as
// these are.
func TestAccRangesChangeInPlaceToOthersOfTheSameSize(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	announcing := func(half string, checks resource.ConfigPlanChecks) resource.TestStep {
		return resource.TestStep{
			Config: lab.Between("naples", acctest.OverNodePort+fmt.Sprintf(`
				server_network = { pod_cidrs = [%q] }`, half)),
			ConfigPlanChecks: checks,
			ConfigStateChecks: []statecheck.StateCheck{
				acctest.IsConnected, lab.AsLiqoSays(t, acctest.RomeMilan, "rome", "naples"),
			},
		}
	}
	acctest.Apply(t,
		announcing("10.202.0.0/17", resource.ConfigPlanChecks{}),
		announcing("10.202.128.0/17", acctest.InPlace()),
	)
}
