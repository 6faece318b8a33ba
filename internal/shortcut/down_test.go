package shortcut

import (
	"testing"
	"time"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

// downAt is one leaf of a shortcut whose tunnel is down although all objects are in place. Its gateway runs in this
// pod.
func downAt(
	t *testing.T, leaf, remote string, gateway client.Object, pod *corev1.Pod, more ...client.Object,
) *cluster.Leaf {
	t.Helper()
	inTenant := func(object client.Object, name string) client.Object {
		object.SetNamespace("liqo-tenant-" + remote)
		object.SetName(name)
		object.SetLabels(map[string]string{"liqo.io/remote-cluster-id": remote,
			"networking.liqo.io/gateway-name": remote})
		return object
	}
	gateway.SetUID("gateway")
	connection := &networkingv1beta1.Connection{
		Status: networkingv1beta1.ConnectionStatus{Value: networkingv1beta1.ConnectionError},
	}
	connection.OwnerReferences = []metav1.OwnerReference{{UID: "gateway"}}
	foreignCluster := &liqov1beta1.ForeignCluster{
		ObjectMeta: metav1.ObjectMeta{Name: remote, Labels: map[string]string{"liqo.io/remote-cluster-id": remote}},
		Spec:       liqov1beta1.ForeignClusterSpec{ClusterID: liqov1beta1.ClusterID(remote)},
	}
	foreignCluster.Status.Modules.Networking.Conditions = []liqov1beta1.Condition{{
		Type: liqov1beta1.NetworkConnectionStatusCondition, Status: liqov1beta1.ConditionStatusError,
		LastTransitionTime: metav1.NewTime(time.Date(2026, 11, 21, 12, 30, 0, 0, time.UTC)),
	}}
	return clustertest.Leaf(t, leaf, append(more, gateway, foreignCluster,
		inTenant(clustertest.GatewayDeployment("rome"), "gw-"+remote), inTenant(pod, "gw-"+remote),
		inTenant(&networkingv1beta1.PublicKey{}, remote), inTenant(connection, "gw-"+remote))...)
}

// noticed is Rome's gateway for Milan after Liqo has reacted to it.
func noticed() *networkingv1beta1.GatewayClient {
	gateway := ours(clustertest.GatewayClient("milan"))
	gateway.Status.ClientRef = &corev1.ObjectReference{Kind: networkingv1beta1.WgGatewayClientKind,
		Namespace: gateway.Namespace, Name: gateway.Name}
	return gateway
}

const bothReport = `The gateway of "rome" dials 172.18.0.2, UDP port 31000.
On leaf "rome", Connection liqo-tenant-milan/gw-milan says "Error", since 2026-11-21T12:30:00Z.
On leaf "milan", Connection liqo-tenant-rome/gw-rome says "Error", since 2026-11-21T12:30:00Z.`

func TestTheWarningOfATunnelThatIsDownHasWhatBothLeavesShow(t *testing.T) {
	ready := func() *corev1.Pod {
		return &corev1.Pod{Status: corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodReady,
			Status: corev1.ConditionTrue}}}}
	}
	rome := downAt(t, "rome", "milan", noticed(), ready())
	milan := downAt(t, "milan", "rome", exposedGateway(), ready(), clustertest.GatewayService("rome"))
	down := New(rome, milan).WhyDown(t.Context())
	expected := bothReport +
		"\n\nCheck that the nodes of \"rome\" can reach 172.18.0.2, UDP port 31000, and that no firewall or security group " +
		"at either end drops UDP. If they reach \"milan\" at another address, " +
		"set `server_address` and `server_port` in `client_gateway`, or another `service_type` in `server_gateway`."
	if down.Summary != `the tunnel from "rome" to "milan" is down` || down.Detail() != expected {
		t.Errorf("%s\n%s\nexpected:\n%s", down.Summary, down.Detail(), expected)
	}
}
