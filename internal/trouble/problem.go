package trouble

import (
	"fmt"
	"slices"
	"strings"
)

// Problem says what is wrong and what to do about it. It is an error with a text for users.
type Problem struct {
	ID       ID       // of the guide's entry, or NoEntry
	Leaf     string   // the user's name for it; empty if the problem is about both leaves or none
	Summary  string   // what is wrong, in a few words
	Evidence []string // what was observed, a line each
	Advice   string   // what to do, after what one has to know for it; may have paragraphs
	Causes   []ID     // of the entries about what has caused it, as far as the text says it

	Err     error // the cause; may be nil
	Refused bool  // nothing was written, so the text omits how far each step got
}

// Headline returns the summary and the leaf. It is empty if there is no summary.
func (p *Problem) Headline() string {
	if p.Leaf == "" {
		return p.Summary
	}
	return fmt.Sprintf("%s on leaf %q", p.Summary, p.Leaf)
}

// Detail returns the text below the headline: a paragraph with the evidence, and the advice.
func (p *Problem) Detail() string { return Paragraphs(strings.Join(p.Evidence, "\n"), p.Advice) }

// Error returns the whole text.
func (p *Problem) Error() string {
	if p.Leaf == "" {
		return fmt.Sprintf("%s.\n%s", p.Summary, p.Detail())
	}
	return fmt.Sprintf("leaf %q: %s.\n%s", p.Leaf, p.Summary, p.Detail())
}

// Unwrap returns the cause.
func (p *Problem) Unwrap() error { return p.Err }

// IDs returns the IDs of these problems, each once: for each problem first its own, then those of what has caused it.
func IDs(problems ...*Problem) []ID {
	var ids []ID
	for _, one := range problems {
		for _, id := range append([]ID{one.ID}, one.Causes...) {
			if id != NoEntry && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// Paragraphs joins the texts that are not empty.
func Paragraphs(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), "\n\n")
}
