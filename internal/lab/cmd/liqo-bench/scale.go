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
	// Keyed by the number of shortcuts.
	sets := map[int][]pair{1: all[:1], len(few): few, 10: all[:10], len(all): all}
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
	used, err := b.attached(ctx, on.ours.emptyPlan(ctx))
	if err != nil {
		return err
	}
	b.report.Say("the provider had %.0f MB resident at its peak", used.megabytes)
	if _, err := on.ours.destroy(ctx); err != nil {
		return err
	}

	most := make([]float64, len(numbers))
	for i, n := range numbers {
		most[i] = asked.most(n)
	}
	b.found.Requests = report(asked, served)
	b.addScale(&scale{len(on.names), len(few), len(all), numbers, most, took, used.megabytes})
	return nil
}

// scale is what measureScale has measured.
type scale struct {
	leaves int
	// few and all are numbers of shortcuts: the fewest that need all leaves, and the full mesh.
	few, all int
	numbers  []int                   // of shortcuts, sorted
	most     []float64               // requests to a cluster, in the order of numbers
	took     map[int][]time.Duration // plans, keyed by the number of shortcuts
	memory   float64                 // in MB
}

func (b *bench) addScale(s *scale) {
	one, few, all := figures.Seconds(s.took[1]...), figures.Seconds(s.took[s.few]...), figures.Seconds(s.took[s.all]...)
	b.add(figures.Figure{
		ID:   "refresh-requests",
		Name: fmt.Sprintf("Requests to a cluster for one refresh, with %s shortcuts", listed(s.numbers)),
		How: fmt.Sprintf("What the clusters' audit logs have of a `terraform plan` without changes; "+
			"the cluster with most requests counts. The last number is a full mesh of %d leaves.", s.leaves),
		Unit: figures.Count, Ours: figures.NewSample(s.most...), Goal: 12, Same: true,
	})
	b.add(figures.Figure{
		ID:   "plan-growth",
		Name: fmt.Sprintf("A plan without changes, %d shortcuts against one", s.all),
		How: fmt.Sprintf("The whole of `terraform plan`, on the same clusters. "+
			"One shortcut needs two leaves, %d need all %d, and every leaf is connected to once.", s.all, s.leaves),
		Unit: figures.Second, Ours: all, Against: "one shortcut", Theirs: &one, Goal: 1.5,
	})
	b.add(figures.Figure{
		ID:   "plan-growth-leaves",
		Name: fmt.Sprintf("A plan without changes, %d shortcuts against %d of as many leaves", s.all, s.few),
		How: "The same, against as few shortcuts as need all the leaves: " +
			"what is left is what shortcuts cost, and not leaves.",
		Unit: figures.Second, Ours: all, Against: fmt.Sprintf("%d shortcuts", s.few), Theirs: &few, Goal: 1.5,
	})
	b.add(figures.Figure{
		ID:   "memory",
		Name: fmt.Sprintf("The provider's memory at its peak, in a plan of %d shortcuts", s.all),
		How: "The provider's process stays when Terraform has made its plan, " +
			"and the kernel tells the most that was resident (`VmHWM`).",
		Unit: figures.Megabyte, Ours: figures.NewSample(s.memory), Goal: 120,
	})
}

// countedPlan returns the duration of a plan. It adds the plan's requests and what the API servers
// served at the same time.
func countedPlan(ctx context.Context, on *leaves, n int, asked, served requests) (time.Duration, error) {
	var took time.Duration
	clusters := on.clusters.Clusters
	byAll := func() (map[inspect.Request]int, error) { return inspect.Served(ctx, clusters) }
	byUs := func() (map[inspect.Request]int, error) { return inspect.Requests(clusters) }
	err := counted(byAll, n, served, func() error {
		return counted(byUs, n, asked, func() (err error) {
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
