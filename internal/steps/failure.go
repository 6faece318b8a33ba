package steps

import (
	"fmt"
	"strings"
	"time"
)

// Failure is why a procedure did not succeed, and how far it got.
type Failure struct {
	Err      error // of every step that failed for a reason of its own, joined
	Progress []Progress
}

// Progress is how far one step of a procedure got.
type Progress struct {
	Leaf    string
	Step    string
	Started bool
	Done    bool
	Took    time.Duration // until it was done or failed
}

// Error is the reasons, then the steps, one a line.
func (f *Failure) Error() string { return fmt.Sprintf("%v\n%s", f.Err, f.Ledger()) }

// Unwrap is the reasons.
func (f *Failure) Unwrap() error { return f.Err }

// Ledger lists the steps, one a line: how far each got, and how long it took.
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

// rounded keeps of a duration what matters to people: whole seconds, below one second tens of milliseconds.
func rounded(d time.Duration) time.Duration {
	if d >= time.Second {
		return d.Round(time.Second)
	}
	return d.Round(10 * time.Millisecond)
}
