package explain

import (
	"context"
	"errors"
	"fmt"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// Problem is one thing that is wrong, told to people.
type Problem struct {
	Leaf    string // the user's name for it; empty where the problem is of both leaves or of none
	Summary string // what is wrong, a few words
	Detail  string // the evidence, and what to do
	Err     error  // the cause; may be nil
	Refused bool   // nothing was written, so how far it got says nothing

	// A problem that was looked at has these. What users read of it depends on what other waits have found.
	waitedFor  string   // completes "waiting for …"; empty where nobody has waited, and the leaf is only looked at
	causes     []cause  // nil for a problem of another kind
	unanswered []string // why questions about the causes got no answer
}

// Error is the whole text.
func (p *Problem) Error() string {
	if p.Leaf == "" {
		return fmt.Sprintf("%s.\n%s", p.Summary, p.Detail)
	}
	return fmt.Sprintf("leaf %q: %s.\n%s", p.Leaf, p.Summary, p.Detail)
}

// Unwrap is the cause.
func (p *Problem) Unwrap() error { return p.Err }

// headline is the summary and the leaf; empty where there is no summary.
func (p *Problem) headline() string {
	if p.Leaf == "" {
		return p.Summary
	}
	return fmt.Sprintf("%s on leaf %q", p.Summary, p.Leaf)
}

// reads reports whether users read the same of two problems.
func (p *Problem) reads(other *Problem) bool {
	return p.headline() == other.headline() && p.Detail == other.Detail
}

// interrupted reports whether the user has ended the work; else time ran out.
func (p *Problem) interrupted() bool { return errors.Is(p.Err, context.Canceled) }

// problemOf is what users read of a single error. It has no summary where the error is not explained.
func problemOf(err error) *Problem {
	if problem, ok := errors.AsType[*Problem](err); ok {
		return problem
	}
	if answer, ok := errors.AsType[*cluster.Error](err); ok {
		return &Problem{Leaf: answer.Leaf, Summary: answer.Summary, Detail: answer.Detail(), Err: err}
	}
	if errors.Is(err, context.Canceled) { // a request that was under way has nothing more to say
		return &Problem{Detail: "The work was interrupted.", Err: err}
	}
	return &Problem{Detail: sentence(err.Error()), Err: err}
}
