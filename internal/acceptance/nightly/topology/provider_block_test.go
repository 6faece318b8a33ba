package topology

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccAnEntryWithoutCredentialsIsTheContextWithItsName(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	acctest.Apply(t,
		resource.TestStep{
			Config: lab.Listing(`
				rome  = { liqo_namespace = "liqo" }
				milan = {}`) + acctest.ShortcutRomeMilan,
			ConfigStateChecks: []statecheck.StateCheck{
				acctest.IsConnected, acctest.Expect("client_cluster_id", knownvalue.StringExact("rome")),
				acctest.Expect("server_cluster_id", knownvalue.StringExact("milan")),
			},
		},
		resource.TestStep{
			Config: lab.Listing(`turin = { liqo_namespace = "liqo" }`) + `
				data "liqo_cluster" "turin" {
				  name = "turin"
				}`,
			PlanOnly: true,
			ExpectError: acctest.Message(`Credentials can't be used on leaf "turin"`,
				"…The entry \"turin\" of `clusters` does not say which cluster it is for. "+
					"By default it is for the context with its name, but kubeconfig … has no context \"turin\"; "+
					`it has "europe", "milan", "naples", "rome", "venice". Set`),
		},
	)
}
