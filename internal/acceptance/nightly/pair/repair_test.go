package pair

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// serverParts stores the UIDs of Milan's gateway, its Service and its keys between steps.
type serverParts struct {
	t    *testing.T
	lab  *acctest.Lab
	last map[string]types.UID
}

// stay checks that the gateway, its Service and its keys have not changed since the last step.
func (p *serverParts) stay() acctest.Check {
	return func(ctx context.Context) error {
		now := map[string]types.UID{}
		for name, object := range map[string]client.Object{
			"rome": &networkingv1beta1.GatewayServer{}, "gw-rome": &corev1.Service{}, "gw-rome keys": &corev1.Secret{},
		} {
			key := client.ObjectKey{Namespace: "liqo-tenant-rome", Name: strings.TrimSuffix(name, " keys")}
			if err := p.lab.Client(p.t, "milan").Get(ctx, key, object); err != nil {
				return err
			}
			now[name] = object.GetUID()
		}
		before := p.last
		p.last = now
		if before != nil && !maps.Equal(before, now) {
			return fmt.Errorf("the server's gateway has changed from %v to %v", before, now)
		}
		return nil
	}
}

func TestAccARepairWhileALoadBalancerHasNoAddressKeepsTheGateways(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	t.Cleanup(func() { lab.Command(t, "set", "milan", "load-balancer=true") })
	parts, gateways := &serverParts{t: t, lab: lab}, &acctest.GatewayUIDs{T: t, Lab: lab}
	config := lab.Between("milan", `
		server_gateway = { load_balancer_ip = "192.0.2.20" }
		timeouts       = { update = "`+acctest.Ample+`" }`)
	acctest.Apply(t,
		resource.TestStep{
			Config: config,
			ConfigStateChecks: []statecheck.StateCheck{
				acctest.IsConnected, parts.stay(), gateways.Replaced("rome", "milan"),
			},
		},
		resource.TestStep{
			PreConfig: func() {
				lab.Command(t, "set", "milan", "load-balancer=false")
				// It loses its address, as with a load balancer that starts again.
				service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "liqo-tenant-rome", Name: "gw-rome"}}
				patch := client.RawPatch(types.MergePatchType, []byte(`{"status":{"loadBalancer":null}}`))
				acctest.Must(t, lab.Client(t, "milan").Status().Patch(t.Context(), service, patch))
				acctest.Await(t, lab, "milan", &networkingv1beta1.GatewayServerList{}, "rome",
					func(gateway *networkingv1beta1.GatewayServer) bool {
						return gateway.Status.Endpoint == nil || len(gateway.Status.Endpoint.Addresses) == 0
					})
				lab.DeleteFromTenant(t, "milan", &networkingv1beta1.PublicKey{}) // so that there is something to repair
			},
			Config: config, ExpectError: acctest.Message(`The load balancer gives no address on leaf "milan"`),
		},
		resource.TestStep{
			PreConfig: func() { lab.Command(t, "set", "milan", "load-balancer=true") },
			Config:    config, ConfigPlanChecks: acctest.InPlace(),
			ConfigStateChecks: []statecheck.StateCheck{
				acctest.IsConnected, parts.stay(), gateways.Replaced(),
			},
		},
	)
}

func TestAccAGatewayThatMovesToAnotherNodeIsOnlyDialledAgain(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	home := lab.NodeAddress(t, "milan")
	const elsewhere = "192.0.2.77"
	t.Cleanup(func() { lab.CallNode(t, home) })
	parts, gateways := &serverParts{t: t, lab: lab}, &acctest.GatewayUIDs{T: t, Lab: lab}
	config := lab.Between("milan",
		acctest.OverNodePort+"\nwait_for_connection = false") // no packet reaches the other address
	dials := func(address string) statecheck.StateCheck {
		return lab.Gateways(t, func(client *networkingv1beta1.GatewayClient, _ *networkingv1beta1.GatewayServer) error {
			if client.Spec.Endpoint.Addresses[0] != address {
				return fmt.Errorf("the client dials %v", client.Spec.Endpoint)
			}
			return nil
		})
	}
	moved := func(address string) resource.TestStep {
		return resource.TestStep{
			PreConfig: func() { lab.MoveGateway(t, address) }, Config: config, ConfigPlanChecks: acctest.InPlace(),
			ConfigStateChecks: []statecheck.StateCheck{
				parts.stay(), gateways.Replaced(), dials(address),
				statecheck.ExpectKnownValue(
					acctest.RomeMilan, tfjsonpath.New("server_endpoint").AtMapKey("addresses").AtSliceIndex(0),
					knownvalue.StringExact(address)),
			},
		}
	}
	acctest.Apply(t,
		resource.TestStep{
			Config: config,
			ConfigStateChecks: []statecheck.StateCheck{
				parts.stay(),
				gateways.Replaced("rome", "milan"),
				dials(home),
			},
		},
		moved(elsewhere),
		moved(home),
	)
}

func TestAccANodePortOfAnotherServiceFailsThePlanUntilItIsFree(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	c := lab.Client(t, "milan")
	blocker := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "blocker"},
		Spec: corev1.ServiceSpec{
			Type: corev1.ServiceTypeNodePort, Ports: []corev1.ServicePort{{Port: 80, NodePort: 31777}},
		},
	}
	t.Cleanup(func() { _ = c.Delete(context.WithoutCancel(t.Context()), blocker) })
	config := func(port int) string {
		return lab.Between("milan", fmt.Sprintf(`
			server_gateway = { service_type = "NodePort", node_port = %d }
			timeouts       = { update = %q }`, port, acctest.Ample))
	}
	acctest.Apply(
		t,
		resource.TestStep{
			Config:            config(31776),
			ConfigStateChecks: []statecheck.StateCheck{acctest.IsConnected},
		},
		resource.TestStep{
			PreConfig: func() {
				acctest.Must(t, c.Create(t.Context(), blocker))
			},
			Config: config(31777),
			ExpectError: acctest.Message(`Node port 31777 can't be used on leaf "milan"`,
				`The API server says: Service "gw-rome" is invalid: spec.ports[0].nodePort: Invalid value: 31777: provided port `+
					`is already allocated`,
				"Set another `node_port`, or remove it: then Kubernetes chooses one."),
		},
		resource.TestStep{
			PreConfig: func() {
				acctest.Must(t, c.Delete(t.Context(), blocker))
			},
			Config: config(31777), ConfigPlanChecks: acctest.InPlace(),
			ConfigStateChecks: []statecheck.StateCheck{
				acctest.IsConnected,
				statecheck.ExpectKnownValue(
					acctest.RomeMilan, tfjsonpath.New("server_endpoint").AtMapKey("port"), knownvalue.Int32Exact(31777),
				),
			},
		},
	)
}
