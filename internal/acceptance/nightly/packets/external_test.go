package packets

import (
	"fmt"
	"testing"

	ipamv1alpha1 "github.com/liqotech/liqo/apis/ipam/v1alpha1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccPacketsReachAHostThatOnlyTheOtherLeafReaches(t *testing.T) {
	lab := acctest.BorrowReal(t, acctest.Plane)
	const port = 31580
	lab.Have(t, "europe", acctest.Named(&corev1.Service{Spec: corev1.ServiceSpec{
		Type: corev1.ServiceTypeNodePort, Selector: map[string]string{"run": "a"},
		Ports: []corev1.ServicePort{{Port: 80, NodePort: port}},
	}}, "default", "a"))
	// Europe's node is a host of Milan's, outside any of Milan's ranges. Rome does not reach it.
	host := lab.NodeAddress(t, "europe")
	lab.Link(t, "rome", "europe")("--down")
	p := lab.Join(t, "milan", acctest.OverNodePort)
	lab.ReachesNot(t, "rome", host)

	// The host knows no way to Rome's pods. It sees the address of Milan's node instead of theirs. Liqo takes back what
	// stands for the host in Milan's external CIDR when the test ends.
	const name = "published"
	lab.Have(t, "milan", acctest.NamespaceNamed(name))
	acctest.Must(t, lab.Client(t, "milan").Create(t.Context(), acctest.Named(&ipamv1alpha1.IP{
		Spec: ipamv1alpha1.IPSpec{IP: networkingv1beta1.IP(host), Masquerade: new(true)},
	}, name, name)))
	var published string
	acctest.Await(t, lab.Lab, "milan", &ipamv1alpha1.IPList{}, name, func(assigned *ipamv1alpha1.IP) bool {
		published = assigned.Status.IP.String()
		return published != ""
	})
	const network = acctest.RomeMilan + ".server_network"
	at := p.Evaluate(fmt.Sprintf("provider::liqo::remap_ip(%q, %[2]s.external_cidr, %[2]s.remapped_external_cidr)",
		published, network))
	if at == published {
		t.Errorf("%s is not remapped, though both leaves have the same external CIDR", published)
	}
	lab.ReachesSoon(t, "rome", at)
	lab.Reaches(t, "rome", at)
	lab.Answers(t, "rome", fmt.Sprintf("%s:%d", at, port), "europe", lab.NodeAddress(t, "milan"))
	p.Run("destroy", "-auto-approve")
	lab.ReachesNot(t, "rome", at)
}
