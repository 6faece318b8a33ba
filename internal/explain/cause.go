package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// cause is one thing that is wrong on a leaf and keeps waits from ending.
type cause struct {
	summary  string   // a few words, for the headline
	ofPair   bool     // the summary speaks of both leaves and names them; else it is of one leaf
	evidence []string // a paragraph each: which object, what its status and its events say
	advice   string   // what to do next, a sentence or more

	rank  rank       // of the explanation that has found it
	waits []*Problem // that it has kept from ending; nil before [merged]
}

// problemsOfWaits tells of the causes that waits have found. Causes that only follow from others are left out, and so are the waits that have
// found nothing else: a trouble of one leaf is not told as if it were the other's.
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

// merged lists the causes of all waits, the most fundamental first. What several waits have found is one cause.
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
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(one.Leaf, other.Leaf), cmp.Compare(one.waitedFor, other.waitedFor))
	})
	var causes []cause
	for _, c := range everything {
		i := slices.IndexFunc(causes, func(known cause) bool { return known.summary == c.summary && known.leaf() == c.leaf() })
		if i < 0 {
			causes = append(causes, c)
			continue
		}
		known := &causes[i]
		known.waits = append(known.waits, c.waits...)
		for _, line := range c.evidence {
			if !slices.Contains(known.evidence, line) {
				known.evidence = append(slices.Clip(known.evidence), line)
			}
		}
	}
	return causes
}

// leaf is where the cause is; empty where it is of both leaves.
func (c cause) leaf() string {
	if c.ofPair {
		return ""
	}
	return c.waits[0].Leaf
}

// problem is what users read of the cause: what was waited for, what the leaf shows, and what to do, a paragraph each.
func (c cause) problem() *Problem {
	evidence := append(slices.Clone(c.evidence), c.unanswered()...)
	for i, line := range evidence {
		evidence[i] = sentence(line)
	}
	paragraphs := []string{c.waitedFor(), strings.Join(evidence, "\n"), c.advice}
	paragraphs = slices.DeleteFunc(paragraphs, func(text string) bool { return text == "" })
	return &Problem{Leaf: c.leaf(), Summary: c.summary, Detail: strings.Join(paragraphs, "\n\n")}
}

// unanswered is a sentence on what the leaves did not answer, or none.
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
	return []string{"Some diagnostics could not be read; there may be other causes: " + strings.Join(unanswered, "; ")}
}

// waitedFor is a sentence on what was waited for where; empty where nothing was. What both leaves have been waited for is said once.
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
