package acctest

import (
	"context"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-testing/plancheck"
)

type planCheck func(context.Context, plancheck.CheckPlanRequest, *plancheck.CheckPlanResponse)

func (f planCheck) CheckPlan(ctx context.Context, req plancheck.CheckPlanRequest, resp *plancheck.CheckPlanResponse) {
	f(ctx, req, resp)
}

// RequestsAre passes on the number of requests by the provider until now.
func (l *Lab) RequestsAre(note func(counts map[string]int)) plancheck.PlanCheck {
	return planCheck(func(ctx context.Context, _ plancheck.CheckPlanRequest, resp *plancheck.CheckPlanResponse) {
		counts, err := l.Requests(ctx)
		note(counts)
		resp.Error = err
	})
}

// Requests counts the requests to the clusters with the common kubeconfig, by cluster, verb and resource.
func (l *Lab) Requests(ctx context.Context) (map[string]int, error) {
	output, err := exec.CommandContext(ctx, LabProgram, "requests", "--dir", l.Dir).Output()
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

// Total returns the number of all requests.
func Total(counts map[string]int) int {
	sum := 0
	for _, count := range counts {
		sum += count
	}
	return sum
}

// Listed returns a line for each verb and resource.
func Listed(counts map[string]int) string {
	var text strings.Builder
	for _, what := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(&text, "\n  %3d %s", counts[what], what)
	}
	return text.String()
}
