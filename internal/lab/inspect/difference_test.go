package inspect

import (
	"slices"
	"testing"
)

func TestADifferenceNamesWhatOneInventoryHasAndTheOtherHasNot(t *testing.T) {
	tests := map[string]struct{ before, after, lines []string }{
		"both empty":   {},
		"the same":     {before: []string{"a", "b"}, after: []string{"a", "b"}},
		"first":        {after: []string{"a"}, lines: []string{"+ a"}},
		"last":         {before: []string{"a"}, lines: []string{"- a"}},
		"in between":   {before: []string{"a", "c"}, after: []string{"a", "b", "c"}, lines: []string{"+ b"}},
		"both":         {before: []string{"a", "b"}, after: []string{"b", "c"}, lines: []string{"+ c", "- a"}},
		"in any order": {before: []string{"b", "a"}, after: []string{"c", "b"}, lines: []string{"+ c", "- a"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := Compare(test.before, test.after)
			if !slices.Equal(got.Lines(), test.lines) || got.Empty() != (len(test.lines) == 0) {
				t.Errorf("got %+v, want %q", got, test.lines)
			}
		})
	}
}
