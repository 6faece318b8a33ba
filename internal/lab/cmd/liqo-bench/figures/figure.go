package figures

import (
	"fmt"
	"strconv"
)

// Unit is the unit of a figure.
type Unit string

// The units.
const (
	Second      Unit = "s"
	Millisecond Unit = "ms"
	Megabyte    Unit = "MB" // 10⁶ bytes
	RoundTrip   Unit = "round trips"
	Count       Unit = ""
)

// Figure is one measurement, and its goal.
type Figure struct {
	// Name says what was measured, How in which way. Both are sentences in Markdown.
	Name string
	How  string
	Unit Unit
	// Ours is the provider's sample. In a comparison, Against names the other program, and Theirs
	// is its sample.
	Ours    Sample
	Against string
	Theirs  *Sample
	// Goal is the maximum of Value.
	Goal float64
	// Absolute means that the goal is for our value, although there is a comparison.
	Absolute bool
	// Same means that in addition, all our values must be the same.
	Same bool
	// ForUsers means that the page for users has the figure, too.
	ForUsers bool
}

// Value returns the value for the goal: the ratio of the medians, ours to theirs, or our largest
// value without a comparison or if the goal is absolute.
func (f *Figure) Value() float64 {
	if f.comparedForGoal() {
		return f.ratio()
	}
	return f.Ours.Max
}

func (f *Figure) comparedForGoal() bool { return f.Theirs != nil && !f.Absolute }

func (f *Figure) ratio() float64 { return f.Ours.Median / f.Theirs.Median }

// Met reports whether the goal was reached.
func (f *Figure) Met() bool { return f.Value() <= f.Goal && (!f.Same || f.Ours.same()) }

// row returns the figure as a line of a table, without markup.
func (f *Figure) row() []string {
	ours, theirs, value, goal := f.spread(f.Ours), "", "", "≤ "+limit(f.Goal)
	if f.Theirs != nil {
		theirs = fmt.Sprintf("%s %s", f.Against, f.spread(*f.Theirs))
		value = number(f.ratio())
	}
	if !f.comparedForGoal() && f.Unit != Count {
		goal += " " + string(f.Unit)
	}
	if f.Same {
		goal += ", the same"
	}
	met := "missed"
	if f.Met() {
		met = "met"
	}
	return []string{f.Name, ours, theirs, value, goal, met}
}

// userRow returns the figure as a line of the table for users: the medians.
func (f *Figure) userRow() []string {
	theirs := ""
	if f.Theirs != nil {
		theirs = fmt.Sprintf("%s: %s", f.Against, f.amount(f.Theirs.Median))
	}
	return []string{f.Name, f.amount(f.Ours.Median), theirs}
}

// columns are the headings of the values that row returns.
var columns = []string{"Measure", "Provider", "Against", "Ratio", "Goal", ""}

// spread returns a sample's median, with the smallest and the largest value if there are several.
func (f *Figure) spread(s Sample) string {
	if s.same() {
		return f.amount(s.Median)
	}
	return fmt.Sprintf("%s (%s to %s)", f.amount(s.Median), number(s.Min), number(s.Max))
}

func (f *Figure) amount(value float64) string {
	if f.Unit == Count {
		return number(value)
	}
	return number(value) + " " + string(f.Unit)
}

// limit returns the text of a goal.
func limit(goal float64) string { return strconv.FormatFloat(goal, 'f', -1, 64) }

// number returns at most three significant digits, without an exponent.
func number(value float64) string {
	digits := 0
	for limit := 100.0; value < limit && digits < 3; limit /= 10 {
		digits++
	}
	text := strconv.FormatFloat(value, 'f', digits, 64)
	if value == float64(int64(value)) {
		text = strconv.FormatInt(int64(value), 10)
	}
	return text
}
