package acceptance

import (
	"fmt"
	"testing"
)

// hub joins Europe with Rome and with Milan, and says where each of the two reaches Europe's pod.
func (l *realLab) hub(t *testing.T) (atRome, atMilan string) {
	t.Helper()
	p := l.newProject(t, t.TempDir())
	destroyAtLast(p)
	p.write("main.tf", l.contexts(fmt.Sprintf(`
		resource "liqo_shortcut" "hub" {
		  for_each       = toset(["rome", "milan"])
		  client         = "europe"
		  server         = each.key
		  server_gateway = { service_type = "NodePort" }
		}
		locals {
		  europe_at = { for leaf, shortcut in liqo_shortcut.hub : leaf => provider::liqo::remap_ip(%q,
		    one(shortcut.client_network.pod_cidrs), one(shortcut.client_network.remapped_pod_cidrs)) }
		}
		output "europe_at_rome" {
		  value = local.europe_at["rome"]
		}
		output "europe_at_milan" {
		  value = local.europe_at["milan"]
		}`, l.pods["europe"])))
	p.apply()
	return p.run("output", "-raw", "europe_at_rome"), p.run("output", "-raw", "europe_at_milan")
}

func TestAccPacketsTakeTheShortcutInsteadOfTheWayThroughTheCentre(t *testing.T) {
	lab := borrowRealLab(t)
	for _, leaf := range []string{"rome", "milan"} {
		lab.link(t, "europe", leaf)("--delay=20ms")
	}
	lab.link(t, "rome", "milan")("--delay=5ms")
	europeAtRome, europeAtMilan := lab.hub(t)
	lab.reachesNot(t, "rome", lab.pods["milan"]) // Liqo does not lead from one leaf through the centre to the other

	p := lab.join(t, "milan", overNodePort)
	p.works()
	for _, way := range []struct {
		from, to, address string
		atLeast           float64 // there and back, in milliseconds
	}{
		{"rome", "europe", europeAtRome, 40},
		{"milan", "europe", europeAtMilan, 40},
		{"rome", "milan", p.serverAt, 10},
		{"milan", "rome", p.romeAt, 10},
	} {
		result := lab.probe(t, "ping", way.from, way.address, "--count=20", "--interval=50ms", "--timeout=5s")
		t.Logf("%s to %s: %.1f ms at best, %.1f ms on average", way.from, way.to, result.Min, result.Average)
		if result.Lost > 0 || result.Min < way.atLeast || result.Min >= way.atLeast+30 {
			t.Errorf("%s to %s: %+v, expected %v ms and little more", way.from, way.to, result, way.atLeast)
		}
	}
}
