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

// The test of the first packets applies a shortcut this often. With -short, it brings up each tunnel once with each
// delay of the link.
const manyApplies, fewApplies = 50, 8

func TestAccPacketsCrossAsSoonAsApplyReturns(t *testing.T) {
	applies := manyApplies
	if testing.Short() {
		applies = fewApplies
	}
	lab := acctest.BorrowReal(t, acctest.Plane)
	p := lab.Join(t, "europe", acctest.OverNodePort)
	link := lab.Link(t, "rome", "europe")
	renewals, delays := renewals(p), []string{"0ms", "100ms"}
	counts := map[string]*[2]firstPings{}
	for i := range applies {
		renewal, slow := renewals[i%len(renewals)], i*len(delays)/applies
		link("--delay", delays[slow])
		renewal.prepare(i)
		p.Run("apply", "-auto-approve")
		pings := pingFirst(p)
		if pings.answered < pings.sent {
			t.Errorf("%s, with a delay of %s: %s first pings are answered", renewal.name, delays[slow], pings)
		}
		if counts[renewal.name] == nil {
			counts[renewal.name] = &[2]firstPings{}
		}
		counts[renewal.name][slow].add(pings)
	}
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "FIRST PINGS ANSWERED, DELAY OF THE LINK\t%s\n", strings.Join(delays, "\t"))
	for _, renewal := range renewals {
		fmt.Fprintf(w, "%s\t%s\t%s\n", renewal.name, counts[renewal.name][0], counts[renewal.name][1])
	}
	_ = w.Flush() // into memory
	t.Logf("%d applies, a ping in each direction after each\n%s", applies, &table)
}

// renewal makes the next apply bring up another tunnel.
type renewal struct {
	name    string
	prepare func(number int)
}

func renewals(p *acctest.PacketPair) []renewal {
	return []renewal{
		{"create", func(int) { p.Run("destroy", "-auto-approve") }},
		{"repair of a deleted GatewayClient", func(int) {
			removeGateway(p.T, p.Lab, "rome", &networkingv1beta1.GatewayClient{}, p.Server)
		}},
		{"repair of a deleted GatewayServer", func(int) {
			removeGateway(p.T, p.Lab, p.Server, &networkingv1beta1.GatewayServer{}, "rome")
		}},
		{
			"update of the MTU",
			func(number int) { p.Configure(fmt.Sprintf("%s\nmtu = %d", acctest.OverNodePort, 1300+number)) },
		},
	}
}

// removeGateway deletes a cluster's gateway to another one, and returns when its pod is gone.
func removeGateway(t *testing.T, l *acctest.RealLab, at string, gateway client.Object, of string) {
	t.Helper()
	removed := l.Gone(t, at, &corev1.PodList{})
	gateway.SetNamespace("liqo-tenant-" + of)
	gateway.SetName(of)
	if err := l.Client(t, at).Delete(t.Context(), gateway); err != nil {
		t.Fatal(err)
	}
	<-removed
}

// firstPings is how many first pings were answered, of those that were sent.
type firstPings struct{ answered, sent int }

func (f firstPings) String() string { return fmt.Sprintf("%d of %d", f.answered, f.sent) }

func (f *firstPings) add(more firstPings) {
	f.answered += more.answered
	f.sent += more.sent
}

// pingFirst sends one ping from each of the two pods to the other one, at the same time.
func pingFirst(p *acctest.PacketPair) firstPings {
	p.T.Helper()
	var pings firstPings
	for _, wait := range []func(...os.Signal) acctest.ProbeResult{
		p.Lab.StartProbe(p.T, "ping", "rome", p.ServerAt, "--count=1", "--timeout=5s"),
		p.Lab.StartProbe(p.T, "ping", p.Server, p.RomeAt, "--count=1", "--timeout=5s"),
	} {
		result := wait()
		pings.add(firstPings{result.Received, result.Sent})
	}
	return pings
}
