package acctest

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// RequestsDuring counts the requests to the clusters with the common kubeconfig while something happens, by verb and
// resource. The result is keyed by the cluster.
func (l *Lab) RequestsDuring(t *testing.T, happens func()) map[string]map[string]int {
	t.Helper()
	before := l.requests(t)
	happens()
	after := l.requests(t)
	made := map[string]map[string]int{}
	for _, c := range l.Clusters {
		made[c.Name] = map[string]int{}
	}
	for request, count := range after {
		if name, what, _ := strings.Cut(request, " "); count > before[request] {
			made[name][what] = count - before[request]
		}
	}
	return made
}

// requests counts all requests until now, by cluster, verb and resource.
func (l *Lab) requests(t *testing.T) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for line := range strings.Lines(l.Output(t, "requests")) {
		end := strings.LastIndex(line, " ")
		count, err := strconv.Atoi(strings.TrimSpace(line[end+1:]))
		Must(t, err)
		counts[line[:end]] = count
	}
	return counts
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
