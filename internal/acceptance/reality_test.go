package acceptance

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
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/provider"
)

func TestAccAShortcutWithoutAnyObjectIsCreatedAgain(t *testing.T) {
	lab := borrowLab(t)
	apply(t,
		resource.TestStep{Config: lab.contexts(shortcutRomeMilan)},
		resource.TestStep{
			PreConfig: func() {
				lab.removeTrace(t, "rome", "milan")
				lab.removeTrace(t, "milan", "rome")
			},
			Config: lab.contexts(shortcutRomeMilan),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(romeMilan, plancheck.ResourceActionCreate),
			}},
			ConfigStateChecks: []statecheck.StateCheck{expect("status", connected)},
		},
	)
}

func TestAccAShortcutWithOnlyItsNamespacesIsRepaired(t *testing.T) {
	lab := borrowLab(t)
	apply(t,
		resource.TestStep{Config: lab.contexts(shortcutRomeMilan)},
		resource.TestStep{
			PreConfig: func() {
				for _, cluster := range []string{"rome", "milan"} {
					for _, object := range []client.Object{
						&networkingv1beta1.Configuration{}, &networkingv1beta1.GatewayServer{}, &networkingv1beta1.GatewayClient{},
					} {
						lab.deleteFromTenant(t, cluster, object)
					}
				}
			},
			Config: lab.contexts(shortcutRomeMilan), ConfigPlanChecks: inPlace(),
			ConfigStateChecks: []statecheck.StateCheck{expect("status", connected)},
		},
	)
}

func TestAccALeafThatCannotBeReachedLosesNothing(t *testing.T) {
	lab := borrowLab(t)
	apply(t,
		resource.TestStep{
			Config: lab.contexts(shortcutRomeMilan), ConfigStateChecks: []statecheck.StateCheck{expect("status", connected)},
		},
		resource.TestStep{
			PreConfig: func() { lab.command(t, "stop-apiserver", "milan") },
			Config:    lab.contexts(shortcutRomeMilan),
			PlanOnly:  true, // the refresh warns, and the plan is empty
		},
		resource.TestStep{
			Config: lab.contexts(`
				resource "liqo_shortcut" "rome_milan" {
				  client         = "rome"
				  server         = "milan"
				  mtu            = 1400
				  server_gateway = { service_type = "NodePort" }
				}`),
			ExpectError: regexp.MustCompile(`(?s)The API server can't be reached on leaf "milan"`),
		},
		resource.TestStep{
			PreConfig:         func() { lab.command(t, "start-apiserver", "milan") },
			Config:            lab.contexts(shortcutRomeMilan),
			ConfigPlanChecks:  resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			ConfigStateChecks: []statecheck.StateCheck{expect("status", connected)},
		},
	)
}

func TestAccATunnelMayStillComeUpAfterAnApplyWithoutWaiting(t *testing.T) {
	lab := borrowLab(t)
	lab.command(t, "set", "milan", "connect=false")
	t.Cleanup(func() { lab.command(t, "set", "milan", "connect=true") })
	const unhurried = `
		resource "liqo_shortcut" "rome_milan" {
		  client              = "rome"
		  server              = "milan"
		  server_gateway      = { service_type = "NodePort" }
		  wait_for_connection = false
		}`
	apply(t,
		resource.TestStep{Config: lab.contexts(unhurried), ConfigStateChecks: []statecheck.StateCheck{
			expect("status", knownvalue.StringExact("Connecting")),
		}},
		resource.TestStep{Config: lab.contexts(unhurried), PlanOnly: true},
	)
}

func TestAccAnInterruptedApplyIsInTheStateAndTheNextOneCompletesIt(t *testing.T) {
	lab := borrowLab(t)
	lab.command(t, "set", "milan", "load-balancer=false")
	t.Cleanup(func() { lab.command(t, "set", "milan", "load-balancer=true") })
	overLoadBalancer := func(create string) string {
		return lab.contexts(`
			resource "liqo_shortcut" "rome_milan" {
			  client   = "rome"
			  server   = "milan"
			  timeouts = { create = "` + create + `" }
			}`)
	}
	apply(t,
		resource.TestStep{
			Config: overLoadBalancer(ample), ExpectError: regexp.MustCompile("The load balancer gives no address"),
		},
		resource.TestStep{
			PreConfig:         func() { lab.command(t, "set", "milan", "load-balancer=true") },
			Config:            overLoadBalancer("5m"),
			ConfigStateChecks: []statecheck.StateCheck{expect("status", connected)},
		},
		resource.TestStep{ // a failed update records the planned resource, and the next one continues
			PreConfig:   func() { lab.command(t, "set", "milan", "connect=false") },
			Config:      lab.between("milan", "mtu = 1400\ntimeouts = { update = \""+ample+"\" }"),
			ExpectError: regexp.MustCompile("(?s)milan.*not done"),
		},
		resource.TestStep{
			PreConfig: func() { // by itself, because the tunnel is not a change to plan
				lab.command(t, "set", "milan", "connect=true")
				lab.comesUp(t)
			},
			Config:            lab.between("milan", "mtu = 1400"),
			ConfigPlanChecks:  inPlace(),
			ConfigStateChecks: []statecheck.StateCheck{expect("status", connected), lab.gatewaysHaveMTU(t, 1400)},
		},
	)
}

func TestAccAnInterruptedDestroyIsInTheStateAndTheNextOneCompletesIt(t *testing.T) {
	lab := borrowLab(t)
	t.Cleanup(func() { lab.command(t, "set", "milan", "liqo=running") })
	interrupt := &interruption{}
	destroy := func(namespaces string, liqo string, expected *regexp.Regexp) resource.TestStep {
		return resource.TestStep{
			PreConfig: func() {
				lab.command(t, "set", "milan", "liqo="+liqo)
				if liqo == "stopped" { // so that the destroy completes on Rome, but not on Milan
					interrupt.when = lab.gone(t, "rome", &liqov1beta1.ForeignClusterList{})
				}
			},
			Config: lab.between("milan", overNodePort+namespaces), Destroy: true, ExpectError: expected,
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
			lab.keepsInventory(t)
			applyThrough(t, interrupt.of,
				resource.TestStep{Config: lab.between("milan", overNodePort+namespaces)},
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

// deleteFromTenant deletes the only object of this kind that belongs to another cluster, outside of Terraform. It
// returns when the object is gone.
func (l *Lab) deleteFromTenant(t *testing.T, cluster string, kind client.Object) {
	t.Helper()
	c := l.client(t, cluster)
	for _, namespace := range []string{"liqo-tenant-rome", "liqo-tenant-milan"} {
		if err := c.DeleteAllOf(t.Context(), kind, client.InNamespace(namespace)); err != nil {
			t.Fatal(err)
		}
	}
}

// removeTrace deletes everything that a cluster has of another one, outside of Terraform: the tenant namespace and
// Liqo's record.
func (l *Lab) removeTrace(t *testing.T, at, of string) {
	t.Helper()
	l.deleteNamespace(t, at, "liqo-tenant-"+of)
	await(t, l, at, &liqov1beta1.ForeignClusterList{}, of, func(record *liqov1beta1.ForeignCluster) bool {
		return !record.Status.Modules.Networking.Enabled // before that, Liqo would create its record again
	})
	if err := l.client(t, at).Delete(
		t.Context(), &liqov1beta1.ForeignCluster{ObjectMeta: metav1.ObjectMeta{Name: of}},
	); err != nil {
		t.Fatal(err)
	}
}

// deleteNamespace deletes a namespace and returns when it is gone.
func (l *Lab) deleteNamespace(t *testing.T, clusterName, name string) {
	t.Helper()
	registry := cluster.NewRegistry(cluster.Config{
		Kubeconfig: cluster.Kubeconfig{Paths: []string{l.Kubeconfig}}, LiqoNamespace: provider.DefaultLiqoNamespace,
	})
	defer registry.Close()
	leaf, err := registry.Leaf(t.Context(), clusterName)
	if err != nil {
		t.Fatal(err)
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if err := leaf.Live.Delete(t.Context(), namespace); err != nil {
		t.Fatal(err)
	}
	if err := leaf.UntilGone(
		t.Context(), corev1.SchemeGroupVersion.WithKind("Namespace"), client.ObjectKeyFromObject(namespace),
	); err != nil {
		t.Fatal(err)
	}
}
