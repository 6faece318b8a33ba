package steps

import (
	"fmt"
	"strings"
	"time"
)

// Failure says why a procedure failed, and how far it got.
type Failure struct {
	Err      error // the joined errors of all steps that failed for a reason of their own
	Progress []Progress

	// WroteNothing means that the procedure has certainly written nothing before it failed. Its caller sets it.
	WroteNothing bool
}

// Progress says how far one step of a procedure got.
type Progress struct {
	Leaf    string
	Step    string
	Started bool
	Done    bool
	Took    time.Duration // until it was done or failed
}

// Error returns the reasons, followed by the steps, one per line.
func (f *Failure) Error() string { return fmt.Sprintf("%v\n%s", f.Err, f.Ledger()) }

// Unwrap returns the reasons.
func (f *Failure) Unwrap() error { return f.Err }

// Ledger lists the steps, one per line: how far each got, and how long it took.
func (f *Failure) Ledger() string {
	lines := make([]string, len(f.Progress))
	for i, p := range f.Progress {
		lines[i] = fmt.Sprintf("  %-9s  %s: %s", p.state(), p.Leaf, p.Step)
		if took := rounded(p.Took); p.Started && took > 0 {
			lines[i] += fmt.Sprintf(" (%s)", took)
		}
	}
	return strings.Join(lines, "\n")
}

func (p Progress) state() string {
	switch {
	case p.Done:
		return "done"
	case p.Started:
		return "not done"
	default:
		return "not begun"
	}
}

// rounded returns a duration in whole seconds, or in tens of milliseconds if it is below one second.
func rounded(d time.Duration) time.Duration {
	if d >= time.Second {
		return d.Round(time.Second)
	}
	return d.Round(10 * time.Millisecond)
}
