package shortcut

import (
	"context"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
)

// downAt is one leaf's part of a shortcut that is all in place, and whose tunnel is down: the gateway, and the pod that it runs in.
func downAt(t *testing.T, leaf, remote string, gateway client.Object, pod *corev1.Pod, more ...client.Object) *cluster.Leaf {
	t.Helper()
	inTenant := func(object client.Object, name string) client.Object {
		object.SetNamespace("liqo-tenant-" + remote)
		object.SetName(name)
		object.SetLabels(map[string]string{"liqo.io/remote-cluster-id": remote, "networking.liqo.io/gateway-name": remote})
		return object
	}
	gateway.SetUID("gateway")
	connection := &networkingv1beta1.Connection{Status: networkingv1beta1.ConnectionStatus{Value: networkingv1beta1.ConnectionError}}
	connection.OwnerReferences = []metav1.OwnerReference{{UID: "gateway"}}
	record := &liqov1beta1.ForeignCluster{
		ObjectMeta: metav1.ObjectMeta{Name: remote, Labels: map[string]string{"liqo.io/remote-cluster-id": remote}},
		Spec:       liqov1beta1.ForeignClusterSpec{ClusterID: liqov1beta1.ClusterID(remote)},
	}
	record.Status.Modules.Networking.Conditions = []liqov1beta1.Condition{{
		Type: liqov1beta1.NetworkConnectionStatusCondition, Status: liqov1beta1.ConditionStatusError,
		LastTransitionTime: metav1.NewTime(time.Date(2026, 11, 21, 12, 30, 0, 0, time.UTC)),
	}}
	return clustertest.Leaf(t, leaf, append(more, gateway, record,
		inTenant(gatewayDeployment(), "gw-"+remote), inTenant(pod, "gw-"+remote),
		inTenant(&networkingv1beta1.PublicKey{}, remote), inTenant(connection, "gw-"+remote))...)
}

// dialling is Rome's gateway for Milan, which Liqo has reacted to.
func dialling() *networkingv1beta1.GatewayClient {
	gateway := ours(clientGateway("172.18.0.2"))
	gateway.Status.ClientRef = &corev1.ObjectReference{Kind: networkingv1beta1.WgGatewayClientKind, Namespace: gateway.Namespace, Name: gateway.Name}
	return gateway
}

const bothReport = `The gateway of "rome" dials 172.18.0.2, UDP port 31000.
On leaf "rome", Connection liqo-tenant-milan/gw-milan says "Error", since 2026-11-21T12:30:00Z.
On leaf "milan", Connection liqo-tenant-rome/gw-rome says "Error", since 2026-11-21T12:30:00Z.`

func TestATunnelThatIsDownIsToldOfWithWhatBothLeavesShow(t *testing.T) {
	ready := func() *corev1.Pod {
		return &corev1.Pod{Status: corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}}}
	}
	rome := downAt(t, "rome", "milan", dialling(), ready())
	milan := downAt(t, "milan", "rome", exposedGateway(), ready(), gatewayService())
	down := New(rome, milan).WhyDown(t.Context())
	expected := bothReport + "\n\nCheck that the nodes of \"rome\" can reach 172.18.0.2, UDP port 31000, and that no firewall or security group drops UDP on the way, " +
		"at either end. If they reach \"milan\" at another address, set `connect_address` and `connect_port` in `client_gateway`."
	if down.Summary != `the tunnel from "rome" to "milan" is down` || down.Detail != expected {
		t.Errorf("%s\n%s\nexpected:\n%s", down.Summary, down.Detail, expected)
	}
}

// explained is what there is to explain of Milan's part of its network with Rome.
func explained(t *testing.T, objects ...client.Object) explain.Objects {
	t.Helper()
	found, err := New(clustertest.Leaf(t, "rome"), clustertest.Leaf(t, "milan", objects...)).server.subject().Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestAllThatALeafHoldsOfTheNetworkIsExplained(t *testing.T) {
	key := &networkingv1beta1.PublicKey{ObjectMeta: metav1.ObjectMeta{
		Name: "rome", Namespace: "liqo-tenant-rome", Labels: map[string]string{"liqo.io/remote-cluster-id": "rome"},
	}}
	found := explained(t, theirs("rome"), exposedGateway(), key, milansConnection(networkingv1beta1.Connecting))
	if found.Configuration == nil || found.Server == nil || found.Client != nil || found.PublicKey == nil || found.Connection == nil || len(found.Leaving) > 0 {
		t.Errorf("got %+v", found)
	}
	if found.Endpoint == nil || found.Endpoint.Port != 31000 || found.Tunnel != networkingv1beta1.Connecting {
		t.Errorf("the endpoint is %v, the tunnel %q", found.Endpoint, found.Tunnel)
	}
	if found := explained(t); !reflect.DeepEqual(found, explain.Objects{Leaving: found.Leaving}) || len(found.Leaving) > 0 {
		t.Errorf("of nothing there is %+v", found)
	}
}

func TestAnAddressThatIsEmptyCannotBeDialled(t *testing.T) {
	if found := explained(t, withoutAddress(exposedGateway())); found.Server == nil || found.Endpoint != nil {
		t.Errorf("the endpoint is %v", found.Endpoint)
	}
}

func TestAConnectionOfAnEarlierGatewaySaysNothingOfTheTunnel(t *testing.T) {
	earlier := milansConnection(networkingv1beta1.ConnectionError)
	earlier.OwnerReferences[0].UID = "an earlier gateway"
	if found := explained(t, exposedGateway(), earlier); found.Connection == nil || found.Tunnel != "" {
		t.Errorf("the tunnel is %q", found.Tunnel)
	}
	if found := explained(t, milansConnection(networkingv1beta1.ConnectionError)); found.Tunnel != "" {
		t.Errorf("without a gateway, the tunnel is %q", found.Tunnel)
	}
}

func TestAWaitInVainIsExplainedByWhatIsLeaving(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // nobody takes it away here: time runs out as soon as nothing else is going on
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		configuration := theirs("rome")
		configuration.DeletionTimestamp, configuration.Finalizers = new(metav1.Now()), []string{"example.com/hold"}
		milan := clustertest.Leaf(t, "milan", exposedGateway(), configuration)
		err := New(clustertest.Leaf(t, "rome"), milan).server.until(ctx, "an end", func(objects) bool { return false }, &networkingv1beta1.Configuration{})
		if got := explain.Summary(err); got != `Configuration liqo-tenant-rome/rome is not deleted on leaf "milan"` {
			t.Errorf("got %q:\n%s", got, explain.Detail(err))
		}
		if !strings.HasPrefix(explain.Detail(err), `Time ran out while waiting for an end on "milan".`) {
			t.Errorf("got:\n%s", explain.Detail(err))
		}
	})
}
