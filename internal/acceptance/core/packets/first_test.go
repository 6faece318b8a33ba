package packets

import (
	"fmt"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccPacketsCrossAsSoonAsApplyReturns(t *testing.T) {
	applies := acctest.OrShort(50, 8) // at least, each tunnel comes up once with each delay of the link
	lab := acctest.BorrowReal(t, acctest.Plane)
	p := lab.Join(t, "europe", acctest.OverNodePort)
	link := lab.Link(t, "rome", "europe")
	isRemoved := func(at string, gateway client.Object, of string) {
		pod := lab.Gone(t, at, &corev1.PodList{})
		acctest.Must(t, lab.Client(t, at).Delete(t.Context(), acctest.Named(gateway, "liqo-tenant-"+of, of)))
		<-pod
	}
	renewals := []struct {
		name    string
		prepare func(number int) // makes the next apply bring up another tunnel
	}{
		{"create", func(int) { p.Run("destroy", "-auto-approve") }},
		{"repair of a deleted GatewayClient", func(int) {
			isRemoved("rome", &networkingv1beta1.GatewayClient{}, "europe")
		}},
		{"repair of a deleted GatewayServer", func(int) {
			isRemoved("europe", &networkingv1beta1.GatewayServer{}, "rome")
		}},
		{"update of the MTU", func(number int) {
			p.Configure(fmt.Sprintf("%s\nmtu = %d", acctest.OverNodePort, 1300+number))
		}},
	}
	delays := []string{"0ms", "100ms"}
	for i := range applies {
		renewal, delay := renewals[i%len(renewals)], delays[i*len(delays)/applies]
		link("--delay", delay)
		renewal.prepare(i)
		p.Run("apply", "-auto-approve")
		for at, wait := range map[string]acctest.Ending{ // at the same time
			"rome":   lab.StartProbe(t, "ping", "rome", p.ServerAt, "--count=1", "--timeout=5s"),
			"europe": lab.StartProbe(t, "ping", "europe", p.RomeAt, "--count=1", "--timeout=5s"),
		} {
			if first := wait(); first.Lost > 0 || first.Sent == 0 {
				t.Errorf("%s, with a delay of %s: %s gets no answer to its first ping", renewal.name, delay, at)
			}
		}
	}
}
