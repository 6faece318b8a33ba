package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// FleetSize is how large a fleet is.
type FleetSize struct{ Leaves, Shortcuts int }

// FleetRun is what one command of Terraform has used on a fleet.
type FleetRun struct {
	FleetSize

	Command string
	// Seconds is the duration. Terraform and Provider are the processors' time of these programs, in seconds.
	Seconds, Terraform, Provider float64
	// Requests is the largest number of requests to one leaf. Connections is the number of all leaves.
	Requests, Connections int
	// Megabytes is the provider's memory at its peak.
	Megabytes float64
}

// fleetColumns are the headings of the values that cells returns.
var fleetColumns = []string{
	"Leaves", "Shortcuts", "Command", "Seconds", "Terraform's CPU", "Provider's CPU", "Requests to a leaf", "Connections",
	"MB",
}

func (r FleetRun) cells() []string {
	return []string{
		fmt.Sprint(r.Leaves), fmt.Sprint(r.Shortcuts), r.Command, number(r.Seconds), number(r.Terraform),
		number(r.Provider), fmt.Sprint(r.Requests), fmt.Sprint(r.Connections), number(r.Megabytes),
	}
}

// FleetRuns are the runs on all fleets.
type FleetRuns []FleetRun

// Of returns the runs that are selected.
func (r FleetRuns) Of(selected func(FleetRun) bool) FleetRuns {
	return slices.DeleteFunc(slices.Clone(r), func(run FleetRun) bool { return !selected(run) })
}

// PerFurther returns by how much y grows with x by the line with the least squared errors. There are at least two
// different values of x.
func (r FleetRuns) PerFurther(x, y func(FleetRun) float64) float64 {
	var growth line
	for _, run := range r {
		growth.add(x(run), y(run))
	}
	return growth.slope()
}

// Exponent returns with which power of x y grows between the runs with the smallest and the largest x.
func (r FleetRuns) Exponent(x, y func(FleetRun) float64) float64 {
	byX := func(a, b FleetRun) int { return cmp.Compare(x(a), x(b)) }
	first, last := slices.MinFunc(r, byX), slices.MaxFunc(r, byX)
	return math.Log(y(last)/y(first)) / math.Log(x(last)/x(first))
}
