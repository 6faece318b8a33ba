package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// cause is one problem of a leaf that keeps waits from ending.
type cause struct {
	trouble  trouble.ID   // of the guide's entry
	also     []trouble.ID // of the entries about what has caused it
	summary  string       // a few words, for the headline
	ofPair   bool         // the summary is about both leaves and names them; otherwise it is about one leaf
	evidence []string     // a paragraph each: the object, its status and its events
	advice   string       // what to do next, in full sentences

	rank  rank       // of the explanation that found the cause
	waits []*Problem // that the cause keeps from ending; nil before [merged]
}

// problemsOfWaits returns the causes that these waits have found. It omits causes that only follow from others,
// together with the waits that have found nothing else. Otherwise users would see a problem of one leaf as a problem of
// the other leaf.
func problemsOfWaits(waits []*Problem) []*Problem {
	causes := merged(waits)
	rooted := slices.ContainsFunc(causes, func(c cause) bool { return !c.rank.isConsequence() })
	var all []*Problem
	for _, c := range causes {
		if !rooted || !c.rank.isConsequence() {
			all = append(all, c.problem())
		}
	}
	return all
}

// merged returns the causes of all waits, the most fundamental first. If several waits have found the same cause, it
// returns this cause once.
func merged(waits []*Problem) []cause {
	var everything []cause
	for _, wait := range waits {
		for _, c := range wait.causes {
			c.waits = []*Problem{wait}
			everything = append(everything, c)
		}
	}
	slices.SortStableFunc(everything, func(a, b cause) int {
		one, other := a.waits[0], b.waits[0]
		return cmp.Or(
			cmp.Compare(a.rank, b.rank), cmp.Compare(one.Leaf, other.Leaf), cmp.Compare(one.waitedFor, other.waitedFor),
		)
	})
	var causes []cause
	for _, c := range everything {
		i := slices.IndexFunc(causes, func(known cause) bool {
			return known.summary == c.summary && known.leaf() == c.leaf()
		})
		if i < 0 {
			causes = append(causes, c)
			continue
		}
		known := &causes[i]
		known.waits = append(known.waits, c.waits...)
		known.also = append(slices.Clip(known.also), c.also...)
		for _, line := range c.evidence {
			if !slices.Contains(known.evidence, line) {
				known.evidence = append(slices.Clip(known.evidence), line)
			}
		}
	}
	return causes
}

// leaf returns the leaf of the cause, or an empty string if the cause is about both leaves.
func (c cause) leaf() string {
	if c.ofPair {
		return ""
	}
	return c.waits[0].Leaf
}

// problem returns the text for users in three paragraphs: what the provider waited for, what the leaf shows, and what
// to do.
func (c cause) problem() *Problem {
	evidence := append(slices.Clone(c.evidence), c.unanswered()...)
	for i, line := range evidence {
		evidence[i] = sentence(line)
	}
	paragraphs := []string{c.waitedFor(), strings.Join(evidence, "\n"), c.advice}
	paragraphs = slices.DeleteFunc(paragraphs, func(text string) bool { return text == "" })
	return &Problem{
		Leaf: c.leaf(), Trouble: c.trouble, Summary: c.summary, Detail: strings.Join(paragraphs, "\n\n"), also: c.also,
	}
}

// unanswered returns a sentence about the requests that the leaves did not answer. It returns nil if there are none.
func (c cause) unanswered() []string {
	var unanswered []string
	for _, wait := range c.waits {
		for _, why := range wait.unanswered {
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
	if !slices.ContainsFunc(c.waits, func(wait *Problem) bool { return wait.waitedFor != "" }) {
		return ""
	}
	var (
		whats  []string
		leaves = map[string][]string{} // keyed by what
		ended  = "Time ran out"
	)
	for _, wait := range c.waits {
		what := wait.waitedFor
		if wait.interrupted() {
			ended = "The work was interrupted"
		}
		if !slices.Contains(whats, what) {
			whats = append(whats, what)
		}
		if leaf := fmt.Sprintf("%q", wait.Leaf); !slices.Contains(leaves[what], leaf) {
			leaves[what] = append(leaves[what], leaf)
		}
	}
	var parts []string
	for i, what := range whats {
		part := "for " + what
		if i == len(whats)-1 || !slices.Equal(leaves[what], leaves[whats[i+1]]) {
			part += " on " + Enumerate(leaves[what])
		}
		parts = append(parts, part)
	}
	return fmt.Sprintf("%s while waiting %s.", ended, Enumerate(parts))
}
