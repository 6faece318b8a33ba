package main

import (
	"context"
	"fmt"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/cmd/liqo-bench/figures"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/inspect"
)

// measureScale measures plans without changes: of one shortcut, of ten, and of a full mesh of all leaves.
func (b *bench) measureScale(ctx context.Context, on *leaves) error {
	all := mesh(on.names)
	var took [][]time.Duration
	var requests []float64
	for _, pairs := range [][]pair{all[:1], all[:10], all} {
		if _, err := on.ours.apply(ctx, pairs); err != nil {
			return err
		}
		var plans []time.Duration
		most := 0
		for range b.rounds {
			plan, asked, err := countedPlan(ctx, on)
			if err != nil {
				return err
			}
			plans, most = append(plans, plan), max(most, asked)
		}
		b.report.Say("%d shortcuts: terraform plan took %.2fs, and at most %d requests to a cluster", len(pairs),
			figures.Seconds(plans...).Median, most)
		took, requests = append(took, plans), append(requests, float64(most))
	}
	used, err := b.attached(ctx, on.ours.emptyPlan(ctx))
	if err != nil {
		return err
	}
	if _, err := on.ours.destroy(ctx); err != nil {
		return err
	}
	one := figures.Seconds(took[0]...)
	b.add(figures.Figure{
		Name: fmt.Sprintf("Requests to a cluster for one refresh, with 1, 10 and %d shortcuts", len(all)),
		How: fmt.Sprintf("What the clusters' audit logs have of a `terraform plan` without changes; "+
			"the cluster with most requests counts. The last number is a full mesh of %d leaves.", len(on.names)),
		Unit: figures.Count, Ours: figures.NewSample(requests...), Goal: 12, Same: true, ForUsers: true,
	})
	b.add(figures.Figure{
		Name: fmt.Sprintf("A plan without changes, %d shortcuts against one", len(all)),
		How: fmt.Sprintf("The whole of `terraform plan`, on the same clusters. One shortcut needs two leaves, %d need all "+
			"%d, and every leaf is connected to once.", len(all), len(on.names)),
		Unit: figures.Second, Ours: figures.Seconds(took[2]...), Against: "one shortcut", Theirs: &one, Goal: 1.5,
		ForUsers: true,
	})
	b.add(figures.Figure{
		Name: fmt.Sprintf("The provider's memory at its peak, in a plan of %d shortcuts", len(all)),
		How: "The provider's process stays when Terraform has made its plan, " +
			"and the kernel tells the most that was resident (`VmHWM`).",
		Unit: figures.Megabyte, Ours: figures.NewSample(used.megabytes), Goal: 120, ForUsers: true,
	})
	return nil
}

// countedPlan returns the duration of a plan, and the number of its requests to the cluster with most of them.
func countedPlan(ctx context.Context, on *leaves) (time.Duration, int, error) {
	before, err := inspect.Requests(on.clusters.Clusters)
	if err != nil {
		return 0, 0, err
	}
	took, err := on.ours.plan(ctx)
	if err != nil {
		return 0, 0, err
	}
	after, err := inspect.Requests(on.clusters.Clusters)
	leafOf := func(r inspect.Request) string { return r.Cluster }
	return took, mostRequests(before, after, leafOf), err
}

// mostRequests returns the number of requests between two counts to the leaf with the most.
func mostRequests[Request comparable](before, after map[Request]int, leafOf func(Request) string) int {
	leaves := map[string]int{}
	most := 0
	for request, count := range after {
		leaf := leafOf(request)
		leaves[leaf] += count - before[request]
		most = max(most, leaves[leaf])
	}
	return most
}
