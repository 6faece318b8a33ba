package shortcut

import "fmt"

// Problem is one thing that is wrong on one leaf, told to people.
type Problem struct {
	Leaf    string
	Summary string // what is wrong, a few words
	Detail  string // the evidence, and what to do
	Err     error  // the cause; may be nil

	refused bool  // nothing was written, so how far it got says nothing
	wait    *wait // the wait that did not end well; nil for a problem of another kind
}

// Error is the whole text.
func (p *Problem) Error() string { return fmt.Sprintf("leaf %q: %s.\n%s", p.Leaf, p.Summary, p.Detail) }

// Unwrap is the cause.
func (p *Problem) Unwrap() error { return p.Err }
