package shortcut

import (
	"context"
	"strings"
	"testing"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

// inTenant is the name of what Liqo makes in Milan for the gateway that Rome dials.
func inTenant(uid string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: "gw-rome", Namespace: "liqo-tenant-rome", UID: types.UID(uid), Labels: map[string]string{
		"networking.liqo.io/gateway-name": "rome",
	}}
}

// exposedGateway is Milan's gateway for Rome, which Liqo has reacted to.
func exposedGateway() *networkingv1beta1.GatewayServer {
	return wireGuard(ours(serverGateway("rome", 51840)))
}

func gatewayDeployment(conditions ...appsv1.DeploymentCondition) *appsv1.Deployment {
	return &appsv1.Deployment{ObjectMeta: inTenant("deployment"), Status: appsv1.DeploymentStatus{Conditions: conditions}}
}

func gatewayService(kind corev1.ServiceType) *corev1.Service {
	return &corev1.Service{ObjectMeta: inTenant("service"), Spec: corev1.ServiceSpec{Type: kind}}
}

func gatewayPod(status corev1.PodStatus) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: inTenant("pod"), Status: status}
}

func readyPod() *corev1.Pod {
	return gatewayPod(corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}})
}

func waitingPod(reason, message string) *corev1.Pod {
	return gatewayPod(corev1.PodStatus{Phase: corev1.PodPending, ContainerStatuses: []corev1.ContainerStatus{{
		Name: "wireguard", Image: "ghcr.io/liqotech/gateway/wireguard:v1.2.0",
		State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}},
	}}})
}

// warning is an event of the object with that UID, so long ago.
func warning(uid, reason, message string, ago time.Duration) *corev1.Event {
	return &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{GenerateName: "event-", Namespace: "liqo-tenant-rome", Name: uid + reason + ago.String()},
		InvolvedObject: corev1.ObjectReference{UID: types.UID(uid)},
		Type:           corev1.EventTypeWarning, Reason: reason, Message: message,
		LastTimestamp: metav1.NewTime(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(-ago)),
	}
}

func liqoControllers(available int32) *appsv1.Deployment {
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "liqo-controller-manager", Namespace: "liqo"},
		Spec:       appsv1.DeploymentSpec{Replicas: new(int32(1))},
		Status:     appsv1.DeploymentStatus{AvailableReplicas: available},
	}
}

func TestAWaitInVainTellsWhatTheLeafShows(t *testing.T) {
	gateway, nodePort := exposedGateway(), gatewayService(corev1.ServiceTypeNodePort)
	leavingGateway := exposedGateway()
	leavingGateway.DeletionTimestamp, leavingGateway.Finalizers = new(metav1.Now()), []string{"liqo.io/hold"}
	unnoticed := ours(serverGateway("rome", 51840))
	for name, test := range map[string]struct {
		objects []client.Object
		summary string
		detail  []string
	}{
		"no load balancer": {
			[]client.Object{gateway, gatewayDeployment(), readyPod(), gatewayService(corev1.ServiceTypeLoadBalancer)},
			"the load balancer gives no address",
			[]string{
				"Service liqo-tenant-rome/gw-rome is of type LoadBalancer and has no address.\nNo event of the Service says why.",
				`set ` + "`service_type = \"NodePort\"`",
			},
		},
		"a load balancer that says why": {
			[]client.Object{
				gateway, gatewayDeployment(), readyPod(), gatewayService(corev1.ServiceTypeLoadBalancer),
				warning("service", "SyncLoadBalancerFailed", "quota of addresses exceeded", time.Minute),
			},
			"the load balancer gives no address", []string{"Event SyncLoadBalancerFailed: quota of addresses exceeded."},
		},
		"no room for the pod": {
			[]client.Object{gateway, gatewayDeployment(), nodePort, gatewayPod(corev1.PodStatus{Conditions: []corev1.PodCondition{{
				Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Message: "0/1 nodes are available",
			}}})},
			"the gateway's pod can't be scheduled", []string{"The scheduler says of Pod liqo-tenant-rome/gw-rome: 0/1 nodes are available."},
		},
		"no image": {
			[]client.Object{gateway, gatewayDeployment(), nodePort, waitingPod("ImagePullBackOff", "Back-off pulling image: not found")},
			"the gateway's image can't be pulled",
			[]string{"can't pull image ghcr.io/liqotech/gateway/wireguard:v1.2.0 of Pod liqo-tenant-rome/gw-rome, container wireguard: Back-off"},
		},
		"a pod that crashes": {
			[]client.Object{gateway, gatewayDeployment(), nodePort, waitingPod("CrashLoopBackOff", "back-off 10s restarting failed container")},
			"the gateway's pod does not run", []string{"waits (CrashLoopBackOff): back-off 10s", "logs gw-rome -c wireguard --previous"},
		},
		"a pod that waits for a volume, by its newest events": {
			[]client.Object{
				gateway, gatewayDeployment(), nodePort, waitingPod("ContainerCreating", ""),
				warning("pod", "Old", "long ago", time.Hour),
				warning("pod", "FailedMount", "secret \"keys\" not found", time.Second),
				warning("pod", "FailedMount", "secret \"keys\" not found", time.Minute),
				warning("another pod", "Other", "of another pod", 0),
			},
			"the gateway's pod is not ready", []string{"not ready.\nEvent FailedMount: secret \"keys\" not found.\nEvent Old: long ago.\n\n"},
		},
		"a pod that is refused": {
			[]client.Object{gateway, nodePort, gatewayDeployment(appsv1.DeploymentCondition{
				Type: appsv1.DeploymentReplicaFailure, Status: corev1.ConditionTrue, Message: "pods \"gw-rome\" is forbidden: exceeded quota",
			})},
			"the gateway's pod is refused", []string{"Deployment liqo-tenant-rome/gw-rome can't make its pod: pods \"gw-rome\" is forbidden"},
		},
		"no controllers": {
			[]client.Object{unnoticed, ours(theirs("rome")), liqoControllers(0)},
			"Liqo's controllers do not run",
			[]string{
				"Liqo has done nothing with Configuration liqo-tenant-rome/rome and GatewayServer liqo-tenant-rome/rome yet.",
				"Deployment liqo/liqo-controller-manager, which has Liqo's controllers, has 0 of 1 pods available.",
				"\n  kubectl -n liqo describe deployment liqo-controller-manager",
			},
		},
		"controllers that do nothing": {
			[]client.Object{unnoticed, liqoControllers(1)},
			"Liqo does not react", []string{"has 1 of 1 pods available", "\n  kubectl -n liqo logs deployment/liqo-controller-manager"},
		},
		"a gateway that does not go": {
			[]client.Object{leavingGateway, liqoControllers(1)},
			"GatewayServer liqo-tenant-rome/rome is not deleted", []string{"is still there, held by the finalizer liqo.io/hold."},
		},
		"nothing that is wrong": {
			[]client.Object{liqoControllers(1)},
			"gave up waiting for an address", []string{"Nothing on this leaf shows why.", "allow more time in `timeouts`"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := New(clustertest.Leaf(t, "rome"), clustertest.Leaf(t, "milan", test.objects...)).server
			err := s.diagnose(t.Context(), "an address", context.DeadlineExceeded, s.evidence)
			if got := Summary(err); got != test.summary+` on leaf "milan"` {
				t.Errorf("the headline is %q", got)
			}
			for _, text := range append(test.detail, `Time ran out while waiting for an address on "milan".`) {
				if !strings.Contains(Detail(err), text) {
					t.Errorf("the text lacks %q:\n%s", text, Detail(err))
				}
			}
		})
	}
}

func TestATunnelThatDoesNotComeUpIsToldWithWhatToReach(t *testing.T) {
	gateway := exposedGateway()
	connection := &networkingv1beta1.Connection{
		ObjectMeta: inTenant("connection"), Status: networkingv1beta1.ConnectionStatus{Value: networkingv1beta1.Connecting},
	}
	connection.Labels["liqo.io/remote-cluster-id"] = "rome"
	connection.OwnerReferences = []metav1.OwnerReference{{UID: gateway.UID, Name: "rome", Kind: "GatewayServer", APIVersion: "v1"}}
	key := &networkingv1beta1.PublicKey{ObjectMeta: metav1.ObjectMeta{
		Name: "rome", Namespace: "liqo-tenant-rome", Labels: map[string]string{"liqo.io/remote-cluster-id": "rome"},
	}}
	s := New(clustertest.Leaf(t, "rome"), clustertest.Leaf(t, "milan", gateway, gatewayDeployment(), readyPod(), key, connection,
		gatewayService(corev1.ServiceTypeNodePort))).server
	err := s.diagnose(t.Context(), "the tunnel to come up", context.DeadlineExceeded, s.evidence)
	if got := Summary(err); got != `the tunnel from "rome" to "milan" does not come up` {
		t.Errorf("the headline is %q", got)
	}
	for _, text := range []string{
		`On leaf "milan", Connection liqo-tenant-rome/gw-rome says "Connecting".`, `the nodes of "rome" can reach 172.18.0.2, UDP port 31000`, "firewall",
	} {
		if !strings.Contains(Detail(err), text) {
			t.Errorf("the text lacks %q:\n%s", text, Detail(err))
		}
	}
}

func TestWhatMayNotBeReadDoesNotHideTheRest(t *testing.T) {
	leaf := clustertest.Leaf(t, "milan", exposedGateway(), gatewayDeployment(), gatewayService(corev1.ServiceTypeLoadBalancer))
	leaf.Live = interceptor.NewClient(leaf.Live, interceptor.Funcs{
		List: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error {
			return apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "", nil)
		},
	})
	s := New(clustertest.Leaf(t, "rome"), leaf).server
	err := s.diagnose(t.Context(), "an address", context.DeadlineExceeded, s.evidence)
	if got := Summary(err); got != `the load balancer gives no address on leaf "milan"` {
		t.Errorf("the headline is %q", got)
	}
	if !strings.Contains(Detail(err), "there may be other causes: leaf \"milan\": the API server refuses a request: pods is forbidden") {
		t.Errorf("the text does not say what could not be read:\n%s", Detail(err))
	}
}

func TestWhatHasAnOwnerIsNotGoneBeforeIt(t *testing.T) {
	owner := &networkingv1beta1.WgGatewayServer{ObjectMeta: metav1.ObjectMeta{
		Name: "rome", Namespace: "liqo-tenant-rome", UID: "owner", DeletionTimestamp: new(metav1.Now()), Finalizers: []string{"networking.liqo.io/hold"},
	}}
	owned := gatewayDeployment()
	owned.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: networkingv1beta1.GroupVersion.String(), Kind: networkingv1beta1.WgGatewayServerKind, Name: "rome", UID: "owner",
	}}
	for name, test := range map[string]struct {
		objects  []client.Object
		expected string
	}{
		"that is still there": {
			[]client.Object{owner, owned, liqoControllers(1)},
			"WgGatewayServer liqo-tenant-rome/rome is still there, held by the finalizer networking.liqo.io/hold.",
		},
		"that is gone": {
			[]client.Object{owned},
			"Deployment liqo-tenant-rome/gw-rome is still there, until Kubernetes notices that its owner, WgGatewayServer rome, is gone.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := New(clustertest.Leaf(t, "rome"), clustertest.Leaf(t, "milan", test.objects...)).server
			findings, err := s.remainsFindings(t.Context(), appsv1.SchemeGroupVersion.WithKind("Deployment"), client.ObjectKeyFromObject(owned))
			if err != nil || len(findings) != 1 || findings[0].evidence[0] != test.expected {
				t.Errorf("got %+v (%v)", findings, err)
			}
		})
	}
}
