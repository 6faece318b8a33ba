package shortcut

import (
	"errors"
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
func (f *Failure) Error() string {
	headline, detail := Summary(f), Detail(f)
	if headline == "" {
		return detail
	}
	return headline + ".\n" + detail
}

// Unwrap is the reasons.
func (f *Failure) Unwrap() error { return f.Err }

// Summary is a headline for an error of this package: the first of its causes, in a few words. It is empty for an error that has none.
func Summary(err error) string {
	if all := accounts(reasons(err)); len(all) > 0 {
		return all[0].headline
	}
	return ""
}

// Detail is what belongs below the headline: what was waited for, what the leaves show of the reason, and what to do; then further causes,
// and how far each step got.
func Detail(err error) string {
	var paragraphs []string
	for i, one := range accounts(reasons(err)) {
		if i > 0 && one.headline != "" {
			one.text = fmt.Sprintf("Besides, %s.\n%s", one.headline, one.text)
		}
		paragraphs = append(paragraphs, one.text)
	}
	problem, ok := errors.AsType[*Problem](err)
	refused := ok && problem.refused
	if failure, ok := err.(*Failure); ok && !refused { //nolint:errorlint // an error around it would have more to say
		paragraphs = append(paragraphs, "How far it got:\n"+ledger(failure.Progress))
	}
	return strings.Join(paragraphs, "\n\n")
}

// reasons is the errors that a failure stands for, or the error itself.
func reasons(err error) error {
	if failure, ok := err.(*Failure); ok { //nolint:errorlint // an error around it would have more to say
		return failure.Err
	}
	return err
}

// ledger lists steps, one a line.
func ledger(progress []Progress) string {
	lines := make([]string, len(progress))
	for i, p := range progress {
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
