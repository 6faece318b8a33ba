package faults

import (
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccFailureToRemoveIsExplainedByWhatHoldsTheObjects(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	p := lab.Applied(t, lab.Between("milan", acctest.OverNodePort+`
		timeouts = { delete = "`+acctest.Ample+`" }`))
	lab.Set(t, "milan", "liqo=stopped")
	acctest.Explains(t, p.Refused("destroy", "-auto-approve"), `Liqo's controllers do not run on `+
		`leaf "milan"`, // Kubernetes has emptied the tenant namespace, the Deployment with it
		`Time ran out while waiting for Network liqo-tenant-rome/rome-… to be deleted and for `+
			`WgGatewayServer liqo-tenant-rome/rome to be deleted on "milan".`,
		`Network liqo-tenant-rome/rome-… still exists: it waits for the finalizer ….`,
		`Deployment liqo/liqo-controller-manager, which runs Liqo's controllers, is scaled to 0 replicas.`,
		`WgGatewayServer liqo-tenant-rome/rome still exists: it waits for the finalizer ….`,
		`Start Liqo's controllers on leaf "milan" again.`, acctest.HelpAt("controllers-down"))

	lab.Set(t, "milan", "liqo=running")
	p.Becomes(lab.Contexts(acctest.ShortcutRomeMilan))
	p.IsConnected()
}
