package packets

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"text/tabwriter"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccPacketsCrossAsSoonAsApplyReturns(t *testing.T) {
	applies := 50
	if testing.Short() {
		applies = 8 // each tunnel comes up once with each delay of the link
	}
	lab := acctest.BorrowReal(t, acctest.Plane)
	p := lab.Join(t, "europe", acctest.OverNodePort)
	link := lab.Link(t, "rome", "europe")
	isRemoved := func(at string, gateway client.Object, of string) {
		pod := lab.Gone(t, at, &corev1.PodList{})
		gateway.SetNamespace("liqo-tenant-" + of)
		gateway.SetName(of)
		acctest.Must(t, lab.Client(t, at).Delete(t.Context(), gateway))
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
	type pings struct{ answered, sent int }
	delays, counts := []string{"0ms", "100ms"}, map[string]map[string]pings{}
	for i := range applies {
		renewal, delay := renewals[i%len(renewals)], delays[i*len(delays)/applies]
		link("--delay", delay)
		renewal.prepare(i)
		p.Run("apply", "-auto-approve")
		if counts[renewal.name] == nil {
			counts[renewal.name] = map[string]pings{}
		}
		all := counts[renewal.name][delay]
		for at, wait := range map[string]func(...os.Signal) acctest.ProbeResult{ // at the same time
			"rome":   lab.StartProbe(t, "ping", "rome", p.ServerAt, "--count=1", "--timeout=5s"),
			"europe": lab.StartProbe(t, "ping", "europe", p.RomeAt, "--count=1", "--timeout=5s"),
		} {
			first := wait()
			if first.Lost > 0 || first.Sent == 0 {
				t.Errorf("%s, with a delay of %s: %s gets no answer to its first ping", renewal.name, delay, at)
			}
			all.answered += first.Received
			all.sent += first.Sent
		}
		counts[renewal.name][delay] = all
	}
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "FIRST PINGS ANSWERED, DELAY OF THE LINK\t%s\n", strings.Join(delays, "\t"))
	for _, renewal := range renewals {
		fmt.Fprint(w, renewal.name)
		for _, delay := range delays {
			all := counts[renewal.name][delay]
			fmt.Fprintf(w, "\t%d of %d", all.answered, all.sent)
		}
		fmt.Fprintln(w)
	}
	_ = w.Flush() // into memory
	t.Logf("%d applies, a ping in each direction after each\n%s", applies, &table)
}
