package figures

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
)

// FleetSize is how large a fleet is.
type FleetSize struct {
	Leaves    int `json:"leaves"`
	Shortcuts int `json:"shortcuts"`
}

// FleetRun is what one command of Terraform has used on a fleet.
type FleetRun struct {
	FleetSize

	Parallelism int    `json:"parallelism"`
	Command     string `json:"command"`
	// Seconds is the duration. Terraform and Provider are the processors' time of these programs, in seconds.
	Seconds   float64 `json:"seconds"`
	Terraform float64 `json:"terraform"`
	Provider  float64 `json:"provider"`
	// Requests is the largest number of requests to one leaf. Connections is the number of all leaves.
	Requests    int `json:"requests"`
	Connections int `json:"connections"`
	// Megabytes is the provider's memory at its peak. Goroutines is their number at the end.
	Megabytes  float64 `json:"megabytes"`
	Goroutines int     `json:"goroutines"`
}

// fleetColumns are the headings of the values that cells returns.
var fleetColumns = []string{
	"Leaves", "Shortcuts", "Parallelism", "Command", "Seconds", "Terraform's CPU", "Provider's CPU", "Requests to a leaf",
	"Connections", "MB", "Goroutines",
}

func (r FleetRun) cells() []string {
	return []string{
		fmt.Sprint(r.Leaves), fmt.Sprint(r.Shortcuts), fmt.Sprint(r.Parallelism), r.Command, number(r.Seconds),
		number(r.Terraform), number(r.Provider), fmt.Sprint(r.Requests), fmt.Sprint(r.Connections), number(r.Megabytes),
		fmt.Sprint(r.Goroutines),
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

// writeTable writes the runs for a terminal.
func (r FleetRuns) writeTable(out io.Writer) error {
	if len(r) == 0 {
		return nil
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "\n"+strings.Join(fleetColumns, "\t"))
	for _, run := range r {
		fmt.Fprintln(table, strings.Join(run.cells(), "\t"))
	}
	return table.Flush()
}
