package packets

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"text/tabwriter"

	ipamv1alpha1 "github.com/liqotech/liqo/apis/ipam/v1alpha1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// hub joins Europe with Rome and with Milan.
func hub(t *testing.T, l *acctest.RealLab) *acctest.Project {
	t.Helper()
	p := l.NewProject(t, t.TempDir())
	acctest.DestroyAtLast(p)
	p.Write("main.tf", l.Contexts(`
		resource "liqo_shortcut" "hub" {
		  for_each       = toset(["rome", "milan"])
		  client         = "europe"
		  server         = each.key
		  server_gateway = { service_type = "NodePort" }
		}`))
	p.Apply()
	return p
}

// throughCentre lets Rome reach the pod of Milan through Europe, and returns where. Milan sees the source.
func throughCentre(t *testing.T, l *acctest.RealLab, hub *acctest.Project) (address, source string) {
	t.Helper()
	const toRome, toMilan = `liqo_shortcut.hub["rome"]`, `liqo_shortcut.hub["milan"]`
	pod := remapped(hub, l.Pods["milan"], toMilan+".server_network", "pod_cidrs")
	published := publish(t, l, "europe", ipamv1alpha1.IPSpec{IP: networkingv1beta1.IP(pod)})
	// To Milan, a packet that comes from no pod of Europe has the first external address of Europe.
	external, err := netip.ParsePrefix(l.Cluster(t, "europe").ExternalCIDR)
	if err != nil {
		t.Fatal(err)
	}
	address = remapped(hub, published, toRome+".client_network", "external_cidr")
	return address, remapped(hub, external.Addr().String(), toMilan+".client_network", "external_cidr")
}

func TestAccPacketsAreFasterOverTheShortcutThanThroughTheCentre(t *testing.T) {
	lab := acctest.BorrowReal(t, acctest.Plane)
	hub := hub(t, lab)
	lab.ReachesNot(t, "rome", lab.Pods["milan"])
	throughCentre, source := throughCentre(t, lab, hub)
	lab.ReachesSoon(t, "rome", throughCentre)
	p := lab.Join(t, "milan", acctest.OverNodePort)
	p.Works()
	lab.Answers(t, "rome", throughCentre, "milan", source)

	paths := []struct {
		name, address string
		links         float64
	}{{"through the centre", throughCentre, 2}, {"shortcut", p.ServerAt, 1}}
	links := []func(flags ...string){
		lab.Link(t, "europe", "rome"), lab.Link(t, "europe", "milan"), lab.Link(t, "rome", "milan"),
	}
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "DELAY OF EACH LINK\tPATH\tPING\tHTTP")
	for _, delay := range []float64{0, 20, 50} { // milliseconds
		for _, link := range links {
			link(fmt.Sprintf("--delay=%vms", delay))
		}
		var latencies [2]latency
		for i, path := range paths {
			latencies[i] = latencyTo(t, lab, "rome", path.address)
			fmt.Fprintf(w, "%v ms\t%s\t%.1f ms\t%.1f ms\n", delay, path.name, latencies[i].ping, latencies[i].http)
			// A ping goes there and back. HTTP does so for the connection, and again for the request.
			if there := delay * path.links; latencies[i].ping < 2*there || latencies[i].http < 4*there {
				t.Errorf("%s, with %v ms for each link: %+v is too fast", path.name, delay, latencies[i])
			}
		}
		if delay > 0 && (latencies[1].ping >= latencies[0].ping || latencies[1].http >= latencies[0].http) {
			t.Errorf("with %v ms for each link, the shortcut is not faster: %+v", delay, latencies)
		}
	}
	_ = w.Flush() // into memory
	t.Logf("from Rome to Milan, the fastest of five\n%s", &table)
}

// latency is the shortest time from a request to its answer, in milliseconds. The average would also show how busy the
// machine is.
type latency struct{ ping, http float64 }

// latencyTo measures how fast a pod answers the pod of a cluster. Each HTTP request has its own connection.
func latencyTo(t *testing.T, l *acctest.RealLab, cluster, address string) latency {
	t.Helper()
	options := []string{"--count=5", "--interval=20ms", "--timeout=5s"}
	ping := l.Probe(t, "ping", cluster, address, options...)
	http := l.Probe(t, "http", cluster, "http://"+address, options...)
	if ping.Lost > 0 || http.Lost > 0 {
		t.Fatalf("%s does not always answer: %+v, %+v", address, ping, http)
	}
	return latency{ping.Min, http.Min}
}
