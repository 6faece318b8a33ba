package explain

import (
	"context"
	"strings"
	"testing"
	"time"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// milan is Milan's end of its network with Rome, the client. Milan has these objects.
func milan(t *testing.T, objects ...client.Object) Subject {
	t.Helper()
	return of(clustertest.Leaf(t, "milan", objects...), "rome", objects...)
}

// of is a leaf's end of its network with another cluster. The leaf has these objects.
func of(leaf *cluster.Leaf, remote string, objects ...client.Object) Subject {
	var observed liqo.Objects
	for _, object := range objects {
		switch object := object.(type) {
		case *networkingv1beta1.Configuration:
			observed.Configuration = object
		case *networkingv1beta1.GatewayServer, *networkingv1beta1.GatewayClient:
			observed.Gateway = liqo.GatewayOf(object)
		case *networkingv1beta1.PublicKey:
			observed.PublicKey = object
		case *networkingv1beta1.Connection:
			observed.Connection = object
		}
	}
	return Subject{
		Leaf: leaf, RemoteName: remote, RemoteID: liqov1beta1.ClusterID(remote),
		Find: func(context.Context) (liqo.Objects, error) { return observed, nil },
	}
}

// told returns the error of a wait on Milan that did not end.
func told(t *testing.T, objects ...client.Object) error {
	t.Helper()
	return late(t, milan(t, objects...))
}

// late returns the error of a wait that did not end.
func late(t *testing.T, s Subject) error {
	t.Helper()
	return Wait(t.Context(), s, "an end", context.DeadlineExceeded)
}

// says checks the headline, which names Milan, and parts of the text below it.
func says(t *testing.T, err error, headline string, parts ...string) {
	t.Helper()
	reads(t, err, headline+` on leaf "milan"`, append(parts, `Time ran out while waiting for an end on "milan".`)...)
}

// reads checks the headline, and parts of the text below it.
func reads(t *testing.T, err error, headline string, parts ...string) {
	t.Helper()
	if got := Summary(err); got != headline {
		t.Errorf("the headline is %q", got)
	}
	clustertest.Has(t, Detail(err), parts...)
}

// lacks fails a test for each of the parts that the text of an error has.
func lacks(t *testing.T, err error, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if text := Detail(err); strings.Contains(text, part) {
			t.Errorf("%q is in:\n%s", part, text)
		}
	}
}

// inTenant is the metadata of an object that belongs to a leaf's gateway for another cluster.
func inTenant(remote, uid string) metav1.ObjectMeta {
	meta := clustertest.GatewayDeployment(remote).ObjectMeta
	meta.UID = types.UID(uid)
	return meta
}

// forRome is the metadata of an object that Milan keeps for Rome.
func forRome(uid string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: "rome", Namespace: "liqo-tenant-rome", UID: types.UID(uid)}
}

// unnoticedGateway is Milan's gateway for Rome before Liqo reacts to it. exposedGateway is the same gateway when it can
// be dialled.
func unnoticedGateway() *networkingv1beta1.GatewayServer {
	return &networkingv1beta1.GatewayServer{ObjectMeta: forRome("gateway")}
}

func exposedGateway() *networkingv1beta1.GatewayServer {
	return clustertest.WireGuard(clustertest.GatewayServer("rome", 51840))
}

// wireGuardServer is what Liqo makes for this gateway, with a Service on this node port.
func wireGuardServer(nodePort int32) *networkingv1beta1.WgGatewayServer {
	server := &networkingv1beta1.WgGatewayServer{ObjectMeta: forRome("")}
	server.Spec.Service.Spec.Type = corev1.ServiceTypeNodePort
	server.Spec.Service.Spec.Ports = []corev1.ServicePort{{Port: 51840, NodePort: nodePort}}
	return server
}

// leavingGateway is the same gateway, marked for deletion.
func leavingGateway(finalizers ...string) *networkingv1beta1.GatewayServer {
	gateway := exposedGateway()
	gateway.DeletionTimestamp, gateway.Finalizers = new(metav1.Now()), finalizers
	return gateway
}

// diallingGateway is Rome's gateway for Milan after Liqo has reacted to it.
func diallingGateway() *networkingv1beta1.GatewayClient {
	gateway := clustertest.GatewayClient("milan")
	gateway.UID = "gateway"
	gateway.Status.ClientRef = &corev1.ObjectReference{Kind: networkingv1beta1.WgGatewayClientKind,
		Namespace: "liqo-tenant-milan", Name: "milan"}
	return gateway
}

func gatewayDeployment() *appsv1.Deployment {
	return &appsv1.Deployment{ObjectMeta: inTenant("rome", "deployment")}
}

// stoppedDeployment is a Deployment whose pod is refused with this message.
func stoppedDeployment(message string) *appsv1.Deployment {
	deployment := gatewayDeployment()
	deployment.Status.Conditions = []appsv1.DeploymentCondition{
		{Type: appsv1.DeploymentReplicaFailure, Status: corev1.ConditionTrue, Message: message},
	}
	return deployment
}

func gatewayService(kind corev1.ServiceType) *corev1.Service {
	return &corev1.Service{ObjectMeta: inTenant("rome", "service"), Spec: corev1.ServiceSpec{Type: kind}}
}

func gatewayPod(status corev1.PodStatus) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: inTenant("rome", "pod"), Status: status}
}

func readyPod() *corev1.Pod {
	ready := corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionTrue}
	return gatewayPod(corev1.PodStatus{Conditions: []corev1.PodCondition{ready}})
}

func waitingPod(reason, message string) *corev1.Pod {
	return gatewayPod(corev1.PodStatus{Phase: corev1.PodPending, ContainerStatuses: []corev1.ContainerStatus{{
		Name: "wireguard", Image: "ghcr.io/liqotech/gateway/wireguard:v1.2.0",
		State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}},
	}}})
}

// runningGateway is Milan's gateway and everything that Liqo creates for it.
func runningGateway() []client.Object { return runningAs(corev1.ServiceTypeNodePort, readyPod()) }

// runningAs is the same with a Service of another type, and with other pods.
func runningAs(kind corev1.ServiceType, pods ...client.Object) []client.Object {
	return append([]client.Object{exposedGateway(), gatewayDeployment(), gatewayService(kind)}, pods...)
}

// exposed is Milan's complete end of the tunnel. Its Connection has this status.
func exposed(value networkingv1beta1.ConnectionStatusValue) []client.Object {
	return append(runningGateway(), clustertest.PublicKey("rome"), clustertest.Connection("rome", value))
}

// dialled is Rome's complete end of the tunnel. Its Connection has this status.
func dialled(value networkingv1beta1.ConnectionStatusValue) []client.Object {
	pod := readyPod()
	pod.ObjectMeta = inTenant("milan", "pod")
	deployment := &appsv1.Deployment{ObjectMeta: inTenant("milan", "deployment")}
	key, connection := clustertest.PublicKey("milan"), clustertest.Connection("milan", value)
	return []client.Object{diallingGateway(), deployment, pod, key, connection}
}

// warning is an event of type Warning of the object with that UID.
func warning(uid, reason, message string, ago time.Duration) *corev1.Event {
	return &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Namespace: "liqo-tenant-rome", Name: uid + reason + ago.String()},
		InvolvedObject: corev1.ObjectReference{UID: types.UID(uid)},
		Type:           corev1.EventTypeWarning, Reason: reason, Message: message,
		LastTimestamp: metav1.NewTime(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(-ago)),
	}
}

func liqoControllers(available int32) *appsv1.Deployment {
	deployment := clustertest.Controllers("")
	deployment.Spec.Replicas, deployment.Status.AvailableReplicas = new(int32(1)), available
	return deployment
}
