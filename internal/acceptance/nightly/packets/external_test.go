package packets

import (
	"fmt"
	"net/netip"
	"testing"

	ipamv1alpha1 "github.com/liqotech/liqo/apis/ipam/v1alpha1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccPacketsReachAHostThatOnlyTheOtherLeafReaches(t *testing.T) {
	lab := acctest.BorrowReal(t, acctest.Plane)
	const port = 31580
	lab.Have(t, "europe", &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "a"},
		Spec: corev1.ServiceSpec{
			Type: corev1.ServiceTypeNodePort, Selector: map[string]string{"run": "a"},
			Ports: []corev1.ServicePort{{Port: 80, NodePort: port}},
		},
	})
	// Europe's node is a host of Milan's, outside any of Milan's ranges. Rome does not reach it.
	host := lab.NodeAddress(t, "europe")
	lab.Link(t, "rome", "europe")("--down")
	p := lab.Join(t, "milan", acctest.OverNodePort)
	lab.ReachesNot(t, "rome", host)

	// The host knows no way to Rome's pods. It sees the address of Milan's node instead of theirs.
	spec := ipamv1alpha1.IPSpec{IP: networkingv1beta1.IP(host), Masquerade: new(true)}
	published := publish(t, lab, "milan", spec)
	at := remapped(p.Project, published, "liqo_shortcut.rome_milan.server_network", "external_cidr")
	if at == published {
		t.Errorf("%s is not remapped, though both leaves have the same external CIDR", published)
	}
	lab.ReachesSoon(t, "rome", at)
	lab.Reaches(t, "rome", at)
	lab.Answers(t, "rome", fmt.Sprintf("%s:%d", at, port), "europe", lab.NodeAddress(t, "milan"))
	p.Run("destroy", "-auto-approve")
	lab.ReachesNot(t, "rome", at)
}

func TestAccPacketsAreFasterOverTheShortcutThanThroughTheCentre(t *testing.T) {
	lab := acctest.BorrowReal(t, acctest.Plane)
	hub := lab.Applied(t, lab.Contexts(`
		resource "liqo_shortcut" "hub" {
		  for_each       = toset(["rome", "milan"])
		  client         = "europe"
		  server         = each.key
		  server_gateway = { service_type = "NodePort" }
		}`))
	lab.ReachesNot(t, "rome", lab.Pods["milan"])

	// Europe publishes the pod of Milan for Rome. To Milan, a packet that comes from no pod of Europe has the first
	// external address of Europe.
	const toRome, toMilan = `liqo_shortcut.hub["rome"]`, `liqo_shortcut.hub["milan"]`
	pod := remapped(hub, lab.Pods["milan"], toMilan+".server_network", "pod_cidrs")
	published := publish(t, lab, "europe", ipamv1alpha1.IPSpec{IP: networkingv1beta1.IP(pod)})
	throughCentre := remapped(hub, published, toRome+".client_network", "external_cidr")
	external, err := netip.ParsePrefix(lab.Cluster(t, "europe").ExternalCIDR)
	acctest.Must(t, err)
	source := remapped(hub, external.Addr().String(), toMilan+".client_network", "external_cidr")
	lab.ReachesSoon(t, "rome", throughCentre)
	p := lab.Join(t, "milan", acctest.OverNodePort)
	p.Works()
	lab.Answers(t, "rome", throughCentre, "milan", source)

	links := []func(flags ...string){
		lab.Link(t, "europe", "rome"), lab.Link(t, "europe", "milan"), lab.Link(t, "rome", "milan"),
	}
	for _, delay := range []float64{0, 20, 50} { // milliseconds
		for _, link := range links {
			link(fmt.Sprintf("--delay=%vms", delay))
		}
		var ping, http [2]float64 // through the centre, and over the shortcut
		for i, address := range []string{throughCentre, p.ServerAt} {
			ping[i] = lab.Fastest(t, "ping", "rome", address, 5, "")
			http[i] = lab.Fastest(t, "http", "rome", "http://"+address, 5, "milan/")
			// A ping goes there and back. HTTP does so for the connection, which each request has, and again for the request.
			if there := delay * []float64{2, 1}[i]; ping[i] < 2*there || http[i] < 4*there {
				t.Errorf("%s, with %v ms for each link, is too fast", address, delay)
			}
		}
		t.Logf("with %v ms for each link, a ping from Rome to Milan takes %.1f ms through the centre, and %.1f ms over the "+
			"shortcut; HTTP takes %.1f and %.1f ms", delay, ping[0], ping[1], http[0], http[1])
		if delay > 0 && (ping[1] >= ping[0] || http[1] >= http[0]) {
			t.Errorf("with %v ms for each link, the shortcut is not faster", delay)
		}
	}
}

// publish lets the other leaves of a cluster reach an address that the cluster reaches. It returns the address in the
// cluster's external CIDR that stands for it. Liqo takes it back when the test ends.
func publish(t *testing.T, l *acctest.RealLab, cluster string, spec ipamv1alpha1.IPSpec) string {
	t.Helper()
	const name = "published"
	l.Have(t, cluster, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
	ip := &ipamv1alpha1.IP{ObjectMeta: metav1.ObjectMeta{Namespace: name, Name: name}, Spec: spec}
	acctest.Must(t, l.Client(t, cluster).Create(t.Context(), ip))
	acctest.Await(t, l.Lab, cluster, &ipamv1alpha1.IPList{}, name, func(assigned *ipamv1alpha1.IP) bool {
		ip = assigned
		return assigned.Status.IP != ""
	})
	return ip.Status.IP.String()
}

// remapped returns where the other leaf of a network reaches an address. The address is in one of the network's ranges,
// such as external_cidr.
func remapped(p *acctest.Project, address, network, cidr string) string {
	p.T.Helper()
	return p.Evaluate(fmt.Sprintf(
		"provider::liqo::remap_ip(%q, one(flatten([%[2]s.%[3]s])), one(flatten([%[2]s.remapped_%[3]s])))",
		address, network, cidr))
}
