package acceptance

import (
	"context"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
)

// mostRequests is the maximum number of requests of a refresh to one cluster, for any number of shortcuts.
const mostRequests = 12

func TestAccARefreshOfThreeShortcutsNeedsTheSameRequestsAsOfOne(t *testing.T) {
	lab := borrowTopology(t)
	const one = `
		rome-milan = { client = "rome", server = "milan" }`
	const three = one + `
		rome-naples  = { client = "rome", server = "naples" }
		milan-naples = { client = "milan", server = "naples" }`
	forOne, forThree := refresh{lab: lab}, refresh{lab: lab}
	apply(t, forOne.counted(one), forThree.counted(three), resource.TestStep{Config: lab.contexts("")})

	for _, name := range []string{"rome", "milan"} {
		alone, among := forOne.of(name), forThree.of(name)
		if total(alone) == 0 || total(alone) > mostRequests {
			t.Errorf(
				"a refresh of one shortcut makes %d requests to %s, not 1 to %d:%s", total(alone), name, mostRequests,
				listed(alone),
			)
		}
		if !maps.Equal(alone, among) {
			t.Errorf("requests of a refresh to %s for one shortcut:%s\nfor three:%s", name, listed(alone), listed(among))
		}
	}
	if naples := forThree.of("naples"); !maps.Equal(naples, forThree.of("rome")) {
		t.Errorf(
			"requests of a refresh of three shortcuts to naples:%s\nto rome:%s", listed(naples), listed(forThree.of("rome")),
		)
	}
}

// refresh counts the requests to the clusters by one `terraform plan` without changes.
type refresh struct {
	lab           *Lab
	before, after map[string]int // keyed by cluster, verb and resource, separated by spaces
}

// counted creates these shortcuts, and counts the requests of the next plan. The test framework runs nothing else
// between the two checks.
func (r *refresh) counted(shortcuts string) resource.TestStep {
	return resource.TestStep{
		Config: r.lab.contexts(`
			resource "liqo_shortcut" "mesh" {
			  for_each       = {` + shortcuts + `
			  }
			  client         = each.value.client
			  server         = each.value.server
			  server_gateway = { service_type = "NodePort" }
			}`),
		ConfigPlanChecks: resource.ConfigPlanChecks{
			PostApplyPreRefresh: []plancheck.PlanCheck{r.lab.requestsAre(func(counts map[string]int) { r.before = counts })},
			PostApplyPostRefresh: []plancheck.PlanCheck{
				r.lab.requestsAre(func(counts map[string]int) { r.after = counts }), plancheck.ExpectEmptyPlan(),
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

type planCheck func(context.Context, plancheck.CheckPlanRequest, *plancheck.CheckPlanResponse)

func (f planCheck) CheckPlan(ctx context.Context, req plancheck.CheckPlanRequest, resp *plancheck.CheckPlanResponse) {
	f(ctx, req, resp)
}

// requestsAre passes on the number of requests by the provider until now.
func (l *Lab) requestsAre(note func(counts map[string]int)) plancheck.PlanCheck {
	return planCheck(func(ctx context.Context, _ plancheck.CheckPlanRequest, resp *plancheck.CheckPlanResponse) {
		counts, err := l.requests(ctx)
		note(counts)
		resp.Error = err
	})
}

// requests counts the requests to the clusters with the common kubeconfig, by cluster, verb and resource.
func (l *Lab) requests(ctx context.Context) (map[string]int, error) {
	output, err := exec.CommandContext(ctx, labProgram, "requests", "--dir", l.Dir).Output()
	if err != nil {
		return nil, fmt.Errorf("liqo-lab requests: %w", err)
	}
	counts := map[string]int{}
	for line := range strings.Lines(string(output)) {
		line = strings.TrimSpace(line)
		end := strings.LastIndex(line, " ")
		if counts[line[:max(end, 0)]], err = strconv.Atoi(line[end+1:]); err != nil {
			return nil, fmt.Errorf("liqo-lab requests: %w", err)
		}
	}
	return counts, nil
}

func total(counts map[string]int) int {
	sum := 0
	for _, count := range counts {
		sum += count
	}
	return sum
}

// listed returns a line for each verb and resource.
func listed(counts map[string]int) string {
	var text strings.Builder
	for _, what := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(&text, "\n  %3d %s", counts[what], what)
	}
	return text.String()
}
