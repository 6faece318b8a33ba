package faults

import (
	"regexp"
	"syscall"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccAnUpdateThatTimesOutIsInTheStateAndTheNextApplyCompletesIt(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	t.Cleanup(func() { lab.Command(t, "set", "milan", "connect=true") })
	between := func(more string) string { return lab.Between("milan", acctest.OverNodePort+acctest.InDefault+more) }
	acctest.Apply(t,
		resource.TestStep{Config: between("")},
		resource.TestStep{ // a failed update records the planned resource, and the next one continues
			PreConfig:   func() { lab.Command(t, "set", "milan", "connect=false") },
			Config:      between("\nmtu = 1400\ntimeouts = { update = \"" + acctest.Ample + "\" }"),
			ExpectError: regexp.MustCompile("(?s)milan.*not done"),
		},
		resource.TestStep{
			PreConfig: func() { // by itself, because the tunnel is not a change to plan
				lab.Command(t, "set", "milan", "connect=true")
				lab.ComesUp(t)
			},
			Config:           between("\nmtu = 1400"),
			ConfigPlanChecks: acctest.InPlace(),
			ConfigStateChecks: []statecheck.StateCheck{
				acctest.IsConnected,
				lab.GatewaysHaveMTU(t, 1400),
			},
		},
	)
}

func TestAccAnInterruptedDestroyIsInTheStateAndTheNextOneCompletesIt(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	t.Cleanup(func() { lab.Command(t, "set", "milan", "liqo=running") })
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
			lab.Command(t, "set", "milan", "liqo=stopped") // so that the destroy completes on Rome, but not on Milan
			completed := lab.Gone(t, "rome", &liqov1beta1.ForeignClusterList{})
			destroy := p.Begin("destroy", "-auto-approve")
			destroy.Until(completed)
			acctest.Must(t, destroy.Signal(syscall.SIGINT))
			output, _ := destroy.Wait()
			acctest.Says(t, output, `Error: Liqo's controllers do not run on leaf "milan"`,
				"The work was interrupted while waiting")
			lab.Command(t, "set", "milan", "liqo=running")
			acctest.Says(t, p.Run("destroy", "-auto-approve"), "1 destroyed")
		})
	}
}
