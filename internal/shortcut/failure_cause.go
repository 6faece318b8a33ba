package shortcut

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// wait is a wait on one leaf that did not end well, and what is known of the reason.
type wait struct {
	leaf        string
	what        string // completes "waiting for …"; empty where nobody has waited, and the shortcut is only looked at
	interrupted bool   // by the user; else time ran out
	findings    []finding
	unanswered  []string // why questions about the reason got no answer
}

// cause is one finding, and the waits that it has kept from ending.
type cause struct {
	finding

	headline string
	waits    []*wait
}

// accountsOfWaits tells of the causes that the waits have found. Findings that only follow from others are left out, and so are the waits that have
// found nothing else: a trouble of one leaf is not told as if it were the other's.
func accountsOfWaits(waits []*wait) []account {
	causes := causesOf(waits)
	rooted := slices.ContainsFunc(causes, func(c *cause) bool { return !c.isConsequence() })
	var all []account
	for _, c := range causes {
		if !rooted || !c.isConsequence() {
			all = append(all, account{c.headline, c.tell()})
		}
	}
	return all
}

// causesOf groups findings by what they say, the most fundamental first.
func causesOf(waits []*wait) []*cause {
	type found struct {
		finding

		wait *wait
	}
	var everything []found
	for _, w := range waits {
		for _, f := range w.findings {
			everything = append(everything, found{f, w})
		}
	}
	slices.SortStableFunc(everything, func(a, b found) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.wait.leaf, b.wait.leaf), cmp.Compare(a.wait.what, b.wait.what))
	})
	var causes []*cause
	for _, f := range everything {
		headline := f.summary
		if !f.ofPair {
			headline = onLeaf(f.summary, f.wait.leaf)
		}
		i := slices.IndexFunc(causes, func(c *cause) bool { return c.headline == headline })
		if i < 0 {
			causes = append(causes, &cause{finding: f.finding, headline: headline, waits: []*wait{f.wait}})
			continue
		}
		known := causes[i]
		known.waits = append(known.waits, f.wait)
		for _, line := range f.evidence {
			if !slices.Contains(known.evidence, line) {
				known.evidence = append(slices.Clip(known.evidence), line)
			}
		}
	}
	return causes
}

// tell is what was waited for, what the leaf shows, and what to do, a paragraph each.
func (c *cause) tell() string {
	paragraphs := []string{c.waitedFor()}
	evidence := append(slices.Clone(c.evidence), c.unanswered()...)
	for i, line := range evidence {
		evidence[i] = sentence(line)
	}
	return strings.Join(slices.DeleteFunc(append(paragraphs, strings.Join(evidence, "\n"), c.advice), func(p string) bool { return p == "" }), "\n\n")
}

// unanswered is a sentence on what the leaves did not answer, or none.
func (c *cause) unanswered() []string {
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
	return []string{"Some diagnostics could not be read; there may be other causes: " + strings.Join(unanswered, "; ")}
}

// waitedFor is a sentence on what was waited for where; empty where nothing was. What both leaves have been waited for is said once.
func (c *cause) waitedFor() string {
	if !slices.ContainsFunc(c.waits, func(w *wait) bool { return w.what != "" }) {
		return ""
	}
	var (
		whats  []string
		leaves = map[string][]string{} // keyed by what
		ended  = "Time ran out"
	)
	for _, w := range c.waits {
		if w.interrupted {
			ended = "The work was interrupted"
		}
		if !slices.Contains(whats, w.what) {
			whats = append(whats, w.what)
		}
		if leaf := fmt.Sprintf("%q", w.leaf); !slices.Contains(leaves[w.what], leaf) {
			leaves[w.what] = append(leaves[w.what], leaf)
		}
	}
	var parts []string
	for i, what := range whats {
		part := "for " + what
		if i == len(whats)-1 || !slices.Equal(leaves[what], leaves[whats[i+1]]) {
			part += " on " + enumerate(leaves[what])
		}
		parts = append(parts, part)
	}
	return fmt.Sprintf("%s while waiting %s.", ended, enumerate(parts))
}
