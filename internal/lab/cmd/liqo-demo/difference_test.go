package main

import (
	"slices"
	"testing"
)

func TestDifferenceNamesWhatOneListHasAndTheOtherHasNot(t *testing.T) {
	tests := map[string]struct{ before, after, added, removed []string }{
		"both empty":  {},
		"the same":    {before: []string{"a", "b"}, after: []string{"a", "b"}},
		"first":       {after: []string{"a"}, added: []string{"a"}},
		"last":        {before: []string{"a"}, removed: []string{"a"}},
		"in between":  {before: []string{"a", "c"}, after: []string{"a", "b", "c"}, added: []string{"b"}},
		"both":        {before: []string{"a", "b"}, after: []string{"b", "c"}, added: []string{"c"}, removed: []string{"a"}},
		"twice, once": {before: []string{"a", "a"}, after: []string{"a"}, removed: []string{"a"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			added, removed := difference(test.before, test.after)
			if !slices.Equal(added, test.added) || !slices.Equal(removed, test.removed) {
				t.Errorf("added %q, removed %q; want %q and %q", added, removed, test.added, test.removed)
			}
		})
	}
}
