package protocol

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

// mostRequests is the maximum number of requests of a refresh to one leaf, for any number of shortcuts.
const mostRequests = 12

func TestARefreshOfThreeShortcutsNeedsTheSameRequestsAsOfOne(t *testing.T) {
	l := leavesFor(t, topology...)
	shortcut := func(client, server string) string {
		return fmt.Sprintf(`
			resource "liqo_shortcut" "%[1]s_%[2]s" {
			  client         = %[1]q
			  server         = %[2]q
			  server_gateway = { service_type = "NodePort" }
			}`, client, server)
	}
	p := l.project(t, shortcut("rome", "milan"))
	p.apply()
	forOne := p.refreshed()
	p.configure(shortcut("rome", "milan") + shortcut("rome", "naples") + shortcut("milan", "naples"))
	p.apply()
	forThree := p.refreshed()

	for _, name := range []string{"rome", "milan"} {
		if all := len(forOne[name]); all == 0 || all > mostRequests {
			t.Errorf("a refresh of one shortcut makes %d requests to %s, not 1 to %d:\n%v",
				all, name, mostRequests, forOne[name])
		}
		if !slices.Equal(forOne[name], forThree[name]) {
			t.Errorf("requests of a refresh to %s for one shortcut:\n%v\nfor three:\n%v",
				name, forOne[name], forThree[name])
		}
	}
	if !slices.Equal(forThree["naples"], forThree["rome"]) {
		t.Errorf("requests of a refresh of three shortcuts to naples:\n%v\nto rome:\n%v",
			forThree["naples"], forThree["rome"])
	}
}

// refreshed returns the requests of a plan without changes, sorted, by the names of the leaves.
func (p *project) refreshed() map[string][]clustertest.Request {
	p.t.Helper()
	for _, one := range p.leaves.all {
		one.Take() // only later ones
	}
	plan := p.plan()
	plan.isEmpty()
	plan.doesNotSay("can't be read") // a leaf that is left out is asked for less
	requests := map[string][]clustertest.Request{}
	for name, one := range p.leaves.all {
		requests[name] = one.Take()
		slices.SortFunc(requests[name], func(a, b clustertest.Request) int {
			return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Method, b.Method))
		})
	}
	return requests
}
