package shortcut

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

// told is what a user reads of a wait on Milan that did not end.
func told(t *testing.T, objects ...client.Object) error {
	t.Helper()
	s := New(clustertest.Leaf(t, "rome"), clustertest.Leaf(t, "milan", objects...)).server
	return s.diagnose(t.Context(), "an end", context.DeadlineExceeded, s.evidence)
}

// says checks the headline, which is of Milan, and parts of the text below it.
func says(t *testing.T, err error, headline string, parts ...string) {
	t.Helper()
	if got := Summary(err); got != headline+` on leaf "milan"` {
		t.Errorf("the headline is %q", got)
	}
	for _, part := range parts {
		if !strings.Contains(Detail(err), part) {
			t.Errorf("the text lacks %q:\n%s", part, Detail(err))
		}
	}
}

// leavingGateway is Milan's gateway after somebody has deleted it.
func leavingGateway(finalizers ...string) *networkingv1beta1.GatewayServer {
	gateway := exposedGateway()
	gateway.DeletionTimestamp, gateway.Finalizers = new(metav1.Now()), finalizers
	return gateway
}

func TestALeafThatDoesNotAnswerIsTheWholeReason(t *testing.T) {
	leaf := clustertest.Leaf(t, "milan", exposedGateway(), gatewayDeployment(), gatewayService(corev1.ServiceTypeLoadBalancer))
	refused := &url.Error{Op: "Get", URL: "https://milan.example:6443/api/v1/pods", Err: errors.New("connection refused")}
	leaf.Live = interceptor.NewClient(leaf.Live, interceptor.Funcs{
		List: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error { return refused },
	})
	s := New(clustertest.Leaf(t, "rome"), leaf).server
	err := s.diagnose(t.Context(), "an address", context.DeadlineExceeded, s.evidence)
	says(t, err, "the API server can't be reached", "milan.example:6443: connection refused")
	for _, guess := range []string{"load balancer", "could not be read"} {
		if strings.Contains(Detail(err), guess) {
			t.Errorf("it guesses:\n%s", Detail(err))
		}
	}
}

func TestAnInterruptedWaitIsNotCalledALateOne(t *testing.T) {
	s := New(clustertest.Leaf(t, "rome"), clustertest.Leaf(t, "milan", liqoControllers(1))).server
	err := s.diagnose(t.Context(), "an address", context.Canceled, s.evidence)
	if text := Detail(err); !strings.HasPrefix(text, `The work was interrupted while waiting for an address on "milan".`) {
		t.Errorf("got:\n%s", text)
	}
}

func TestWhatHoldsUpADeletionIsTold(t *testing.T) {
	const held = "GatewayServer liqo-tenant-rome/rome is not deleted"
	refused := warning("gateway", "DeletionRefused", "it is in use", time.Minute)
	says(t, told(t, leavingGateway("liqo.io/hold"), liqoControllers(1), refused), held,
		"held by the finalizer liqo.io/hold.\nEvent DeletionRefused: it is in use.", "has 1 of 1 pods available", "Leave a finalizer to the controller")
	says(t, told(t, leavingGateway("liqo.io/hold"), liqoControllers(0)), "Liqo's controllers do not run",
		"held by the finalizer liqo.io/hold.", "has 0 of 1 pods available", "describe deployment liqo-controller-manager", "Leave a finalizer to the controller")
	byOthers := told(t, leavingGateway("example.com/hold"), liqoControllers(0))
	says(t, byOthers, held, "held by the finalizer example.com/hold.")
	if strings.Contains(Detail(byOthers), "controller-manager") {
		t.Errorf("Liqo is blamed for a finalizer that is not its own:\n%s", Detail(byOthers))
	}
}

func TestANamespaceThatDoesNotGoSaysWhatIsLeftInIt(t *testing.T) {
	namespace := &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{Name: "liqo-tenant-rome", DeletionTimestamp: new(metav1.Now()), Finalizers: []string{"kubernetes"}},
		Status: corev1.NamespaceStatus{Conditions: []corev1.NamespaceCondition{
			{Type: corev1.NamespaceContentRemaining, Status: corev1.ConditionTrue, Message: "Some resources are remaining: pods. has 1 resource instances"},
			{Type: corev1.NamespaceDeletionDiscoveryFailure, Status: corev1.ConditionFalse, Message: "All resources successfully discovered"},
		}},
	}
	s := New(clustertest.Leaf(t, "rome"), clustertest.Leaf(t, "milan", namespace)).server
	findings, err := s.remainsFindings(t.Context(), corev1.SchemeGroupVersion.WithKind("Namespace"), client.ObjectKeyFromObject(namespace))
	if err != nil || len(findings) != 1 {
		t.Fatalf("got %+v (%v)", findings, err)
	}
	text := strings.Join(findings[0].evidence, "\n")
	if !strings.Contains(text, "pods. has 1 resource instances") || strings.Contains(text, "successfully") {
		t.Errorf("got:\n%s", text)
	}
}

func TestAGatewayThatRunsAndHasNoTunnelSaysHowFarItGot(t *testing.T) {
	around := []client.Object{gatewayDeployment(), readyPod(), gatewayService(corev1.ServiceTypeNodePort)}
	unaddressed := exposedGateway()
	unaddressed.Status.Endpoint = nil
	says(t, told(t, append(around, unaddressed)...), "the gateway has no address", "GatewayServer liqo-tenant-rome/rome has no address in its status")
	says(t, told(t, append(around, exposedGateway())...), `the key of "rome" is missing`, `has not been told the key of "rome" yet`)
	key := &networkingv1beta1.PublicKey{ObjectMeta: metav1.ObjectMeta{
		Name: "rome", Namespace: "liqo-tenant-rome", Labels: map[string]string{"liqo.io/remote-cluster-id": "rome"},
	}}
	says(t, told(t, append(around, exposedGateway(), key)...), "the gateway reports no connection",
		"GatewayServer liqo-tenant-rome/rome runs, and its pod has made no Connection.", "kubectl -n liqo-tenant-rome logs deployment/gw-rome")
}

func TestTheEndThatDialsSaysWhereItGetsNoAnswer(t *testing.T) {
	inTenantOfMilan := func(uid string) metav1.ObjectMeta {
		meta := inTenant(uid)
		meta.Name, meta.Namespace = "gw-milan", "liqo-tenant-milan"
		meta.Labels = map[string]string{"networking.liqo.io/gateway-name": "milan", "liqo.io/remote-cluster-id": "milan"}
		return meta
	}
	gateway := clientGateway("172.18.0.2")
	gateway.UID, gateway.Status.ClientRef = "gateway", &corev1.ObjectReference{Name: "milan"}
	pod := readyPod()
	pod.ObjectMeta = inTenantOfMilan("pod")
	connection := &networkingv1beta1.Connection{ObjectMeta: inTenantOfMilan("connection")}
	s := New(clustertest.Leaf(t, "rome", gateway, aKey(t), pod, connection, &appsv1.Deployment{ObjectMeta: inTenantOfMilan("deployment")}),
		clustertest.Leaf(t, "milan")).client
	err := s.diagnose(t.Context(), "the tunnel to come up", context.DeadlineExceeded, s.evidence)
	if got := Summary(err); got != `the tunnel from "rome" to "milan" does not come up` {
		t.Errorf("the headline is %q", got)
	}
	for _, text := range []string{
		`The one of "rome" dials 172.18.0.2, UDP port 31000, and gets no answer.`, `Connection liqo-tenant-milan/gw-milan has no status yet.`,
		`Check that the nodes of "rome" can reach 172.18.0.2, UDP port 31000`, "set `connect_address`",
	} {
		if !strings.Contains(Detail(err), text) {
			t.Errorf("the text lacks %q:\n%s", text, Detail(err))
		}
	}
}

func TestWhatIsLeftWithoutAFinalizerIsSaidToBeLeavingOrNot(t *testing.T) {
	staying := gatewayDeployment()
	s := New(clustertest.Leaf(t, "rome"), clustertest.Leaf(t, "milan", staying)).server
	findings, err := s.remainsFindings(t.Context(), appsv1.SchemeGroupVersion.WithKind("Deployment"), client.ObjectKeyFromObject(staying))
	if err != nil || len(findings) != 1 || findings[0].evidence[0] != "Deployment liqo-tenant-rome/gw-rome is still there, not marked for deletion." ||
		!strings.HasPrefix(findings[0].advice, "Destroy or apply again") || strings.Contains(findings[0].advice, "finalizer") {
		t.Errorf("got %+v (%v)", findings, err)
	}
}

func TestADeploymentWithoutPodsIsTold(t *testing.T) {
	says(t, told(t, exposedGateway(), gatewayDeployment(), gatewayService(corev1.ServiceTypeNodePort)),
		"the gateway has no pod", "Deployment liqo-tenant-rome/gw-rome has no pod, and does not say why.", "kube-controller-manager")
}

func TestLiqosControllersAreTheReasonWhereNothingOfTheGatewayIsThere(t *testing.T) {
	for name, test := range map[string]struct {
		controllers []client.Object
		headline    string
		part        string
	}{
		"they run":              {[]client.Object{liqoControllers(1)}, "Liqo does not react", "has 1 of 1 pods available"},
		"they are not deployed": {nil, "Liqo's controllers do not run", "which has Liqo's controllers, does not exist."},
		"they are scaled down": {[]client.Object{func() *appsv1.Deployment {
			deployment := liqoControllers(0)
			deployment.Spec.Replicas = new(int32(0))
			return deployment
		}()}, "Liqo's controllers do not run", "is scaled to no pods."},
	} {
		t.Run(name, func(t *testing.T) {
			says(t, told(t, append(test.controllers, exposedGateway())...), test.headline, test.part)
		})
	}
}

func TestTheNewestEventsAreTheOnesThatAreTold(t *testing.T) {
	repeated, reported := warning("pod", "Repeated", "again and again", time.Hour), warning("pod", "Reported", "by a newer library", time.Hour)
	repeated.Series = &corev1.EventSeries{LastObservedTime: metav1.NewMicroTime(time.Date(2026, 2, 2, 0, 0, 0, 0, time.UTC))}
	reported.EventTime = metav1.NewMicroTime(time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC))
	normal := warning("pod", "Pulled", "all is well", 0)
	normal.Type = corev1.EventTypeNormal
	says(t, told(t, exposedGateway(), gatewayDeployment(), gatewayService(corev1.ServiceTypeNodePort), waitingPod("ContainerCreating", ""),
		warning("pod", "Recent", "a minute ago", time.Minute), repeated, reported, normal),
		"the gateway's pod is not ready", "not ready.\nEvent Repeated: again and again.\nEvent Reported: by a newer library.\n\n")
}
