package faults

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccFailureToRemoveIsExplainedByWhatHoldsTheObjects(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	const impatient = `
		resource "liqo_shortcut" "rome_milan" {
		  client         = "rome"
		  server         = "milan"
		  server_gateway = { service_type = "NodePort" }
		  timeouts       = { delete = "` + acctest.Ample + `" }
		}`
	t.Cleanup(func() { lab.Command(t, "set", "milan", "liqo=running") })
	acctest.Apply(t,
		resource.TestStep{Config: lab.Contexts(impatient)},
		resource.TestStep{
			PreConfig: func() { lab.Command(t, "set", "milan", "liqo=stopped") },
			Config:    lab.Contexts(impatient), Destroy: true,
			ExpectError: acctest.Message(`Liqo's controllers do not run on `+
				`leaf "milan"`, // Kubernetes has emptied the tenant namespace, the Deployment with it
				`Time ran out while waiting for Network liqo-tenant-rome/rome-… to be deleted and for `+
					`WgGatewayServer liqo-tenant-rome/rome to be deleted on "milan".`,
				`Network liqo-tenant-rome/rome-… still exists: it waits for the finalizer ….`,
				`Deployment liqo/liqo-controller-manager, which runs Liqo's controllers, is scaled to 0 replicas.`,
				`WgGatewayServer liqo-tenant-rome/rome still exists: it waits for the finalizer ….`,
				`Start Liqo's controllers on leaf "milan" again.`, acctest.HelpAt("controllers-down")),
		},
		resource.TestStep{
			PreConfig:         func() { lab.Command(t, "set", "milan", "liqo=running") },
			Config:            lab.Contexts(acctest.ShortcutRomeMilan),
			ConfigStateChecks: []statecheck.StateCheck{acctest.IsConnected},
		},
	)
}
