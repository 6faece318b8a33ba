package topology

import (
	"maps"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// mostRequests is the maximum number of requests of a refresh to one cluster, for any number of shortcuts.
const mostRequests = 12

func TestAccARefreshOfThreeShortcutsNeedsTheSameRequestsAsOfOne(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	one := acctest.Joining("rome_milan", "rome", "milan", "")
	p := lab.Written(t, lab.Contexts(one))
	p.Again()
	forOne := lab.RequestsDuring(t, p.Unchanged)
	p.Write("main.tf", lab.Contexts(one+acctest.Joining("rome_naples", "rome", "naples", "")+
		acctest.Joining("milan_naples", "milan", "naples", "")))
	p.Again()
	forThree := lab.RequestsDuring(t, p.Unchanged)

	for _, name := range []string{"rome", "milan"} {
		alone, among := forOne[name], forThree[name]
		if acctest.Total(alone) == 0 || acctest.Total(alone) > mostRequests {
			t.Errorf(
				"a refresh of one shortcut makes %d requests to %s, not 1 to %d:%s", acctest.Total(alone), name, mostRequests,
				acctest.Listed(alone))
		}
		if !maps.Equal(alone, among) {
			t.Errorf("requests of a refresh to %s for one shortcut:%s\nfor three:%s", name, acctest.Listed(alone),
				acctest.Listed(among))
		}
	}
	if naples := forThree["naples"]; !maps.Equal(naples, forThree["rome"]) {
		t.Errorf("requests of a refresh of three shortcuts to naples:%s\nto rome:%s", acctest.Listed(naples),
			acctest.Listed(forThree["rome"]))
	}
}
