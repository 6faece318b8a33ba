package explain

import (
	"cmp"
	"strings"
	"testing"

	ipamv1alpha1 "github.com/liqotech/liqo/apis/ipam/v1alpha1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

// home is the addresses of the pod of a gateway, and of its node.
type home struct{ pod, node []string }

func (h home) of(pod *corev1.Pod) *corev1.Pod {
	for _, ip := range h.pod {
		pod.Status.PodIPs = append(pod.Status.PodIPs, corev1.PodIP{IP: ip})
	}
	for _, ip := range h.node {
		pod.Status.HostIPs = append(pod.Status.HostIPs, corev1.HostIP{IP: ip})
	}
	return pod
}

// diallingAt is Rome's gateway, which dials this address, its Deployment and its key of Milan.
func diallingAt(address string) []client.Object {
	gateway := diallingGateway()
	gateway.Spec.Endpoint.Addresses = []string{address}
	deployment := &appsv1.Deployment{ObjectMeta: inTenant("milan", "deployment")}
	return []client.Object{gateway, deployment, clustertest.PublicKey("milan")}
}

// diallingFrom is Rome's end of a tunnel that is down. Its gateway lives there and dials this address.
func diallingFrom(t *testing.T, from home, address string) Subject {
	t.Helper()
	pod := from.of(readyPod())
	pod.ObjectMeta = inTenant("milan", "pod")
	objects := append(diallingAt(address), pod, record("milan"),
		clustertest.Connection("milan", networkingv1beta1.ConnectionError),
		clustertest.Range("pod-cidr", "10.200.0.0/16"), clustertest.Range("service-cidr", "10.96.0.0/16"),
		clustertest.Range("reserved", "172.18.0.0/16"))
	return of(clustertest.Leaf(t, "rome", objects...), "milan", objects...)
}

func TestAnAddressThatMayNotLeadToTheServerIsDoubtedByWhatTheClientHas(t *testing.T) {
	lan := home{[]string{"10.200.0.11"}, []string{"172.18.0.2"}}
	const private = ` is a private address, and the node of the gateway of "rome" has `
	for name, test := range map[string]struct {
		from    home
		address string
		doubt   string // empty for none
	}{
		"the same network":   {lan, "172.18.0.3", ""},
		"another part of it": {lan, "172.18.254.3", ""},
		"a public address":   {lan, "203.0.113.10", ""},
		"a node's address in the network of the pods, as the client's own": {
			home{lan.pod, []string{"10.200.9.2"}}, "10.200.0.77", "",
		},
		"a name that the gateway resolves": {lan, "milan.example.com", ""},
		"nothing known of the client":      {home{}, "192.168.7.3", ""},
		"both families": {
			home{[]string{"10.200.0.11", "fd00:200::11"}, []string{"172.18.0.2", "2001:db8:1::2"}}, "2001:db8:7::10", "",
		},
		"IPv6 of one site": {home{[]string{"fd00:200::11"}, []string{"fd00:1:1:1::2"}}, "fd00:1:1:2::3", ""},

		"the client's own address": {lan, "172.18.0.2",
			`The node of the gateway of "rome" has the address 172.18.0.2 itself, so packets to it do not leave this node.`},
		"the machine itself": {lan, "127.0.0.1", "127.0.0.1 does not lead to another machine."},
		"one link only":      {lan, "169.254.10.1", "169.254.10.1 does not lead to another machine."},
		"IPv6 without IPv6": {lan, "2001:db8::10",
			`The gateway of "rome" may not reach 2001:db8::10: its pod has no IPv6 address, only 10.200.0.11.`},
		"IPv4 without IPv4": {home{[]string{"fd00:200::11"}, nil}, "203.0.113.10",
			`The gateway of "rome" may not reach 203.0.113.10: its pod has no IPv4 address, only fd00:200::11.`},
		"a pod's address": {lan, "10.200.0.77",
			`10.200.0.77 is in 10.200.0.0/16, a range of "rome" itself, so packets to it may not leave this leaf.`},
		"a ClusterIP": {lan, "10.96.0.7",
			`10.96.0.7 is in 10.96.0.0/16, a range of "rome" itself, so packets to it may not leave this leaf.`},
		"another private network": {lan, "10.9.9.9", "10.9.9.9" + private + "172.18.0.2."},
		"a carrier's network":     {lan, "100.64.3.4", "100.64.3.4" + private + "172.18.0.2."},
		"from a public address": {home{lan.pod, []string{"198.51.100.2"}}, "192.168.1.10",
			"192.168.1.10" + private + `198.51.100.2. It may be an address that only the network of "milan" knows.`},
	} {
		t.Run(name, func(t *testing.T) {
			rome := diallingFrom(t, test.from, test.address)
			advice := "\n\n" + cmp.Or(test.doubt, `Check that the nodes of "rome" can reach `+test.address)
			clustertest.Has(t, Detail(late(t, rome)), advice)
			clustertest.Has(t, Down(t.Context(), rome, downAtMilan(t, readyPod())).Detail(), advice)
		})
	}
}

func TestAnAddressIsNotDoubtedIfTheLeafDoesNotShowWhy(t *testing.T) {
	rome := diallingFrom(t, home{[]string{"10.200.0.11"}, []string{"172.18.0.2"}}, "10.200.0.77")
	clustertest.Fail[*ipamv1alpha1.NetworkList](rome.Leaf, "list",
		apierrors.NewForbidden(schema.GroupResource{Group: "ipam.liqo.io", Resource: "networks"}, "", nil))
	text := Detail(late(t, rome))
	if strings.Contains(text, "10.200.0.77 is in") || !strings.Contains(text, "could not be read") {
		t.Errorf("got:\n%s", text)
	}
}

func TestTheOtherAddressesOfTheServersNodeAreNamed(t *testing.T) {
	for name, test := range map[string]struct {
		service  corev1.ServiceType
		address  string
		node     []string
		expected string // empty for none
	}{
		"the only one": {corev1.ServiceTypeNodePort, "172.18.0.3", []string{"172.18.0.3"}, ""},
		"IPv6 first": {corev1.ServiceTypeNodePort, "2001:db8::10", []string{"2001:db8::10", "172.18.0.3"},
			"The gateway of \"milan\" is reported at 2001:db8::10. Its node also has 172.18.0.3."},
		"a host name": {corev1.ServiceTypeNodePort, "milan-node", []string{"172.18.0.3", "fd00::3"},
			"The gateway of \"milan\" is reported at milan-node. Its node also has 172.18.0.3 and fd00::3."},
		"a load balancer": {corev1.ServiceTypeLoadBalancer, "203.0.113.1", []string{"172.18.0.3"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			gateway := exposedGateway()
			gateway.Spec.Endpoint.ServiceType, gateway.Status.Endpoint.Addresses = test.service, []string{test.address}
			server := milan(t, gateway, gatewayDeployment(), home{nil, test.node}.of(readyPod()),
				gatewayService(corev1.ServiceTypeNodePort), clustertest.PublicKey("rome"),
				clustertest.Connection("rome", networkingv1beta1.ConnectionError))
			for kind, text := range map[string]string{
				"wait": Detail(late(t, server)), "down": Down(t.Context(), downAtRome(t), server).Detail(),
			} {
				if strings.Contains(text, "is reported at") != (test.expected != "") || !strings.Contains(text, test.expected) {
					t.Errorf("%s: expected %q in:\n%s", kind, test.expected, text)
				}
			}
		})
	}
}

func TestAGatewayThatPerhapsCannotResolveTheServersName(t *testing.T) {
	without := func(address string) error {
		pod := readyPod()
		pod.ObjectMeta = inTenant("milan", "pod")
		objects := append(diallingAt(address), pod) // and no Connection
		return late(t, of(clustertest.Leaf(t, "rome", objects...), "milan", objects...))
	}
	reads(t, without("milan-node"), `perhaps the server's name is not resolved on leaf "rome"`,
		"GatewayClient liqo-tenant-milan/milan dials milan-node, UDP port 31000. Its pod has not created a Connection",
		"kubectl -n liqo-tenant-milan logs deployment/gw-milan -c wireguard",
		"If the pods of \"rome\" can't resolve this name, set `server_address`")
	reads(t, without("172.18.0.3"), `the gateway reports no connection on leaf "rome"`)
}
