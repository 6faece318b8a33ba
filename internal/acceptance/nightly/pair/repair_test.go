package pair

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// serverParts returns the UIDs of Milan's gateway, its Service and its keys.
func serverParts(t *testing.T, lab *acctest.Lab) map[string]types.UID {
	t.Helper()
	parts := map[string]types.UID{}
	for name, object := range map[string]client.Object{
		"rome": &networkingv1beta1.GatewayServer{}, "gw-rome": &corev1.Service{}, "gw-rome keys": &corev1.Secret{},
	} {
		key := client.ObjectKey{Namespace: "liqo-tenant-rome", Name: strings.TrimSuffix(name, " keys")}
		acctest.Must(t, lab.Client(t, "milan").Get(t.Context(), key, object))
		parts[name] = object.GetUID()
	}
	return parts
}

// keepsGateways returns a function that fails the test if the gateways of the shortcut, or parts of the server's, are
// others than now.
func keepsGateways(t *testing.T, lab *acctest.Lab) func() {
	t.Helper()
	gateways, parts := &acctest.GatewayUIDs{Lab: lab}, serverParts(t, lab)
	gateways.AreReplaced(t, "rome", "milan")
	return func() {
		t.Helper()
		gateways.AreReplaced(t)
		if now := serverParts(t, lab); !maps.Equal(parts, now) {
			t.Errorf("the server's gateway has changed from %v to %v", parts, now)
		}
	}
}

func TestAccARepairWhileALoadBalancerHasNoAddressKeepsTheGateways(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	config := lab.Between("milan", `
		server_gateway = { load_balancer_ip = "192.0.2.20" }
		timeouts       = { update = "`+acctest.Ample+`" }`)
	p := lab.Applied(t, config)
	p.IsConnected()
	gatewaysStay := keepsGateways(t, lab)

	lab.Set(t, "milan", "load-balancer=false")
	// It loses its address, as with a load balancer that starts again.
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "liqo-tenant-rome", Name: "gw-rome"}}
	patch := client.RawPatch(types.MergePatchType, []byte(`{"status":{"loadBalancer":null}}`))
	acctest.Must(t, lab.Client(t, "milan").Status().Patch(t.Context(), service, patch))
	acctest.Await(t, lab, "milan", &networkingv1beta1.GatewayServerList{}, "rome",
		func(gateway *networkingv1beta1.GatewayServer) bool {
			return gateway.Status.Endpoint == nil || len(gateway.Status.Endpoint.Addresses) == 0
		})
	lab.DeleteFromTenant(t, "milan", &networkingv1beta1.PublicKey{}) // so that there is something to repair
	acctest.Explains(t, p.Refuses(config), `The load balancer gives no address on leaf "milan"`)

	lab.Set(t, "milan", "load-balancer=true")
	acctest.Says(t, p.Again(), acctest.InPlace)
	p.IsConnected()
	gatewaysStay()
}

func TestAccAGatewayThatMovesToAnotherNodeIsOnlyDialledAgain(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	home := lab.NodeAddress(t, "milan")
	// No packet reaches the other address.
	p := lab.Applied(t, lab.Between("milan", acctest.OverNodePort+"\nwait_for_connection = false"))
	gatewaysStay := keepsGateways(t, lab)
	isDialled := func(address string) {
		t.Helper()
		if dialling, _ := lab.Gateways(t); dialling.Spec.Endpoint.Addresses[0] != address {
			t.Errorf("the client dials %v", dialling.Spec.Endpoint)
		}
	}
	isDialled(home)
	t.Cleanup(func() { lab.CallNode(t, home) })
	for _, address := range []string{"192.0.2.77", home} {
		lab.MoveGateway(t, address)
		acctest.Says(t, p.Again(), acctest.InPlace)
		gatewaysStay()
		isDialled(address)
		p.Is(acctest.RomeMilan, map[string]any{"server_endpoint.addresses.0": address})
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
	c := lab.Client(t, "milan")
	blocker := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "blocker"},
		Spec: corev1.ServiceSpec{
			Type: corev1.ServiceTypeNodePort, Ports: []corev1.ServicePort{{Port: 80, NodePort: 31777}},
		},
	}
	lab.Have(t, "milan", blocker)
	acctest.Explains(t, p.Refuses(config(31777)), `Node port 31777 can't be used on leaf "milan"`,
		`The API server says: Service "gw-rome" is invalid: spec.ports[0].nodePort: Invalid value: 31777: provided port `+
			`is already allocated`,
		"Set another `node_port`, or remove it: then Kubernetes chooses one.")
	acctest.Must(t, c.Delete(t.Context(), blocker))
	acctest.Says(t, p.Again(), acctest.InPlace)
	p.Is(acctest.RomeMilan, map[string]any{"status": "Connected", "server_endpoint.port": 31777})
}
