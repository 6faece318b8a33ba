package faults

import (
	"context"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
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
	interrupt := &interruption{}
	destroy := func(namespaces string, liqo string, expected *regexp.Regexp) resource.TestStep {
		return resource.TestStep{
			PreConfig: func() {
				lab.Command(t, "set", "milan", "liqo="+liqo)
				if liqo == "stopped" { // so that the destroy completes on Rome, but not on Milan
					interrupt.when = lab.Gone(t, "rome", &liqov1beta1.ForeignClusterList{})
				}
			},
			Config: lab.Between("milan", acctest.OverNodePort+namespaces), Destroy: true, ExpectError: expected,
		}
	}
	interrupted := regexp.MustCompile(
		`(?s)Liqo's controllers do not run on leaf "milan".*The work was interrupted while waiting`,
	)
	for name, namespaces := range map[string]string{
		"in the tenant namespaces": "",
		// Then none of the remaining objects is the provider's own, not even a namespace.
		"in namespaces of one's own": `
			client_namespace = "default"
			server_namespace = "default"`,
	} {
		t.Run(name, func(t *testing.T) {
			lab.KeepsInventory(t)
			acctest.ApplyThrough(t, interrupt.of,
				resource.TestStep{Config: lab.Between("milan", acctest.OverNodePort+namespaces)},
				destroy(namespaces, "stopped", interrupted),
				destroy(namespaces, "running", nil),
			)
		})
	}
}

// interruption cancels one apply or destroy, as Ctrl-C does.
type interruption struct {
	when <-chan struct{} // nil for never
}

func (i *interruption) of(server tfprotov6.ProviderServer) tfprotov6.ProviderServer {
	return interruptedServer{server, i}
}

type interruptedServer struct {
	tfprotov6.ProviderServer

	by *interruption
}

// ApplyResourceChange implements [tfprotov6.ProviderServer].
func (s interruptedServer) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (
	*tfprotov6.ApplyResourceChangeResponse, error,
) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	when := s.by.when
	s.by.when = nil
	go func() {
		select {
		case <-when:
			cancel()
		case <-ctx.Done():
		}
	}()
	return s.ProviderServer.ApplyResourceChange(ctx, req)
}
