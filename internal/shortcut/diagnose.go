package shortcut

import (
	"context"
	"errors"
	"strings"
	"time"
)

// timeToDiagnose is for gathering evidence after the time for the work itself has run out.
const timeToDiagnose = 10 * time.Second

// diagnose says why a wait has not ended, from what the leaf itself shows. Look asks the leaf.
func (s *side) diagnose(ctx context.Context, waitedFor string, cause error, look func(context.Context) ([]finding, error)) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeToDiagnose)
	defer cancel()
	w := &wait{leaf: s.leaf.Name, what: waitedFor, interrupted: errors.Is(cause, context.Canceled)}
	w.note(look(ctx))
	if len(w.findings) == 0 {
		w.findings = []finding{s.nothingFound(ctx, waitedFor)}
	}
	first := accountsOfWaits([]*wait{w})[0]
	return &Problem{Leaf: s.leaf.Name, Summary: w.findings[0].summary, Detail: first.text, Err: cause, wait: w}
}

// note takes down what was found, and why there may be more.
func (w *wait) note(findings []finding, err error) {
	w.findings = findings
	for _, err := range flatten(err) {
		if f, ok := unreachable(err); ok {
			w.findings, w.unanswered = []finding{f}, nil // there is nothing else to be known
			break
		}
		w.unanswered = append(w.unanswered, err.Error())
	}
}

// nothingFound is said where the leaf does not show why it does not do what is waited for.
func (s *side) nothingFound(ctx context.Context, waitedFor string) finding {
	f := finding{
		rank: rankUnknown, summary: "gave up waiting for " + waitedFor,
		evidence: []string{"Nothing on this leaf shows why."},
		advice: "If the leaf is only slow, allow more time in `timeouts` and apply again: it goes on from what is there. Else see the log of Liqo's " +
			"controllers:\n\n  kubectl -n " + s.leaf.LiqoNamespace + " logs deployment/" + controllers,
	}
	if state, _, err := s.controllersState(ctx); err == nil {
		f.evidence = append(f.evidence, state)
	}
	return f
}

// flatten lists the errors that were joined, in order.
func flatten(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		if err == nil {
			return nil
		}
		return []error{err}
	}
	var all []error
	for _, e := range joined.Unwrap() {
		all = append(all, flatten(e)...)
	}
	return all
}

func sentence(text string) string {
	if text == "" || strings.HasSuffix(text, ".") {
		return text
	}
	return text + "."
}
