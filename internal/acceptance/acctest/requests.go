package acctest

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Requests counts the requests to a cluster until now, by verb and resource.
func (l *Lab) Requests(t *testing.T, cluster string) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for line := range strings.Lines(l.Output(t, "requests")) {
		request, mine := strings.CutPrefix(strings.TrimSpace(line), cluster+" ")
		end := strings.LastIndex(request, " ")
		if count, err := strconv.Atoi(request[end+1:]); mine {
			Must(t, err)
			counts[request[:end]] = count
		}
	}
	return counts
}

// Since returns how much has been counted since before.
func Since(before, now map[string]int) map[string]int {
	grown := map[string]int{}
	for what, count := range now {
		if count > before[what] {
			grown[what] = count - before[what]
		}
	}
	return grown
}

// Total returns the sum of all counts.
func Total(counts map[string]int) int {
	sum := 0
	for _, count := range counts {
		sum += count
	}
	return sum
}

// Listed returns a line for each count.
func Listed(counts map[string]int) string {
	var text strings.Builder
	for _, what := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(&text, "\n  %3d %s", counts[what], what)
	}
	return text.String()
}
