package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/cmd/liqo-bench/figures"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/inspect"
)

// measureScale measures plans without changes: of one shortcut, of the fewest that need all leaves,
// of ten, and of a full mesh of all leaves.
func (b *bench) measureScale(ctx context.Context, on *leaves) error {
	all, few := mesh(on.names), cover(on.names)
	sets := map[int][]pair{1: all[:1], len(few): few, 10: all[:10], len(all): all} // keyed by the number of shortcuts
	numbers := slices.Sorted(maps.Keys(sets))
	took := map[int][]time.Duration{}
	asked, served := requests{}, requests{}
	for _, n := range numbers {
		whole, err := on.ours.apply(ctx, sets[n])
		if err != nil {
			return err
		}
		b.report.Say("%d shortcuts: terraform apply took %.2fs", n, whole.whole.Seconds())
		for range b.rounds {
			plan, err := countedPlan(ctx, on, n, asked, served)
			if err != nil {
				return err
			}
			took[n] = append(took[n], plan)
		}
		b.report.Say("%d shortcuts: terraform plan took %.2fs, and at most %.0f requests to a cluster", n,
			figures.Seconds(took[n]...).Median, asked.most(n))
	}
	memory, err := b.peakMemory(ctx, on)
	if err != nil {
		return err
	}
	if _, err := on.ours.destroy(ctx); err != nil {
		return err
	}

	most := make([]float64, len(numbers))
	for i, n := range numbers {
		most[i] = asked.most(n)
	}
	b.found.Requests = report(asked, served)
	one, everyLeaf := figures.Seconds(took[1]...), figures.Seconds(took[len(few)]...)
	b.add(figures.Figure{
		ID: "refresh-requests", Name: fmt.Sprintf("Requests to a cluster for one refresh, with %s shortcuts", listed(numbers)), Unit: figures.Count,
		How: fmt.Sprintf("What the clusters' audit logs have of a `terraform plan` without changes; the cluster with most requests counts. The last number "+
			"is a full mesh of %d leaves.", len(on.names)),
		Ours: figures.NewSample(most...), Goal: 12, Same: true,
	})
	b.add(figures.Figure{
		ID: "plan-growth", Name: fmt.Sprintf("A plan without changes, %d shortcuts against one", len(all)), Unit: figures.Second,
		How: fmt.Sprintf("The whole of `terraform plan`, on the same clusters. One shortcut needs two leaves, %d need all %d, and every leaf is connected to once.",
			len(all), len(on.names)),
		Ours: figures.Seconds(took[len(all)]...), Against: "one shortcut", Theirs: &one, Goal: 1.5,
	})
	b.add(figures.Figure{
		ID: "plan-growth-leaves", Name: fmt.Sprintf("A plan without changes, %d shortcuts against %d of as many leaves", len(all), len(few)), Unit: figures.Second,
		How:  "The same, against as few shortcuts as need all the leaves: what is left is what shortcuts cost, and not leaves.",
		Ours: figures.Seconds(took[len(all)]...), Against: fmt.Sprintf("%d shortcuts", len(few)), Theirs: &everyLeaf, Goal: 1.5,
	})
	b.add(figures.Figure{
		ID: "memory", Name: fmt.Sprintf("The provider's memory at its peak, in a plan of %d shortcuts", len(all)), Unit: figures.Megabyte,
		How:  "The provider's process stays when Terraform has made its plan, and the kernel tells the most that was resident (`VmHWM`).",
		Ours: figures.NewSample(memory), Goal: 120,
	})
	return nil
}

// countedPlan returns the duration of a plan. It adds the plan's requests and what the API servers
// served at the same time.
func countedPlan(ctx context.Context, on *leaves, n int, asked, served requests) (time.Duration, error) {
	var took time.Duration
	clusters := on.clusters.Clusters
	err := counted(func() (map[inspect.Request]int, error) { return inspect.Served(ctx, clusters) }, n, served, func() error {
		return counted(func() (map[inspect.Request]int, error) { return inspect.Requests(clusters) }, n, asked, func() (err error) {
			took, err = on.ours.plan(ctx)
			return err
		})
	})
	return took, err
}

// counted adds to sum the increase of a count while do runs.
func counted(count func() (map[inspect.Request]int, error), shortcuts int, sum requests, do func() error) error {
	before, err := count()
	if err != nil {
		return err
	}
	if err := do(); err != nil {
		return err
	}
	after, err := count()
	if err != nil {
		return err
	}
	sum.add(shortcuts, before, after)
	return nil
}

// listed returns the numbers for a sentence.
func listed(numbers []int) string {
	texts := make([]string, len(numbers))
	for i, n := range numbers {
		texts[i] = strconv.Itoa(n)
	}
	last := len(texts) - 1
	if last == 0 {
		return texts[0]
	}
	return strings.Join(texts[:last], ", ") + " and " + texts[last]
}
