package peerings

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// Europe and Rome have the same pod CIDR, so Europe remaps Rome's.
func TestAccPacketsToAServiceTakeTheShortcut(t *testing.T) {
	lab := acctest.WithPods(t, acctest.UseUp(t, []string{
		"--dataplane=real", "--peer=europe=rome", "--peer=europe=milan",
		"--cluster=europe=10.202.0.0/16", "--cluster=rome=10.202.0.0/16", "--cluster=milan=10.203.0.0/16",
	}))
	shop := openShop(t, lab.Lab, "milan")
	// The Service in Rome has no pod there.
	web := acctest.Get[corev1.Service](t, lab.Lab, "rome", "shop", "web").Spec.ClusterIP
	const toCentre, toLeaf = 20.0, 25.0 // milliseconds, one way
	for pair, delay := range map[[2]string]float64{
		{"europe", "rome"}: toCentre, {"europe", "milan"}: toCentre, {"rome", "milan"}: toLeaf,
	} {
		lab.Link(t, pair[0], pair[1])(fmt.Sprintf("--delay=%vms", delay))
	}
	// Rome's pod asks the Service fifty times, as soon as Rome's node leads it anywhere. Milan's pod must answer. A
	// request is a round trip for the connection, and another one for the answer.
	roundTrip := func() float64 {
		t.Helper()
		lab.GetsAnswer(t, "rome", web)
		return lab.Fastest(t, "http", "rome", "http://"+web, 50, "milan/shop/web-milan") / 2
	}
	// Three connections, one after the other, bring a large answer each.
	throughput := func() float64 {
		t.Helper()
		const bytes = 100_000_000
		result := lab.Probe(t, "http", "rome", fmt.Sprintf("http://%s/?bytes=%d", web, bytes), "--count=3", "--timeout=5m")
		if result.Lost > 0 {
			t.Fatalf("no connection brings %d bytes: %+v", bytes, result)
		}
		return bytes * 8 / 1000 / result.Min
	}
	flow := func(way string) (milliseconds float64) {
		t.Helper()
		milliseconds = roundTrip()
		line := fmt.Sprintf("BenchmarkTraffic/way=%s 1 %.1f rtt-ms", way, milliseconds)
		t.Log(line)
		if acctest.Measures() {
			lab.Record(t, fmt.Sprintf("%s %.1f Mbit/s", line, throughput()))
		}
		return milliseconds
	}
	through := flow("centre")

	p := lab.Applied(t, lab.Contexts(acctest.ShortcutRomeMilan+`
		resource "liqo_direct_service" "web" {
		  cluster    = "europe"
		  namespace  = "shop"
		  name       = "web"
		  depends_on = [liqo_shortcut.rome_milan]
		}`))
	shop.leads(t, "rome", "web-milan", directly)
	over := flow("shortcut")
	if through < 4*toCentre || over < 2*toLeaf || over >= through {
		t.Errorf("with %v ms to Europe and %v ms to Milan, a round trip took %v ms and %v ms",
			toCentre, toLeaf, through, over)
	}
	if acctest.Measures() {
		idle := func() { time.Sleep(time.Minute) } //nolint:forbidigo // what an idle minute takes is measured
		uses(t, lab, "none", idle)
		uses(t, lab, "flow", func() { throughput() })
	}

	p.Run("destroy", "-auto-approve")
	if again := roundTrip(); again < 4*toCentre {
		t.Errorf("after the destroy, a round trip took %v ms", again)
	}

	t.Log("Europe reaches the pods of Rome at other addresses than their own.")
	shop.runs(t, "rome")
	shop.leads(t, "milan", "web-rome", centrally)
	p.Run("apply", "-auto-approve", "-target", "liqo_shortcut.rome_milan")
	expected := []string{
		`Leaf "milan" can't use direct connections`,
		`The central cluster, "europe", reaches the pods of "rome" at other addresses`,
		"it remaps 10.202.0.0/16 to 10.", "Liqo 1.2.0 can't translate these addresses", `Give "rome" a pod CIDR`,
	}
	acctest.Says(t, p.Run("plan"), expected...)
	acctest.Says(t, p.Run("apply", "-auto-approve"), expected...)
	acctest.Says(t, p.Run("state", "show", webDirect), `status = "Partial"`, `path = "Central"`, `path = "Direct"`)
}
