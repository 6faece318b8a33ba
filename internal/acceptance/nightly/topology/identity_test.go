package topology

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccARecordedClusterIsFoundAlthoughItsNameRefersToAnother(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	before := lab.Known(map[string]string{"uno": acctest.Entry("rome"), "milan": acctest.Entry("milan")})
	after := lab.Known(
		map[string]string{"uno": acctest.Entry("europe"), "due": acctest.Entry("rome"), "milan": acctest.Entry("milan")},
	)
	acctest.Apply(t,
		resource.TestStep{Config: before + acctest.From("uno")},
		resource.TestStep{
			Config: after + acctest.From("uno"), PlanOnly: true,
			ExpectError: acctest.Message(
				"Another cluster",
				`The name "uno" refers to cluster "europe" … That cluster has the name `+
					"\"due\" now. Nothing is changed. To keep the resource, set `client = \"due\"`. To move it to the other "+
					"cluster, destroy it first.",
			),
		},
		resource.TestStep{
			Config: after + acctest.From("due"), ConfigPlanChecks: acctest.InPlace(),
			ConfigStateChecks: []statecheck.StateCheck{
				acctest.IsConnected, acctest.Expect("client_cluster_id", knownvalue.StringExact("rome")),
			},
		},
		// The destroy at the end is with the former names.
		resource.TestStep{Config: before + acctest.From("uno"), ConfigPlanChecks: acctest.InPlace()},
	)
}
