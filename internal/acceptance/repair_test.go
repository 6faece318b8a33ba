package acceptance

import (
	"context"
	"fmt"
	"maps"
	"slices"
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
)

// serverParts stores the UIDs of Milan's gateway, its Service and its keys between steps.
type serverParts struct {
	t    *testing.T
	lab  *Lab
	last map[string]types.UID
}

// stay checks that the gateway, its Service and its keys have not changed since the last step.
func (p *serverParts) stay() statecheck.StateCheck {
	return stateCheck(func(ctx context.Context, _ statecheck.CheckStateRequest, resp *statecheck.CheckStateResponse) {
		now := map[string]types.UID{}
		for name, object := range map[string]client.Object{
			"rome": &networkingv1beta1.GatewayServer{}, "gw-rome": &corev1.Service{}, "gw-rome keys": &corev1.Secret{},
		} {
			key := client.ObjectKey{
				Namespace: "liqo-tenant-rome", Name: map[bool]string{true: "gw-rome", false: "rome"}[name != "rome"],
			}
			if resp.Error = p.lab.client(p.t, "milan").Get(ctx, key, object); resp.Error != nil {
				return
			}
			now[name] = object.GetUID()
		}
		if p.last != nil && !maps.Equal(p.last, now) {
			resp.Error = fmt.Errorf("the server's gateway has changed from %v to %v", p.last, now)
		}
		p.last = now
	})
}

func TestAccARepairWhileALoadBalancerHasNoAddressKeepsTheGateways(t *testing.T) {
	lab := borrowLab(t)
	t.Cleanup(func() { lab.command(t, "set", "milan", "load-balancer=true") })
	parts, gateways := &serverParts{t: t, lab: lab}, &gatewayUIDs{t: t, lab: lab}
	config := lab.between("milan", `
		server_gateway = { load_balancer_ip = "192.0.2.20" }
		timeouts       = { update = "`+ample+`" }`)
	apply(t,
		resource.TestStep{
			Config: config,
			ConfigStateChecks: []statecheck.StateCheck{
				expect("status", connected), parts.stay(), gateways.changed(replacesGateways),
			},
		},
		resource.TestStep{
			PreConfig: func() {
				lab.command(t, "set", "milan", "load-balancer=false")
				lab.takeAddress(t)
				lab.deleteFromTenant(t, "milan", &networkingv1beta1.PublicKey{}) // so that there is something to repair
			},
			Config: config, ExpectError: message(`The load balancer gives no address on leaf "milan"`),
		},
		resource.TestStep{
			PreConfig: func() { lab.command(t, "set", "milan", "load-balancer=true") },
			Config:    config, ConfigPlanChecks: inPlace(),
			ConfigStateChecks: []statecheck.StateCheck{
				expect("status", connected), parts.stay(), gateways.changed(keepsGateways),
			},
		},
	)
}

// takeAddress removes the address from the Service of Milan's gateway, like a load balancer that starts again.
func (l *Lab) takeAddress(t *testing.T) {
	t.Helper()
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "liqo-tenant-rome", Name: "gw-rome"}}
	patch := client.RawPatch(types.MergePatchType, []byte(`{"status":{"loadBalancer":null}}`))
	if err := l.client(t, "milan").Status().Patch(t.Context(), service, patch); err != nil {
		t.Fatal(err)
	}
	await(t, l, "milan", &networkingv1beta1.GatewayServerList{}, "rome",
		func(gateway *networkingv1beta1.GatewayServer) bool {
			return gateway.Status.Endpoint == nil || len(gateway.Status.Endpoint.Addresses) == 0
		})
}

func TestAccAGatewayThatMovesToAnotherNodeIsOnlyDialledAgain(t *testing.T) {
	lab := borrowLab(t)
	home := lab.nodeAddress(t, "milan")
	const elsewhere = "192.0.2.77"
	t.Cleanup(func() { lab.callNode(t, home) })
	parts, gateways := &serverParts{t: t, lab: lab}, &gatewayUIDs{t: t, lab: lab}
	config := lab.between("milan", overNodePort+"\nwait_for_connection = false") // no packet reaches the other address
	moved := func(address string) resource.TestStep {
		return resource.TestStep{
			PreConfig: func() { lab.moveGateway(t, address) }, Config: config, ConfigPlanChecks: inPlace(),
			ConfigStateChecks: []statecheck.StateCheck{
				parts.stay(), gateways.changed(keepsGateways), lab.dialled(t, address),
				statecheck.ExpectKnownValue(
					romeMilan, tfjsonpath.New("server_endpoint").AtMapKey("addresses").AtSliceIndex(0),
					knownvalue.StringExact(address),
				),
			},
		}
	}
	apply(t,
		resource.TestStep{
			Config:            config,
			ConfigStateChecks: []statecheck.StateCheck{parts.stay(), gateways.changed(replacesGateways), lab.dialled(t, home)},
		},
		moved(elsewhere),
		moved(home),
	)
}

// moveGateway restarts the pod of Milan's gateway on a node with this address.
func (l *Lab) moveGateway(t *testing.T, address string) {
	t.Helper()
	l.callNode(t, address)
	if err := l.client(t, "milan").DeleteAllOf(
		t.Context(), &corev1.Pod{}, client.InNamespace("liqo-tenant-rome"),
	); err != nil {
		t.Fatal(err)
	}
	await(t, l, "milan", &networkingv1beta1.GatewayServerList{}, "rome",
		func(gateway *networkingv1beta1.GatewayServer) bool {
			return gateway.Status.Endpoint != nil && len(gateway.Status.Endpoint.Addresses) == 1 &&
				gateway.Status.Endpoint.Addresses[0] == address
		})
}

// callNode gives Milan's node another address. It also works in a cleanup.
func (l *Lab) callNode(t *testing.T, address string) {
	t.Helper()
	ctx, c := context.WithoutCancel(t.Context()), l.administrator(t, "milan")
	var nodes corev1.NodeList
	if err := c.List(ctx, &nodes); err != nil {
		t.Fatal(err)
	}
	node := nodes.Items[0].DeepCopy()
	node.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: address}}
	if err := c.Status().Patch(ctx, node, client.MergeFrom(&nodes.Items[0])); err != nil {
		t.Fatal(err)
	}
}

// dialled checks the address that Rome's gateway dials.
func (l *Lab) dialled(t *testing.T, address string) statecheck.StateCheck {
	t.Helper()
	return stateCheck(func(ctx context.Context, _ statecheck.CheckStateRequest, resp *statecheck.CheckStateResponse) {
		var gateway networkingv1beta1.GatewayClient
		key := client.ObjectKey{Namespace: "liqo-tenant-milan", Name: "milan"}
		if resp.Error = l.client(t, "rome").Get(ctx, key, &gateway); resp.Error == nil &&
			gateway.Spec.Endpoint.Addresses[0] != address {
			resp.Error = fmt.Errorf("the client dials %v", gateway.Spec.Endpoint)
		}
	})
}

func TestAccAServiceChangeThatTheAPIServerRejectedHappensLater(t *testing.T) {
	lab := borrowLab(t)
	c := lab.administrator(t, "milan")
	blocker := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "blocker"},
		Spec: corev1.ServiceSpec{
			Type: corev1.ServiceTypeNodePort, Ports: []corev1.ServicePort{{Port: 80, NodePort: 31777}},
		},
	}
	t.Cleanup(func() { _ = c.Delete(context.WithoutCancel(t.Context()), blocker) })
	config := func(port int) string {
		return lab.between("milan", fmt.Sprintf(`
			server_gateway = { service_type = "NodePort", node_port = %d }
			timeouts       = { update = %q }`, port, ample))
	}
	apply(t,
		resource.TestStep{Config: config(31776), ConfigStateChecks: []statecheck.StateCheck{expect("status", connected)}},
		resource.TestStep{
			PreConfig: func() {
				if err := c.Create(t.Context(), blocker); err != nil {
					t.Fatal(err)
				}
			},
			Config: config(31777),
			ExpectError: message(`The change of the gateway's Service is refused on leaf "milan"`,
				`Time ran out while waiting for … on "milan".`,
				`Liqo can't change Service liqo-tenant-rome/gw-rome. The API server says: Service "gw-rome" is invalid: `+
					`spec.ports[0].nodePort: Invalid value: 31777: provided port is already allocated.`,
				"The Service stays as it was, and so does the tunnel.",
				"Change what the API server refuses, in `server_gateway` or on the leaf. Then apply again.",
				helpAt("service-change-refused")),
		},
		resource.TestStep{
			PreConfig: func() {
				if err := c.Delete(t.Context(), blocker); err != nil {
					t.Fatal(err)
				}
			},
			Config: config(31777), ConfigPlanChecks: inPlace(),
			ConfigStateChecks: []statecheck.StateCheck{
				expect("status", connected),
				statecheck.ExpectKnownValue(
					romeMilan, tfjsonpath.New("server_endpoint").AtMapKey("port"), knownvalue.Int32Exact(31777),
				),
			},
		},
	)
}

func TestAccABrokenTunnelIsExplainedAndPlansNothing(t *testing.T) {
	lab := borrowLab(t)
	t.Cleanup(func() {
		lab.command(t, "set", "milan", "connect=true")
		lab.command(t, "set", "milan", "pull-image=true")
	})
	p := lab.newProject(t, t.TempDir())
	destroyAtLast(p)
	p.write("main.tf", lab.between("milan", overNodePort))
	p.apply()
	doesNotSay(t, p.run("plan"), "Warning:")

	lab.command(t, "set", "milan", "connect=false")
	await(t, lab, "rome", &networkingv1beta1.ConnectionList{}, "gw-milan", failed)
	await(t, lab, "milan", &networkingv1beta1.ConnectionList{}, "gw-rome", failed)
	output := p.run("plan", "-detailed-exitcode") // fails if there is anything to change
	says(t, output, `Warning: The tunnel from "rome" to "milan" `+
		`is down`, `The gateway of "rome" dials `+lab.nodeAddress(t, "milan")+`, UDP port 3`,
		`On leaf "rome", Connection liqo-tenant-milan/gw-milan says "Error", since 20`,
		`On leaf "milan", Connection liqo-tenant-rome/gw-rome says "Error", since 20`,
		`Check that the nodes of "rome" can reach `)
	p.run("apply", "-refresh-only", "-auto-approve")
	says(t, p.run("state", "show", romeMilan), `status = "Error"`)

	lab.command(t, "set", "milan", "pull-image=false")
	if err := lab.client(t, "milan").DeleteAllOf(
		t.Context(), &corev1.Pod{}, client.InNamespace("liqo-tenant-rome"),
	); err != nil {
		t.Fatal(err)
	}
	lab.untilNoImageCanBePulled(t)
	says(
		t, p.run("plan", "-detailed-exitcode"),
		`This is why: the gateway's image can't be pulled on leaf "milan". The kubelet can't pull image ghcr.io/liqotech/`,
	)

	lab.command(t, "set", "milan", "pull-image=true")
	p.run("destroy", "-auto-approve")
}

// untilNoImageCanBePulled returns once the pod of Milan's gateway waits for its image.
func (l *Lab) untilNoImageCanBePulled(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), timeToHappen)
	defer cancel()
	changes, err := l.administrator(t, "milan").Watch(ctx, &corev1.PodList{}, client.InNamespace("liqo-tenant-rome"))
	if err != nil {
		t.Fatal(err)
	}
	defer changes.Stop()
	for change := range changes.ResultChan() {
		pod, ok := change.Object.(*corev1.Pod)
		if ok && slices.ContainsFunc(pod.Status.ContainerStatuses, func(container corev1.ContainerStatus) bool {
			return container.State.Waiting != nil && container.State.Waiting.Reason == "ImagePullBackOff"
		}) {
			return
		}
	}
	t.Fatal("no pod waits for its image")
}
