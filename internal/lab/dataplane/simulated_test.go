package dataplane

import (
	"net/netip"
	"strconv"
	"testing"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	"github.com/liqotech/liqo/pkg/gateway/concurrent"
	"golang.zx2c4.com/wireguard/wgctrl/wgtypes"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/kubelet"
)

// side is one cluster with one gateway pod.
type side struct {
	*reconciler
	client client.Client
	pod    *corev1.Pod
	key    wgtypes.Key
}

func testScheme(t *testing.T) *runtime.Scheme {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, networkingv1beta1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	return scheme
}

// newSide creates a cluster whose gateway to the remote one runs with these additional arguments.
func newSide(t *testing.T, plane *Simulated, name, remote, mode, nodeIP string, args ...string) *side {
	t.Helper()
	private, err := wgtypes.GeneratePrivateKey()
	if err != nil {
		t.Fatal(err)
	}
	namespace := "liqo-tenant-" + remote
	common := []string{
		"--name=" + remote,
		"--namespace=" + namespace,
		"--remote-cluster-id=" + remote,
		"--gateway-uid=uid-" + name,
		"--mode=" + mode,
	}
	check := append([]string{"--ping-interval=2s", "--ping-loss-threshold=5", "--unknown=1"}, common...)
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace,
			Name:      "gw-" + remote,
			UID:       types.UID("pod-" + name),
			Labels:    map[string]string{"gateway": remote},
		},
		Spec: corev1.PodSpec{
			Containers: []corev1.Container{
				{Name: "gateway", Args: check},
				{Name: "wireguard", Args: append(args, common...)},
			},
			Volumes: []corev1.Volume{{
				Name:         "wireguard-config",
				VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "keys"}},
			}},
		},
		Status: corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}},
	}
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "keys"},
		Data:       map[string][]byte{consts.PrivateKeyField: private[:]},
	}
	service := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "gw-" + remote},
		Spec: corev1.ServiceSpec{
			Type: corev1.ServiceTypeNodePort, Selector: pod.Labels, ClusterIPs: []string{"10.96.0.7"},
			Ports: []corev1.ServicePort{
				{Protocol: corev1.ProtocolUDP, Port: 51840, NodePort: 30007, TargetPort: intstr.FromInt32(51840)},
			},
		},
	}
	scheme := testScheme(t)
	cl := fake.NewClientBuilder().WithScheme(scheme).
		WithStatusSubresource(&networkingv1beta1.Connection{}).
		WithObjects(pod, secret, service).
		Build()
	return &side{
		reconciler: &reconciler{
			plane: plane, client: cl, live: cl, scheme: scheme,
			cluster: Cluster{
				Name:     name,
				Nodes:    []Node{{IP: netip.MustParseAddr("172.18.9.9")}, {IP: netip.MustParseAddr(nodeIP)}},
				Settings: kubelet.NewSettings(kubelet.Values{Connect: true}),
			},
		},
		client: cl, pod: pod, key: private.PublicKey(),
	}
}

// learns gives the cluster the other end's public key.
func (s *side) learns(t *testing.T, key wgtypes.Key) {
	t.Helper()
	remote := s.pod.Name[len("gw-"):]
	err := s.client.Create(t.Context(), &networkingv1beta1.PublicKey{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: s.pod.Namespace,
			Name:      remote,
			Labels:    map[string]string{consts.RemoteClusterID: remote},
		},
		Spec: networkingv1beta1.PublicKeySpec{PublicKey: key[:]},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// look reconciles the gateway and returns its Connection, or nil.
func (s *side) look(t *testing.T) (*networkingv1beta1.Connection, ctrl.Result) {
	t.Helper()
	result, err := s.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(s.pod)})
	if err != nil {
		t.Fatal(err)
	}
	var conn networkingv1beta1.Connection
	if err := s.client.Get(t.Context(), client.ObjectKeyFromObject(s.pod), &conn); err != nil {
		return nil, result
	}
	return &conn, result
}

// newPair creates two clusters whose gateways know each other's key.
func newPair(t *testing.T, endpoint ...string) (rome, milan *side) {
	t.Helper()
	plane := NewSimulated()
	rome = newSide(t, plane, "rome", "milan", "client", "172.18.0.2", endpoint...)
	milan = newSide(t, plane, "milan", "rome", "server", "172.18.0.3", "--listen-port=51840")
	rome.learns(t, milan.key)
	milan.learns(t, rome.key)
	return rome, milan
}

func wantStatus(t *testing.T, s *side, want networkingv1beta1.ConnectionStatusValue) {
	t.Helper()
	if conn, _ := s.look(t); conn == nil || conn.Status.Value != want {
		t.Errorf("the connection in %s is %+v, want %s", s.cluster.Name, conn, want)
	}
}

var nodePort = []string{"--endpoint-address=172.18.0.3", "--endpoint-port=30007"}

func TestNoConnectionBeforeThePublicKeyIsThere(t *testing.T) {
	rome := newSide(t, NewSimulated(), "rome", "milan", "client", "172.18.0.2", nodePort...)
	if conn, _ := rome.look(t); conn != nil {
		t.Errorf("there is %+v", conn)
	}
}

func TestOneOfTwoPodsThatElectTheActiveOneHoldsTheTunnelAndTheOtherTakesOver(t *testing.T) {
	rome, milan := newPair(t, nodePort...)
	standby := milan.pod.DeepCopy()
	elects := milan.pod.DeepCopy()
	elects.Spec.Containers[0].Args = append(elects.Spec.Containers[0].Args, "--leader-election=true")
	elects.Labels[consts.K8sAppNameKey] = "rome"
	if err := milan.client.Update(t.Context(), elects); err != nil {
		t.Fatal(err)
	}
	standby.ObjectMeta = metav1.ObjectMeta{
		Namespace: elects.Namespace, Name: "standby", UID: "pod-standby", Labels: elects.Labels,
	}
	standby.Spec = elects.Spec
	if err := milan.client.Create(t.Context(), standby); err != nil {
		t.Fatal(err)
	}
	rome.look(t)
	milan.look(t)
	milan.pod = standby
	milan.look(t)
	if active, name := milan.active(t); active != 1 || name != elects.Name {
		t.Errorf("%d pods are active, the last is %s", active, name)
	}
	wantStatus(t, rome, networkingv1beta1.Connected)

	if err := milan.client.Get(t.Context(), client.ObjectKeyFromObject(elects), elects); err != nil {
		t.Fatal(err)
	}
	elects.Status.Conditions[0].Status = corev1.ConditionFalse
	if err := milan.client.Status().Update(t.Context(), elects); err != nil {
		t.Fatal(err)
	}
	milan.look(t)
	if active, name := milan.active(t); active != 1 || name != standby.Name {
		t.Errorf("%d pods are active, the last is %s", active, name)
	}
}

// active returns how many pods have the label of the active one, and the name of the last of them.
func (s *side) active(t *testing.T) (count int, name string) {
	t.Helper()
	var pods corev1.PodList
	if err := s.client.List(t.Context(), &pods, client.HasLabels{concurrent.ActiveGatewayKey}); err != nil {
		t.Fatal(err)
	}
	for i := range pods.Items {
		name = pods.Items[i].Name
	}
	return len(pods.Items), name
}

func TestTheFirstOfTwoGatewaysIsConnecting(t *testing.T) {
	rome, _ := newPair(t, nodePort...)
	conn, result := rome.look(t)
	if conn.Status.Value != networkingv1beta1.Connecting ||
		conn.Spec.Type != networkingv1beta1.ConnectionTypeClient ||
		conn.Labels[consts.RemoteClusterID] != "milan" ||
		conn.OwnerReferences[0].Kind != networkingv1beta1.GatewayClientKind {
		t.Errorf("got %+v", conn)
	}
	if result.RequeueAfter <= 9*time.Second || result.RequeueAfter > 10*time.Second {
		t.Errorf("it is given up after %s, and not after five lost pings", result.RequeueAfter)
	}
}

func TestAGatewayIsConnectedWhereverItsServiceLeads(t *testing.T) {
	for name, endpoint := range map[string][]string{
		"node port":  nodePort,
		"cluster IP": {"--endpoint-address=10.96.0.7", "--endpoint-port=51840"},
	} {
		t.Run(name, func(t *testing.T) {
			rome, milan := newPair(t, endpoint...)
			rome.look(t)
			wantStatus(t, milan, networkingv1beta1.Connected)
			wantStatus(t, rome, networkingv1beta1.Connected)
			if conn, _ := rome.look(t); conn.Status.Latency.Value != "1ms" || conn.Status.Latency.Timestamp.IsZero() {
				t.Errorf("latency %+v", conn.Status.Latency)
			}
		})
	}
}

func TestAWrongEndpointOrKeyDoesNotConnect(t *testing.T) {
	t.Run("address", func(t *testing.T) {
		rome, milan := newPair(t, "--endpoint-address=172.18.0.9", "--endpoint-port=30007")
		rome.look(t)
		wantStatus(t, milan, networkingv1beta1.Connecting)
		wantStatus(t, rome, networkingv1beta1.Connecting)
	})
	t.Run("port", func(t *testing.T) {
		rome, milan := newPair(t, "--endpoint-address=172.18.0.3", "--endpoint-port=51840")
		rome.look(t)
		wantStatus(t, milan, networkingv1beta1.Connecting)
	})
	t.Run("key", func(t *testing.T) {
		plane := NewSimulated()
		rome := newSide(t, plane, "rome", "milan", "client", "172.18.0.2", nodePort...)
		milan := newSide(t, plane, "milan", "rome", "server", "172.18.0.3", "--listen-port=51840")
		rome.learns(t, rome.key)
		milan.learns(t, rome.key)
		rome.look(t)
		wantStatus(t, milan, networkingv1beta1.Connecting)
	})
}

func TestASilentTunnelIsAnErrorAfterTheLossThreshold(t *testing.T) {
	rome, milan := newPair(t, nodePort...)
	rome.look(t)
	wantStatus(t, milan, networkingv1beta1.Connected)
	if err := rome.client.Delete(t.Context(), rome.pod); err != nil {
		t.Fatal(err)
	}
	rome.look(t)
	wantStatus(t, milan, networkingv1beta1.Connected) // five pings may be lost

	e := milan.plane.get(endKey{"milan", client.ObjectKeyFromObject(milan.pod)})
	e.lastPong = e.lastPong.Add(-10 * time.Second)
	milan.plane.put(e)
	wantStatus(t, milan, networkingv1beta1.ConnectionError)
}

func TestAConnectionIsRenewedUnlessItsGatewayIsMute(t *testing.T) {
	rome, milan := newPair(t, nodePort...)
	milan.look(t)
	for _, mute := range []bool{true, false} {
		conn, _ := rome.look(t)
		old := time.Now().Add(-time.Minute).Truncate(time.Second)
		conn.Status.Latency.Timestamp = metav1.NewTime(old)
		if err := rome.client.Status().Update(t.Context(), conn); err != nil {
			t.Fatal(err)
		}
		if err := rome.cluster.Settings.Set("mute", strconv.FormatBool(mute)); err != nil {
			t.Fatal(err)
		}
		conn, result := rome.look(t)
		renewed := conn.Status.Latency.Timestamp.After(old)
		if renewed == mute || conn.Status.Value != networkingv1beta1.Connected {
			t.Errorf("mute: %t: it is renewed: %t, and %s", mute, renewed, conn.Status.Value)
		}
		if !mute && result.RequeueAfter != 10*time.Second {
			t.Errorf("it is renewed again after %s", result.RequeueAfter)
		}
	}
}

func TestATunnelThatIsCutDoesNotPassAndConnectsAgain(t *testing.T) {
	rome, milan := newPair(t, nodePort...)
	if err := rome.cluster.Settings.Set("connect", "false"); err != nil {
		t.Fatal(err)
	}
	rome.look(t)
	wantStatus(t, milan, networkingv1beta1.Connecting)
	if err := rome.cluster.Settings.Set("connect", "true"); err != nil {
		t.Fatal(err)
	}
	rome.look(t)
	wantStatus(t, milan, networkingv1beta1.Connected)
}

func TestAChangeAtOneEndWakesTheOther(t *testing.T) {
	rome, milan := newPair(t, nodePort...)
	rome.look(t)
	rome.plane.wake["rome"] = make(chan event.GenericEvent, 1)
	milan.look(t)
	select {
	case woken := <-rome.plane.wake["rome"]:
		if woken.Object.GetName() != rome.pod.Name {
			t.Errorf("woke %s", woken.Object.GetName())
		}
	default:
		t.Error("rome was not woken")
	}
}
