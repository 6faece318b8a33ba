package pair

import (
	"context"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccAShortcutWithoutAnyObjectIsCreatedAgain(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	acctest.Apply(t,
		resource.TestStep{Config: lab.Contexts(acctest.ShortcutRomeMilan)},
		resource.TestStep{
			PreConfig: func() {
				lab.RemoveTrace(t, "rome", "milan")
				lab.RemoveTrace(t, "milan", "rome")
			},
			Config: lab.Contexts(acctest.ShortcutRomeMilan),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(acctest.RomeMilan, plancheck.ResourceActionCreate),
			}},
			ConfigStateChecks: []statecheck.StateCheck{acctest.IsConnected},
		},
	)
}

func TestAccAShortcutWithOnlyItsNamespacesIsRepaired(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	acctest.Apply(t,
		resource.TestStep{Config: lab.Contexts(acctest.ShortcutRomeMilan)},
		resource.TestStep{
			PreConfig: func() {
				for _, cluster := range []string{"rome", "milan"} {
					for _, object := range []client.Object{
						&networkingv1beta1.Configuration{}, &networkingv1beta1.GatewayServer{}, &networkingv1beta1.GatewayClient{},
					} {
						lab.DeleteFromTenant(t, cluster, object)
					}
				}
			},
			Config: lab.Contexts(acctest.ShortcutRomeMilan), ConfigPlanChecks: acctest.InPlace(),
			ConfigStateChecks: []statecheck.StateCheck{acctest.IsConnected},
		},
	)
}

func TestAccALeafThatCannotBeReachedLosesNothing(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	acctest.Apply(t,
		resource.TestStep{
			Config: lab.Contexts(
				acctest.ShortcutRomeMilan,
			), ConfigStateChecks: []statecheck.StateCheck{acctest.IsConnected},
		},
		resource.TestStep{
			PreConfig: func() { lab.Command(t, "stop-apiserver", "milan") },
			Config:    lab.Contexts(acctest.ShortcutRomeMilan),
			PlanOnly:  true, // the refresh warns, and the plan is empty
		},
		resource.TestStep{
			Config: lab.Contexts(`
				resource "liqo_shortcut" "rome_milan" {
				  client         = "rome"
				  server         = "milan"
				  mtu            = 1400
				  server_gateway = { service_type = "NodePort" }
				}`),
			ExpectError: regexp.MustCompile(`(?s)The API server can't be reached on leaf "milan"`),
		},
		resource.TestStep{
			PreConfig:         func() { lab.Command(t, "start-apiserver", "milan") },
			Config:            lab.Contexts(acctest.ShortcutRomeMilan),
			ConfigPlanChecks:  resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			ConfigStateChecks: []statecheck.StateCheck{acctest.IsConnected},
		},
	)
}

func TestAccATunnelMayStillComeUpAfterAnApplyWithoutWaiting(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	lab.Command(t, "set", "milan", "connect=false")
	t.Cleanup(func() { lab.Command(t, "set", "milan", "connect=true") })
	const unhurried = `
		resource "liqo_shortcut" "rome_milan" {
		  client              = "rome"
		  server              = "milan"
		  server_gateway      = { service_type = "NodePort" }
		  wait_for_connection = false
		}`
	acctest.Apply(t,
		resource.TestStep{Config: lab.Contexts(unhurried), ConfigStateChecks: []statecheck.StateCheck{
			acctest.Expect("status", knownvalue.StringExact("Connecting")),
		}},
		resource.TestStep{Config: lab.Contexts(unhurried), PlanOnly: true},
	)
}

func TestAccAnInterruptedApplyIsInTheStateAndTheNextOneCompletesIt(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	lab.Command(t, "set", "milan", "load-balancer=false")
	t.Cleanup(func() { lab.Command(t, "set", "milan", "load-balancer=true") })
	overLoadBalancer := func(create string) string {
		return lab.Contexts(`
			resource "liqo_shortcut" "rome_milan" {
			  client   = "rome"
			  server   = "milan"
			  timeouts = { create = "` + create + `" }
			}`)
	}
	acctest.Apply(t,
		resource.TestStep{
			Config: overLoadBalancer(acctest.Ample), ExpectError: regexp.MustCompile("The load balancer gives no address"),
		},
		resource.TestStep{
			PreConfig:         func() { lab.Command(t, "set", "milan", "load-balancer=true") },
			Config:            overLoadBalancer("5m"),
			ConfigStateChecks: []statecheck.StateCheck{acctest.IsConnected},
		},
		resource.TestStep{ // a failed update records the planned resource, and the next one continues
			PreConfig:   func() { lab.Command(t, "set", "milan", "connect=false") },
			Config:      lab.Between("milan", "mtu = 1400\ntimeouts = { update = \""+acctest.Ample+"\" }"),
			ExpectError: regexp.MustCompile("(?s)milan.*not done"),
		},
		resource.TestStep{
			PreConfig: func() { // by itself, because the tunnel is not a change to plan
				lab.Command(t, "set", "milan", "connect=true")
				lab.ComesUp(t)
			},
			Config:           lab.Between("milan", "mtu = 1400"),
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
