package pair

import (
	"fmt"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccARepairWhileALoadBalancerHasNoAddressKeepsTheGateways(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	config := lab.Between("milan", `
		server_gateway = { load_balancer_ip = "192.0.2.20" }
		timeouts       = { update = "`+acctest.Ample+`" }`)
	p := lab.Applied(t, config)
	p.IsConnected()
	gateways := &acctest.GatewayUIDs{Lab: lab}
	gateways.AreReplaced(t, "rome", "milan")
	parts := func() [2]types.UID { // the Service and the keys of the server's gateway
		t.Helper()
		return [2]types.UID{
			acctest.Get[corev1.Service](t, lab, "milan", "liqo-tenant-rome", "gw-rome").UID,
			acctest.Get[corev1.Secret](t, lab, "milan", "liqo-tenant-rome", "gw-rome").UID,
		}
	}
	before := parts()

	lab.Set(t, "milan", "load-balancer=false")
	// It loses its address, as with a load balancer that starts again.
	lab.PatchStatus(t, "milan", acctest.Named(&corev1.Service{}, "liqo-tenant-rome", "gw-rome"),
		`{"status":{"loadBalancer":null}}`)
	acctest.Await(t, lab, "milan", &networkingv1beta1.GatewayServerList{}, "rome",
		func(gateway *networkingv1beta1.GatewayServer) bool {
			return gateway.Status.Endpoint == nil || len(gateway.Status.Endpoint.Addresses) == 0
		})
	lab.DeleteFromTenant(t, "milan", &networkingv1beta1.PublicKey{}) // so that there is something to repair
	acctest.Explains(t, p.Refuses(config), `The load balancer gives no address on leaf "milan"`)

	lab.Set(t, "milan", "load-balancer=true")
	acctest.Says(t, p.Again(), acctest.InPlace)
	p.IsConnected()
	gateways.AreReplaced(t)
	if now := parts(); now != before {
		t.Errorf("the Service and the keys of the server's gateway were %v, and are %v", before, now)
	}
}

func TestAccANodePortOfAnotherServiceFailsThePlanUntilItIsFree(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	config := func(port int) string {
		return lab.Between("milan", fmt.Sprintf(`
			server_gateway = { service_type = "NodePort", node_port = %d }
			timeouts       = { update = %q }`, port, acctest.Ample))
	}
	p := lab.Applied(t, config(31776))
	p.IsConnected()
	blocker := acctest.Named(&corev1.Service{Spec: corev1.ServiceSpec{
		Type: corev1.ServiceTypeNodePort, Ports: []corev1.ServicePort{{Port: 80, NodePort: 31777}},
	}}, "default", "blocker")
	lab.Have(t, "milan", blocker)
	acctest.Explains(t, p.Refuses(config(31777)), `Node port 31777 can't be used on leaf "milan"`,
		`The API server says: Service "gw-rome" is invalid: spec.ports[0].nodePort: Invalid value: 31777: provided port `+
			`is already allocated`,
		"Set another `node_port`, or remove it: then Kubernetes chooses one.")
	acctest.Must(t, lab.Client(t, "milan").Delete(t.Context(), blocker))
	acctest.Says(t, p.Again(), acctest.InPlace)
	p.Is(acctest.RomeMilan, map[string]any{"status": "Connected", "server_endpoint.port": 31777})
}

func TestAccAnUpdateThatDoesNotWaitForTheTunnelStillWaitsForTheGatewaysToRestart(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	withMTU := func(mtu int) string {
		return lab.Between("milan", fmt.Sprintf(`%s
			mtu                 = %d
			wait_for_connection = false
			timeouts            = { update = %q }`, acctest.OverNodePort, mtu, acctest.Ample))
	}
	p := lab.Applied(t, withMTU(1340))
	lab.Set(t, "milan", "pull-image=false")
	acctest.Explains(t, p.Refuses(withMTU(1300)), `The gateway's image can't be pulled on leaf "milan"`,
		`Time ran out while waiting for …the gateway to restart on "milan".`)
	lab.Set(t, "milan", "connect=false", "pull-image=true")
	p.Write("main.tf", withMTU(1400))
	acctest.Says(t, p.Run("apply", "-auto-approve"), acctest.InPlace)
	for name := range acctest.Other {
		if pod := lab.GatewayPod(t, name); !pod.Status.ContainerStatuses[0].Ready {
			t.Errorf("the pod of the gateway of %s is %+v", name, pod)
		}
	}
	lab.GatewaysHaveMTU(t, 1400)
	p.Unchanged()
}

func TestAccAWorkspaceHasItsOwnShortcuts(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	p := lab.StateIn(t, "workspaces", acctest.Joining("s", "rome", "milan", ""))
	p.Apply()
	networks := lab.Networks(t)
	p.Run("workspace", "new", "staging")
	acctest.Says(t, p.Refused("apply", "-auto-approve"), "exists already on leaf",
		"in directory workspaces, workspace default")
	p.Run("destroy", "-auto-approve")
	p.Run("workspace", "select", "default")
	lab.SameNetworks(t, networks)
	p.Unchanged()
}
