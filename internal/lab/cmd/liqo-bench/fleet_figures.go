package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/cmd/liqo-bench/figures"
)

// aspect is what grows in a fleet, or grows with it.
type aspect struct {
	name string
	of   func(figures.FleetRun) float64
}

var (
	leavesOf    = aspect{"leaves", func(r figures.FleetRun) float64 { return float64(r.Leaves) }}
	shortcutsOf = aspect{"shortcuts", func(r figures.FleetRun) float64 { return float64(r.Shortcuts) }}

	terraform  = aspect{"Terraform's processor time", func(r figures.FleetRun) float64 { return r.Terraform }}
	provider   = aspect{"the provider's processor time", func(r figures.FleetRun) float64 { return r.Provider }}
	memory     = aspect{"its memory", func(r figures.FleetRun) float64 { return r.Megabytes }}
	goroutines = aspect{"its goroutines", func(r figures.FleetRun) float64 { return float64(r.Goroutines) }}
)

// addFleets stores the figures of fleets that have goals. Each needs fleets that differ in one aspect only.
func (b *bench) addFleets() {
	usual := b.found.Fleets.Of(func(r figures.FleetRun) bool { return r.Parallelism == parallelisms[0] })
	plans := usual.Of(func(r figures.FleetRun) bool { return r.Command == "plan" })
	if few := plans.Of(fewShortcuts); growing(few, leavesOf) {
		b.addMemory(few)
	}
	most := slices.MaxFunc(plans, func(a, b figures.FleetRun) int { return a.Leaves - b.Leaves }).Leaves
	onMost := func(r figures.FleetRun) bool { return r.Leaves == most }
	if many := plans.Of(onMost); growing(many, shortcutsOf) {
		b.addPlans(many)
		b.addGrowth(usual.Of(onMost))
	}
}

// fewShortcuts reports whether a fleet has so few shortcuts that its leaves count, and not they.
func fewShortcuts(r figures.FleetRun) bool { return r.Shortcuts <= 50 }

// growing reports whether runs differ in an aspect.
func growing(runs figures.FleetRuns, by aspect) bool {
	return slices.ContainsFunc(runs, func(r figures.FleetRun) bool { return by.of(r) != by.of(runs[0]) })
}

func (b *bench) addMemory(few figures.FleetRuns) {
	b.add(figures.Figure{
		ID: "fleet-memory", Name: "The provider's memory for each further leaf", Unit: figures.Megabyte, Goal: 3,
		How: fmt.Sprintf("By how much its peak in a `terraform plan` without changes grows from %d to %d leaves, with about "+
			"%d shortcuts.", few[0].Leaves, few[len(few)-1].Leaves, few[0].Shortcuts),
		Ours: figures.NewSample(few.PerFurther(leavesOf.of, memory.of)),
	})
}

func (b *bench) addPlans(many figures.FleetRuns) {
	requests := make([]float64, len(many))
	for i, run := range many {
		requests[i] = float64(run.Requests)
	}
	b.add(figures.Figure{
		ID: "fleet-requests", Name: "Requests to a leaf of a large fleet for a plan without changes", Unit: figures.Count,
		How:  fmt.Sprintf("To the one of %d leaves with most of them, with more and more shortcuts.", many[0].Leaves),
		Goal: 12, Same: true, Ours: figures.NewSample(requests...),
	})
	const milliseconds = 1000
	theirs := figures.NewSample(milliseconds * many.PerFurther(shortcutsOf.of, terraform.of))
	b.add(figures.Figure{
		ID: "fleet-plan", Name: "The provider's work for each further shortcut in a plan without changes",
		Unit: figures.Millisecond, Goal: 4, Absolute: true, Against: "Terraform's own", Theirs: &theirs,
		How: fmt.Sprintf("By how much the processor time of the provider and of Terraform grows from %d to %d shortcuts "+
			"between %d leaves.", many[0].Shortcuts, many[len(many)-1].Shortcuts, many[0].Leaves),
		Ours: figures.NewSample(milliseconds * many.PerFurther(shortcutsOf.of, provider.of)),
	})
}

// addGrowth stores how the provider's part grows with the number of shortcuts, beside Terraform's.
func (b *bench) addGrowth(many figures.FleetRuns) {
	aspects := []aspect{provider, memory, goroutines}
	names := make([]string, len(aspects))
	for i, one := range aspects {
		names[i] = one.name
	}
	for _, c := range fleetCommands {
		runs := many.Of(func(r figures.FleetRun) bool { return r.Command == c.name })
		exponents := make([]float64, len(aspects))
		for i, one := range aspects {
			exponents[i] = runs.Exponent(shortcutsOf.of, one.of)
		}
		theirs := figures.NewSample(runs.Exponent(shortcutsOf.of, terraform.of))
		b.add(figures.Figure{
			ID: "fleet-growth-" + strings.NewReplacer(" ", "-", "=", "-").Replace(c.name), Unit: figures.Count,
			Name: "With which power of the number of shortcuts a fleet's `" + c.name + "` grows",
			How: fmt.Sprintf("In this order: %s, from %d to %d shortcuts between %d leaves. The largest counts. Beside them "+
				"is Terraform's processor time. 1 is in proportion.",
				strings.Join(names, ", "), runs[0].Shortcuts, runs[len(runs)-1].Shortcuts, runs[0].Leaves),
			Ours: figures.NewSample(exponents...), Against: "Terraform's own", Theirs: &theirs, Goal: 1, Absolute: true,
		})
	}
}
