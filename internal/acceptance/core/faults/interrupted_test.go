package faults

import (
	"syscall"
	"testing"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccAnUpdateThatTimesOutIsInTheStateAndTheNextApplyCompletesIt(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	between := func(more string) string { return lab.Between("milan", acctest.OverNodePort+acctest.InDefault+more) }
	p := lab.Applied(t, between(""))
	lab.Set(t, "milan", "connect=false")
	// A failed update records the planned resource, and the next one continues.
	refused := p.Refuses(between("\nmtu = 1400\ntimeouts = { update = \"" + acctest.Ample + "\" }"))
	acctest.Says(t, refused, "milan", "not done")

	lab.Set(t, "milan", "connect=true")
	lab.ComesUp(t) // by itself, because the tunnel is not a change to plan
	p.Becomes(between("\nmtu = 1400"), acctest.InPlace)
	p.IsConnected()
	lab.GatewaysHaveMTU(t, 1400)
}

func TestAccAnInterruptedDestroyIsInTheStateAndTheNextOneCompletesIt(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	for name, namespaces := range map[string]string{
		"in the tenant namespaces": "",
		// Then none of the remaining objects is the provider's own, not even a namespace.
		"in namespaces of one's own": `
			client_namespace = "default"
			server_namespace = "default"`,
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
