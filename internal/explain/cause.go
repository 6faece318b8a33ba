package explain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// cause is one problem of a leaf that keeps waits from ending.
type cause struct {
	trouble.Problem // without the leaf; the evidence is an object, its status and its events

	rank  rank    // of the explanation that found the cause
	waits []*wait // that the cause keeps from ending; nil before [merged]
}

// ranked returns the causes that an explanation of this rank has found.
func ranked(at rank, found []trouble.Problem) []cause {
	causes := make([]cause, len(found))
	for i, problem := range found {
		causes[i] = cause{Problem: problem, rank: at}
	}
	return causes
}

// problemsOfWaits returns the causes that these waits have found. It omits causes that only follow from others,
// together with the waits that have found nothing else. Otherwise users would see a problem of one leaf as a problem of
// the other leaf.
func problemsOfWaits(waits []*wait) []*trouble.Problem {
	causes := merged(waits)
	rooted := slices.ContainsFunc(causes, func(c cause) bool { return !c.rank.isConsequence() })
	var all []*trouble.Problem
	for _, c := range causes {
		if !rooted || !c.rank.isConsequence() {
			all = append(all, c.problem())
		}
	}
	return all
}

// merged returns the causes of all waits, the most fundamental first. If several waits have found the same cause, it
// returns this cause once.
func merged(waits []*wait) []cause {
	var everything []cause
	for _, w := range waits {
		for _, c := range w.causes {
			c.waits = []*wait{w}
			everything = append(everything, c)
		}
	}
	slices.SortStableFunc(everything, func(a, b cause) int {
		one, other := a.waits[0], b.waits[0]
		return cmp.Or(
			cmp.Compare(a.rank, b.rank), cmp.Compare(one.leaf, other.leaf), cmp.Compare(one.waitedFor, other.waitedFor),
		)
	})
	var causes []cause
	for _, c := range everything {
		if i := slices.IndexFunc(causes, c.isSame); i < 0 {
			causes = append(causes, c)
		} else {
			causes[i] = causes[i].and(c)
		}
	}
	return causes
}

func (c cause) isSame(other cause) bool {
	return c.Summary == other.Summary && c.leaf() == other.leaf()
}

// and returns the cause with the waits and the evidence of the same one.
func (c cause) and(same cause) cause {
	c.waits, c.Causes = slices.Concat(c.waits, same.waits), slices.Concat(c.Causes, same.Causes)
	for _, line := range same.Evidence {
		if !slices.Contains(c.Evidence, line) {
			c.Evidence = append(slices.Clip(c.Evidence), line)
		}
	}
	return c
}

// leaf returns the leaf of the cause, or an empty string if the cause is about both leaves.
func (c cause) leaf() string {
	if c.rank.isOfPair() {
		return ""
	}
	return c.waits[0].leaf
}

// problem returns the problem for users. Its text has three paragraphs: what the provider waited for, what the leaf
// shows, and what to do.
func (c cause) problem() *trouble.Problem {
	lines := append(slices.Clone(c.Evidence), c.unanswered()...)
	for i, line := range lines {
		lines[i] = sentence(line)
	}
	problem := c.Problem
	problem.Leaf = c.leaf()
	problem.Evidence = []string{trouble.Paragraphs(c.waitedFor(), strings.Join(lines, "\n"))}
	return &problem
}

// unanswered returns a sentence about the requests that the leaves did not answer. It returns nil if there are none.
func (c cause) unanswered() []string {
	var unanswered []string
	for _, w := range c.waits {
		for _, why := range w.unanswered {
			if !slices.Contains(unanswered, why) {
				unanswered = append(unanswered, why)
			}
		}
	}
	if len(unanswered) == 0 {
		return nil
	}
	return []string{
		"Some diagnostics could not be read; there may be other causes: " + strings.Join(unanswered, "; "),
	}
}

// waitedFor returns a sentence about what the provider waited for, and on which leaves. It mentions a wait on both
// leaves once. It returns an empty string if the provider did not wait.
func (c cause) waitedFor() string {
	if !slices.ContainsFunc(c.waits, func(w *wait) bool { return w.waitedFor != "" }) {
		return ""
	}
	var (
		whats  []string
		leaves = map[string][]string{} // keyed by what
		ended  = "Time ran out"
	)
	for _, w := range c.waits {
		what := w.waitedFor
		if errors.Is(w.err, context.Canceled) {
			ended = "The work was interrupted"
		}
		if errors.Is(w.err, ErrRefused) {
			ended = "A refusal was found"
		}
		if !slices.Contains(whats, what) {
			whats = append(whats, what)
		}
		if leaf := fmt.Sprintf("%q", w.leaf); !slices.Contains(leaves[what], leaf) {
			leaves[what] = append(leaves[what], leaf)
		}
	}
	var parts []string
	for i, what := range whats {
		part := "for " + what
		if i == len(whats)-1 || !slices.Equal(leaves[what], leaves[whats[i+1]]) {
			part += " on " + trouble.Enumerate(leaves[what])
		}
		parts = append(parts, part)
	}
	return fmt.Sprintf("%s while waiting %s.", ended, trouble.Enumerate(parts))
}
