package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/cmd/liqo-bench/figures"
)

// What grows in a fleet, and grows with it.
var (
	leavesOf    = func(r figures.FleetRun) float64 { return float64(r.Leaves) }
	shortcutsOf = func(r figures.FleetRun) float64 { return float64(r.Shortcuts) }
	terraformOf = func(r figures.FleetRun) float64 { return r.Terraform }
	providerOf  = func(r figures.FleetRun) float64 { return r.Provider }
	memoryOf    = func(r figures.FleetRun) float64 { return r.Megabytes }
)

// addFleets stores the figures of fleets that have goals. Each needs fleets that differ in one respect only.
func (b *bench) addFleets() {
	plans := b.found.Fleets.Of(func(r figures.FleetRun) bool { return r.Command == "plan" })
	if few := plans.Of(fewShortcuts); growing(few, leavesOf) {
		b.addMemory(few)
	}
	most := slices.MaxFunc(plans, func(a, b figures.FleetRun) int { return a.Leaves - b.Leaves }).Leaves
	onMost := func(r figures.FleetRun) bool { return r.Leaves == most }
	if many := plans.Of(onMost); growing(many, shortcutsOf) {
		b.addPlans(many)
		b.addGrowth(b.found.Fleets.Of(onMost))
	}
}

// fewShortcuts reports whether a fleet has so few shortcuts that its leaves count, and not they.
func fewShortcuts(r figures.FleetRun) bool { return r.Shortcuts <= 50 }

// growing reports whether runs differ in something.
func growing(runs figures.FleetRuns, by func(figures.FleetRun) float64) bool {
	return slices.ContainsFunc(runs, func(r figures.FleetRun) bool { return by(r) != by(runs[0]) })
}

func (b *bench) addMemory(few figures.FleetRuns) {
	b.add(figures.Figure{
		Name: "The provider's memory for each further leaf", Unit: figures.Megabyte, Goal: 3,
		How: fmt.Sprintf("By how much its peak in a `terraform plan` without changes grows from %d to %d leaves, with about "+
			"%d shortcuts.", few[0].Leaves, few[len(few)-1].Leaves, few[0].Shortcuts),
		Ours: figures.NewSample(few.PerFurther(leavesOf, memoryOf)),
	})
}

func (b *bench) addPlans(many figures.FleetRuns) {
	requests := make([]float64, len(many))
	for i, run := range many {
		requests[i] = float64(run.Requests)
	}
	b.add(figures.Figure{
		Name: "Requests to a leaf of a large fleet for a plan without changes", Unit: figures.Count,
		How:  fmt.Sprintf("To the one of %d leaves with most of them, with more and more shortcuts.", many[0].Leaves),
		Goal: 12, Same: true, Ours: figures.NewSample(requests...),
	})
	const milliseconds = 1000
	theirs := figures.NewSample(milliseconds * many.PerFurther(shortcutsOf, terraformOf))
	b.add(figures.Figure{
		Name: "The provider's work for each further shortcut in a plan without changes",
		Unit: figures.Millisecond, Goal: 4, Absolute: true, Against: "Terraform's own", Theirs: &theirs,
		How: fmt.Sprintf("By how much the processor time of the provider and of Terraform grows from %d to %d shortcuts "+
			"between %d leaves.", many[0].Shortcuts, many[len(many)-1].Shortcuts, many[0].Leaves),
		Ours: figures.NewSample(milliseconds * many.PerFurther(shortcutsOf, providerOf)),
	})
}

// addGrowth stores how the provider's work and its memory grow with the number of shortcuts, beside Terraform's work.
func (b *bench) addGrowth(many figures.FleetRuns) {
	var names []string
	var work, memory, theirs []float64
	for _, c := range fleetCommands {
		runs := many.Of(func(r figures.FleetRun) bool { return r.Command == c.name })
		names = append(names, "`"+c.name+"`")
		work = append(work, runs.Exponent(shortcutsOf, providerOf))
		memory = append(memory, runs.Exponent(shortcutsOf, memoryOf))
		theirs = append(theirs, runs.Exponent(shortcutsOf, terraformOf))
	}
	how := fmt.Sprintf("From %d to %d shortcuts between %d leaves, with %s. The goal is for the largest, at the "+
		"end of the range. 1 is in proportion.",
		many[0].Shortcuts, many[len(many)-1].Shortcuts, many[0].Leaves, strings.Join(names, ", "))
	terraform := figures.NewSample(theirs...)
	b.add(figures.Figure{
		Name: "Growth of the provider's work with the number of shortcuts: exponent", Unit: figures.Count, How: how,
		Ours: figures.NewSample(work...), Against: "Terraform's own", Theirs: &terraform, Goal: 1, Absolute: true,
	})
	b.add(figures.Figure{
		Name: "Growth of the provider's memory with the number of shortcuts: exponent", Unit: figures.Count, How: how,
		Ours: figures.NewSample(memory...), Goal: 1,
	})
}
