package trouble

import (
	"errors"
	"slices"
	"testing"
)

func TestTheTextOfAProblemHasTheEvidenceAndThenTheAdvice(t *testing.T) {
	for name, test := range map[string]struct {
		problem        Problem
		headline, text string
	}{
		"of a leaf": {
			Problem{Leaf: "rome", Summary: "no permission", Evidence: []string{"It says no.", "Twice."}, Advice: "Grant it."},
			`no permission on leaf "rome"`, "leaf \"rome\": no permission.\nIt says no.\nTwice.\n\nGrant it.",
		},
		"of both leaves": {
			Problem{Summary: "no tunnel", Evidence: []string{"Nothing."}}, "no tunnel", "no tunnel.\nNothing.",
		},
		"without evidence": {Problem{Summary: "no name", Advice: "Set it."}, "no name", "no name.\nSet it."},
	} {
		t.Run(name, func(t *testing.T) {
			if test.problem.Headline() != test.headline || test.problem.Error() != test.text {
				t.Errorf("got %q:\n%s", test.problem.Headline(), test.problem.Error())
			}
		})
	}
}

func TestAProblemWrapsItsCause(t *testing.T) {
	cause := errors.New("forbidden")
	if !errors.Is(&Problem{Err: cause}, cause) {
		t.Error("the cause is lost")
	}
}

func TestProblemsHaveEachIDOnce(t *testing.T) {
	got := IDs(
		&Problem{ID: "a", Causes: []ID{"b"}}, &Problem{Summary: "nameless"}, &Problem{ID: "b", Causes: []ID{"c", "a"}},
	)
	if !slices.Equal(got, []ID{"a", "b", "c"}) {
		t.Errorf("got %q", got)
	}
}
