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
	"k8s.io/utils/ptr"
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
	return Wait(t.Context(), milan(t, objects...), "an end", context.DeadlineExceeded)
}

// says checks the headline, which names Milan, and parts of the text below it.
func says(t *testing.T, err error, headline string, parts ...string) {
	t.Helper()
	if got := Summary(err); got != headline+` on leaf "milan"` {
		t.Errorf("the headline is %q", got)
	}
	for _, part := range append(parts, `Time ran out while waiting for an end on "milan".`) {
		if !strings.Contains(Detail(err), part) {
			t.Errorf("the text lacks %q:\n%s", part, Detail(err))
		}
	}
}

// inTenant is the metadata of an object that belongs to a leaf's gateway for another cluster.
func inTenant(remote, uid string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name: "gw-" + remote, Namespace: "liqo-tenant-" + remote, UID: types.UID(uid),
		Labels: map[string]string{"networking.liqo.io/gateway-name": remote},
	}
}

func written(remote, uid string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: remote, Namespace: "liqo-tenant-" + remote, UID: types.UID(uid)}
}

// unnoticedGateway is Milan's gateway for Rome before Liqo reacts to it. exposedGateway is the same gateway when it can
// be dialled.
func unnoticedGateway() *networkingv1beta1.GatewayServer {
	return &networkingv1beta1.GatewayServer{ObjectMeta: written("rome", "gateway")}
}

func exposedGateway() *networkingv1beta1.GatewayServer {
	gateway := unnoticedGateway()
	gateway.Status.ServerRef = &corev1.ObjectReference{
		APIVersion: networkingv1beta1.GroupVersion.String(), Kind: networkingv1beta1.WgGatewayServerKind,
		Namespace: "liqo-tenant-rome", Name: "rome",
	}
	gateway.Status.Endpoint = &networkingv1beta1.EndpointStatus{Addresses: []string{"172.18.0.2"}, Port: 31000,
		Protocol: ptr.To(corev1.ProtocolUDP)}
	return gateway
}

// leavingGateway is the same gateway, marked for deletion.
func leavingGateway(finalizers ...string) *networkingv1beta1.GatewayServer {
	gateway := exposedGateway()
	gateway.DeletionTimestamp, gateway.Finalizers = new(metav1.Now()), finalizers
	return gateway
}

// diallingGateway is Rome's gateway for Milan after Liqo has reacted to it.
func diallingGateway() *networkingv1beta1.GatewayClient {
	gateway := &networkingv1beta1.GatewayClient{ObjectMeta: written("milan", "gateway")}
	gateway.Spec.Endpoint = networkingv1beta1.EndpointStatus{Addresses: []string{"172.18.0.2"}, Port: 31000}
	gateway.Status.ClientRef = &corev1.ObjectReference{Kind: networkingv1beta1.WgGatewayClientKind,
		Namespace: "liqo-tenant-milan", Name: "milan"}
	return gateway
}

func key(remote string) *networkingv1beta1.PublicKey {
	return &networkingv1beta1.PublicKey{ObjectMeta: written(remote, "key")}
}

func connection(remote string, value networkingv1beta1.ConnectionStatusValue) *networkingv1beta1.Connection {
	meta := inTenant(remote, "connection")
	meta.OwnerReferences = []metav1.OwnerReference{{UID: "gateway"}}
	return &networkingv1beta1.Connection{ObjectMeta: meta, Status: networkingv1beta1.ConnectionStatus{Value: value}}
}

func gatewayDeployment(conditions ...appsv1.DeploymentCondition) *appsv1.Deployment {
	return &appsv1.Deployment{ObjectMeta: inTenant("rome", "deployment"),
		Status: appsv1.DeploymentStatus{Conditions: conditions}}
}

func gatewayService(kind corev1.ServiceType) *corev1.Service {
	return &corev1.Service{ObjectMeta: inTenant("rome", "service"), Spec: corev1.ServiceSpec{Type: kind}}
}

func gatewayPod(status corev1.PodStatus) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: inTenant("rome", "pod"), Status: status}
}

func readyPod() *corev1.Pod {
	return gatewayPod(corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodReady,
		Status: corev1.ConditionTrue}}})
}

func waitingPod(reason, message string) *corev1.Pod {
	return gatewayPod(corev1.PodStatus{Phase: corev1.PodPending, ContainerStatuses: []corev1.ContainerStatus{{
		Name: "wireguard", Image: "ghcr.io/liqotech/gateway/wireguard:v1.2.0",
		State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}},
	}}})
}

// runningGateway is Milan's gateway and everything that Liqo creates for it.
func runningGateway() []client.Object {
	return []client.Object{exposedGateway(), gatewayDeployment(), readyPod(),
		gatewayService(corev1.ServiceTypeNodePort)}
}

// dialled is Rome's complete end of the tunnel. Its Connection has this status.
func dialled(value networkingv1beta1.ConnectionStatusValue) []client.Object {
	pod := readyPod()
	pod.ObjectMeta = inTenant("milan", "pod")
	deployment := &appsv1.Deployment{ObjectMeta: inTenant("milan", "deployment")}
	return []client.Object{diallingGateway(), deployment, pod, key("milan"), connection("milan", value)}
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
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "liqo-controller-manager", Namespace: "liqo", Labels: map[string]string{
			"app.kubernetes.io/name": "controller-manager", "app.kubernetes.io/component": "controller-manager",
		}},
		Spec:   appsv1.DeploymentSpec{Replicas: new(int32(1))},
		Status: appsv1.DeploymentStatus{AvailableReplicas: available},
	}
}
