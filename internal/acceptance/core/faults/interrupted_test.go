package faults

import (
	"syscall"
	"testing"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccAnInterruptedDestroyIsInTheStateAndTheNextOneCompletesIt(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	for name, namespaces := range map[string]string{
		"in the tenant namespaces": "",
		// Then none of the remaining objects is the provider's own, not even a namespace.
		"in namespaces of one's own": acctest.InDefault,
	} {
		t.Run(name, func(t *testing.T) {
			lab.KeepsInventory(t)
			p := lab.Written(t, lab.Between("milan", acctest.OverNodePort+namespaces))
			p.Run("apply", "-auto-approve")
			lab.Set(t, "milan", "liqo=stopped") // so that the destroy completes on Rome, but not on Milan
			completed := lab.Gone(t, "rome", &liqov1beta1.ForeignClusterList{})
			destroy := p.Begin("destroy", "-auto-approve")
			destroy.Until(completed)
			acctest.Must(t, destroy.Signal(syscall.SIGINT))
			output, _ := destroy.Wait()
			acctest.Says(t, output, `Error: Liqo's controllers do not run on leaf "milan"`,
				"The work was interrupted while waiting")
			lab.Set(t, "milan", "liqo=running")
			acctest.Says(t, p.Run("destroy", "-auto-approve"), "1 destroyed")
		})
	}
}

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
