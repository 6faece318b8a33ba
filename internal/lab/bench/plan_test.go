package bench

import (
	"fmt"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/fleet"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/inspect"
)

// BenchmarkPlan measures `terraform plan` without changes, of one shortcut, of ten, and of a full mesh of ten leaves.
// One shortcut needs two leaves, 45 need all ten, and every leaf is connected to once. The goal for 45 is 1.5 of the
// time for one.
//
//   - requests is their number in the audit log of the cluster with most of them. The goal is 12, the same for all.
//   - MB is the most that the provider had resident (`VmHWM`), in another plan. The goal is 120.
func BenchmarkPlan(b *testing.B) {
	on := startLeaves(b, 10)
	ours := newTerraform(b, on.Kubeconfig)
	all := mesh(on.names)
	for _, count := range []int{1, 10, len(all)} {
		ours.choose(b, all[:count]...)
		ours.apply(b)
		for round := range *rounds {
			b.Run(fmt.Sprintf("shortcuts=%d/round=%d/by=provider", count, round+1), func(b *testing.B) {
				before := on.requests(b)
				report(b, ours.emptyPlan(b))
				leafOf := func(r inspect.Request) string { return r.Cluster }
				b.ReportMetric(mostRequests(before, on.requests(b), leafOf), "requests")
				b.ReportMetric(ours.attached(b, 0, "plan", "-detailed-exitcode").megabytes, "MB")
			})
		}
	}
	ours.destroy(b)
	on.nothingIsLeft(b)
}

// mostRequests returns the number of requests between two counts to the leaf with the most.
func mostRequests[Request comparable](before, after map[Request]int, leafOf func(Request) string) float64 {
	leaves := map[string]int{}
	most := 0
	for request, count := range after {
		leaf := leafOf(request)
		leaves[leaf] += count - before[request]
		most = max(most, leaves[leaf])
	}
	return float64(most)
}

func TestTheLeafWithMostRequestsCounts(t *testing.T) {
	before := map[fleet.Request]int{{Leaf: "rome", Verb: "get", Resource: "pods"}: 5}
	after := map[fleet.Request]int{
		{Leaf: "rome", Verb: "get", Resource: "pods"}:     6,
		{Leaf: "milan", Verb: "get", Resource: "pods"}:    1,
		{Leaf: "milan", Verb: "watch", Resource: "pods"}:  1,
		{Leaf: "milan", Verb: "delete", Resource: "pods"}: 1,
	}
	if most := mostRequests(before, after, func(r fleet.Request) string { return r.Leaf }); most != 3 {
		t.Errorf("%v requests", most)
	}
}
