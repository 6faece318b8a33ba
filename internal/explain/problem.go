package explain

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// Problem is an error with a text for users.
type Problem struct {
	Leaf    string     // the user's name for it; empty if the problem is about both leaves or none
	Trouble trouble.ID // of the guide's entry
	Summary string     // what is wrong, in a few words
	Detail  string     // the evidence, and what to do
	Err     error      // the cause; may be nil
	Refused bool       // nothing was written, so the text omits how far each step got

	also []trouble.ID // of the entries about what has caused it, as far as the detail says it

	// A problem has these if it comes from looking at a leaf. Its text then also depends on what other waits have found.
	waitedFor  string   // completes "waiting for …"; empty without a wait
	causes     []cause  // nil if the problem does not come from looking at a leaf
	unanswered []string // errors of the requests that the leaf did not answer
}

// Troubles returns the IDs of the guide's entries, each once: first that of the headline, then those of what the detail
// says has caused it. Without an ID, it returns none.
func (p *Problem) Troubles() []trouble.ID {
	return distinct(append([]trouble.ID{p.Trouble}, p.also...))
}

// distinct returns the IDs, each once.
func distinct(ids []trouble.ID) []trouble.ID {
	var all []trouble.ID
	for _, id := range ids {
		if id != "" && !slices.Contains(all, id) {
			all = append(all, id)
		}
	}
	return all
}

// Error returns the whole text.
func (p *Problem) Error() string {
	if p.Leaf == "" {
		return fmt.Sprintf("%s.\n%s", p.Summary, p.Detail)
	}
	return fmt.Sprintf("leaf %q: %s.\n%s", p.Leaf, p.Summary, p.Detail)
}

// Unwrap returns the cause.
func (p *Problem) Unwrap() error { return p.Err }

// headline returns the summary and the leaf. It is empty if there is no summary.
func (p *Problem) headline() string {
	if p.Leaf == "" {
		return p.Summary
	}
	return fmt.Sprintf("%s on leaf %q", p.Summary, p.Leaf)
}

// reads reports whether the texts of both problems are the same.
func (p *Problem) reads(other *Problem) bool {
	return p.headline() == other.headline() && p.Detail == other.Detail
}

// interrupted reports whether the user interrupted the work. Otherwise time ran out.
func (p *Problem) interrupted() bool { return errors.Is(p.Err, context.Canceled) }

// beneath returns the IDs of the explained errors that have caused an error of a leaf, such as one of its centre.
func beneath(answer *cluster.Error) []trouble.ID {
	var ids []trouble.ID
	for {
		inner, ok := errors.AsType[*cluster.Error](answer.Err)
		if !ok {
			return ids
		}
		ids, answer = append(ids, inner.Trouble), inner
	}
}

// problemOf returns the text for a single error. The text has no summary if the error is not explained.
func problemOf(err error) *Problem {
	if problem, ok := errors.AsType[*Problem](err); ok {
		return problem
	}
	if late, ok := errors.AsType[*cluster.WaitError](err); ok && errors.Is(err, context.DeadlineExceeded) {
		return problemOf(late.Last)
	}
	if answer, ok := errors.AsType[*cluster.Error](err); ok {
		return &Problem{
			Leaf: answer.Leaf, Trouble: answer.Trouble, Summary: answer.Summary, Detail: answer.Detail(), Err: err,
			also: beneath(answer),
		}
	}
	if errors.Is(err, context.Canceled) { // the error of the interrupted request adds nothing
		return &Problem{Detail: "The work was interrupted.", Err: err}
	}
	return &Problem{Detail: sentence(err.Error()), Err: err}
}
