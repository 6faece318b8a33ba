package peerings

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

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

// use is what a gateway's pod has used since its start, and the memory that it uses now.
type use struct{ seconds, megabytes, packets, bytes float64 }

// uses records what the gateway of Rome's shortcut uses while something happens, with all packets of its tunnel.
func uses(t *testing.T, lab *acctest.RealLab, load string, happens func()) {
	t.Helper()
	before, began := useOf(t, lab), time.Now()
	happens()
	after, took := useOf(t, lab), time.Since(began).Seconds()
	lab.Record(t, fmt.Sprintf("BenchmarkGateway/load=%s 1 %.3f cores %.1f MB %.2f packets/s %.0f bytes/s", load,
		(after.seconds-before.seconds)/took, after.megabytes,
		(after.packets-before.packets)/took, (after.bytes-before.bytes)/took))
}

// useOf adds up the programs in the gateway's pod, as the machine's kernel sees them. All that passes its eth0 is
// WireGuard's.
func useOf(t *testing.T, lab *acctest.RealLab) (sum use) {
	t.Helper()
	pod := lab.GatewayPod(t, "rome", client.InNamespace("liqo-tenant-milan"))
	number := func(text string) float64 {
		value, err := strconv.ParseFloat(text, 64)
		acctest.Must(t, err)
		return value
	}
	read := func(process, file string) string {
		content, err := os.ReadFile("/proc/" + process + "/" + file)
		acctest.Must(t, err)
		return string(content)
	}
	for _, program := range []string{"liqo-gateway", "liqo-wireguard"} {
		process := strconv.Itoa(lab.ProcessIn(t, "rome", pod, program))
		const ticks, megabyte = 100, 1e6                        // a second, and bytes
		_, after, _ := strings.Cut(read(process, "stat"), ") ") // from the third field on
		fields := strings.Fields(after)
		sum.seconds += (number(fields[11]) + number(fields[12])) / ticks
		sum.megabytes += number(fields[21]) * float64(os.Getpagesize()) / megabyte

		_, eth0, _ := strings.Cut(read(process, "net/dev"), "eth0:") // the same for both
		fields = strings.Fields(eth0)
		sum.bytes, sum.packets = number(fields[0])+number(fields[8]), number(fields[1])+number(fields[9])
	}
	return sum
}
