package real

import (
	"net/netip"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

var nodeIP = netip.MustParseAddr("172.18.0.3")

func newPod(name, ip string) corev1.Pod {
	return corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "liqo-tenant-rome", Name: name, Labels: map[string]string{"app": "gateway"}},
		Spec: corev1.PodSpec{Containers: []corev1.Container{
			{Ports: []corev1.ContainerPort{{Name: "metrics", ContainerPort: 8082}}},
		}},
		Status: corev1.PodStatus{PodIP: ip, Conditions: []corev1.PodCondition{
			{Type: corev1.PodReady, Status: corev1.ConditionTrue},
		}},
	}
}

func newService() corev1.Service {
	return corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "liqo-tenant-rome", Name: "gw-rome"},
		Spec: corev1.ServiceSpec{
			Type:       corev1.ServiceTypeLoadBalancer,
			Selector:   map[string]string{"app": "gateway"},
			ClusterIPs: []string{"10.96.0.7"},
			Ports: []corev1.ServicePort{
				{Protocol: corev1.ProtocolUDP, Port: 51840, TargetPort: intstr.FromInt32(51841), NodePort: 31234},
			},
		},
		Status: corev1.ServiceStatus{LoadBalancer: corev1.LoadBalancerStatus{
			Ingress: []corev1.LoadBalancerIngress{{IP: "172.18.201.10"}},
		}},
	}
}

func udp(from, to string) translation {
	return translation{
		Protocol: unix.IPPROTO_UDP, From: netip.MustParseAddrPort(from), To: netip.MustParseAddrPort(to),
	}
}

// public is a translation for clients outside of the cluster, too.
func public(t translation) translation {
	t.Public = true
	return t
}

func TestAServiceLeadsToItsPodFromWhereverItIsReachable(t *testing.T) {
	services := []corev1.Service{newService()}
	got := translations(services, []corev1.Pod{newPod("gw", "10.200.1.10")}, nil, nodeIP)
	want := []translation{
		udp("10.96.0.7:51840", "10.200.1.10:51841"),
		public(udp("172.18.0.3:31234", "10.200.1.10:51841")),
		public(udp("172.18.201.10:51840", "10.200.1.10:51841")),
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if led := balancers(services); !slices.Equal(led, []netip.Addr{netip.MustParseAddr("172.18.201.10")}) {
		t.Errorf("load balancers lead %v to a node", led)
	}
}

func TestAServiceWithoutAPodLeadsToOneThatLiqoReflectsFromAnotherCluster(t *testing.T) {
	elsewhere := discoveryv1.EndpointSlice{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "liqo-tenant-rome", Labels: map[string]string{discoveryv1.LabelServiceName: "gw-rome"},
		},
		Endpoints: []discoveryv1.Endpoint{
			{Addresses: []string{"10.71.0.5"}, Conditions: discoveryv1.EndpointConditions{Ready: new(false)}},
			{Addresses: []string{"10.71.0.6"}},
		},
		Ports: []discoveryv1.EndpointPort{{Port: new(int32(8443))}},
	}
	other := *elsewhere.DeepCopy()
	other.Labels[discoveryv1.LabelServiceName], other.Endpoints[1].Addresses[0] = "another", "10.71.0.7"
	service := newService()
	service.Status, service.Spec.Ports[0].NodePort = corev1.ServiceStatus{}, 0
	got := translations([]corev1.Service{service}, nil, []discoveryv1.EndpointSlice{other, elsewhere}, nodeIP)
	if want := []translation{udp("10.96.0.7:51840", "10.71.0.6:8443")}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestAServiceLeadsToThePodThatIsReady(t *testing.T) {
	leaving, stranger, fresh := newPod("a", "10.200.1.10"), newPod("b", "10.200.1.11"), newPod("c", "10.200.1.12")
	leaving.DeletionTimestamp = &metav1.Time{}
	stranger.Namespace = "default"
	fresh.Status.Conditions[0].Status = corev1.ConditionFalse
	pods := []corev1.Pod{leaving, stranger, fresh}
	service := newService()
	if got := endpoint(&service, pods); got != nil {
		t.Errorf("it leads to %s", got.Name)
	}
	pods[2].Status.Conditions[0].Status = corev1.ConditionTrue
	if got := endpoint(&service, pods); got == nil || got.Name != "c" {
		t.Errorf("it leads to %v", got)
	}
}

func TestAServiceLeadsToAPortByItsName(t *testing.T) {
	pod := newPod("gw", "10.200.1.10")
	for name, want := range map[string]uint16{"metrics": 8082, "missing": 0} {
		if got := targetPort(corev1.ServicePort{TargetPort: intstr.FromString(name)}, &pod); got != want {
			t.Errorf("%s: got %d, want %d", name, got, want)
		}
	}
}

func TestAServiceWithoutSelectorOrAddressAsksForNothing(t *testing.T) {
	headless, bare := newService(), newService()
	headless.Spec.ClusterIPs = []string{corev1.ClusterIPNone}
	headless.Spec.Ports[0].NodePort, headless.Status = 0, corev1.ServiceStatus{}
	bare.Spec.Selector, bare.Status = nil, corev1.ServiceStatus{}
	services := []corev1.Service{headless, bare}
	got := translations(services, []corev1.Pod{newPod("gw", "10.200.1.10")}, nil, nodeIP)
	if led := balancers(services); len(got) > 0 || len(led) > 0 {
		t.Errorf("got %+v, and %v", got, led)
	}
}

func TestAConnectionIsForgottenOnlyIfItsServiceLeadsElsewhere(t *testing.T) {
	rules := stale{udp("172.18.0.3:31234", "10.200.1.11:51840")}
	for name, test := range map[string]struct {
		to, actual string
		protocol   uint8
		forgotten  bool
	}{
		"to the pod before":                {"172.18.0.3:31234", "10.200.1.10:51840", unix.IPPROTO_UDP, true},
		"to a port of the pod before":      {"172.18.0.3:31234", "10.200.1.11:51841", unix.IPPROTO_UDP, true},
		"from before there was a Service":  {"172.18.0.3:31234", "172.18.0.3:31234", unix.IPPROTO_UDP, true},
		"to the pod":                       {"172.18.0.3:31234", "10.200.1.11:51840", unix.IPPROTO_UDP, false},
		"over TCP":                         {"172.18.0.3:31234", "10.200.1.10:51840", unix.IPPROTO_TCP, false},
		"to a node port that is no longer": {"172.18.0.3:31233", "10.200.1.10:51840", unix.IPPROTO_UDP, false},
	} {
		to, actual := netip.MustParseAddrPort(test.to), netip.MustParseAddrPort(test.actual)
		flow := &netlink.ConntrackFlow{
			Forward: netlink.IPTuple{Protocol: test.protocol, DstIP: to.Addr().AsSlice(), DstPort: to.Port()},
			Reverse: netlink.IPTuple{Protocol: test.protocol, SrcIP: actual.Addr().AsSlice(), SrcPort: actual.Port()},
		}
		if forgotten := rules.MatchConntrackFlow(flow); forgotten != test.forgotten {
			t.Errorf("%s: forgotten: %t", name, forgotten)
		}
	}
}

func TestAPodAnswersAtThePortsThatItDeclaresBesides80(t *testing.T) {
	pod := newPod("gw", "10.200.1.10")
	pod.Spec.Containers[0].Ports = append(pod.Spec.Containers[0].Ports,
		corev1.ContainerPort{ContainerPort: 80}, corev1.ContainerPort{ContainerPort: 53, Protocol: corev1.ProtocolUDP})
	if got := ports(pod.Spec.Containers); !slices.Equal(got, []uint16{8082}) {
		t.Errorf("got %v", got)
	}
}
