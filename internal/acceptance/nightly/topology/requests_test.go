package topology

import (
	"maps"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// mostRequests is the maximum number of requests of a refresh to one cluster, for any number of shortcuts.
const mostRequests = 12

func TestAccARefreshOfThreeShortcutsNeedsTheSameRequestsAsOfOne(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	const one = `
		rome-milan = { client = "rome", server = "milan" }`
	const three = one + `
		rome-naples  = { client = "rome", server = "naples" }
		milan-naples = { client = "milan", server = "naples" }`
	forOne, forThree := refresh{lab: lab}, refresh{lab: lab}
	acctest.Apply(t, forOne.counted(one), forThree.counted(three), resource.TestStep{Config: lab.Contexts("")})

	for _, name := range []string{"rome", "milan"} {
		alone, among := forOne.of(name), forThree.of(name)
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
	if naples := forThree.of("naples"); !maps.Equal(naples, forThree.of("rome")) {
		t.Errorf("requests of a refresh of three shortcuts to naples:%s\nto rome:%s", acctest.Listed(naples),
			acctest.Listed(forThree.of("rome")))
	}
}

// refresh counts the requests to the clusters by one `terraform plan` without changes.
type refresh struct {
	lab           *acctest.Lab
	before, after map[string]int // keyed by cluster, verb and resource, separated by spaces
}

// counted creates these shortcuts, and counts the requests of the next plan. The test framework runs nothing else
// between the two checks.
func (r *refresh) counted(shortcuts string) resource.TestStep {
	return resource.TestStep{
		Config: r.lab.Contexts(`
			resource "liqo_shortcut" "mesh" {
			  for_each       = {` + shortcuts + `
			  }
			  client         = each.value.client
			  server         = each.value.server
			  server_gateway = { service_type = "NodePort" }
			}`),
		ConfigPlanChecks: resource.ConfigPlanChecks{
			PostApplyPreRefresh: []plancheck.PlanCheck{r.lab.RequestsAre(func(counts map[string]int) { r.before = counts })},
			PostApplyPostRefresh: []plancheck.PlanCheck{
				r.lab.RequestsAre(func(counts map[string]int) { r.after = counts }), plancheck.ExpectEmptyPlan(),
			},
		},
	}
}

// of returns the difference for one cluster, by verb and resource.
func (r *refresh) of(cluster string) map[string]int {
	difference := map[string]int{}
	for request, count := range r.after {
		name, what, _ := strings.Cut(request, " ")
		if more := count - r.before[request]; name == cluster && more > 0 {
			difference[what] = more
		}
	}
	return difference
}
