package clustertest

import (
	"strings"
	"testing"
)

// Has fails a test for each of the parts that a text lacks.
func Has(tb testing.TB, text string, parts ...string) {
	tb.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			tb.Errorf("%q is missing in:\n%s", part, text)
		}
	}
}
