package shortcut

import (
	"testing"
)

func TestItIsRecordedWhetherTheTunnelWasSeenUp(t *testing.T) {
	owner := Owner{Token: "ours"}
	configuration := theirs("rome")
	owner.mark(configuration)
	server := milansEnd(t, configuration)
	server.owner = owner
	for _, test := range []struct{ sees, recorded bool }{{false, false}, {true, true}, {false, true}} {
		if err := server.complete(t.Context(), test.sees); err != nil {
			t.Fatal(err)
		}
		found, err := server.find(t.Context())
		if err != nil || found.wasConnected() != test.recorded || completeBy(found.configuration) != "ours" {
			t.Errorf("seen: %t; it says %q (%v)", test.sees, found.configuration.Annotations[completeAnnotation], err)
		}
	}
}

func TestWhatIsTakenCanBeGivenBackAsItWas(t *testing.T) {
	for name, before := range map[string]Owner{"people's": {}, "another's": somebody} {
		configuration := theirs("rome")
		if before.Token != "" {
			before.mark(configuration)
		}
		milan := milansEnd(t, configuration)
		milan.owner = me
		if err := milan.take(t.Context(), configuration, true, false); err != nil {
			t.Fatal(err)
		}
		if found, err := milan.find(t.Context()); err != nil || !me.marked(found.configuration) {
			t.Errorf("%s: it is not mine: %v (%v)", name, found.configuration.Annotations, err)
		}
		if err := milan.giveBack(t.Context()); err != nil {
			t.Fatal(err)
		}
		found, err := milan.find(t.Context())
		if err != nil || tokenOf(found.configuration) != before.Token || managed(found.configuration) != (before.Token != "") {
			t.Errorf("%s: it is marked %v, %v (%v)", name, found.configuration.Labels, found.configuration.Annotations, err)
		}
	}
}

func TestASecondAdoptionGivesBackToWhomTheFirstTookFromUnlessThatOneWasComplete(t *testing.T) {
	for complete, expected := range map[bool]string{false: "", true: somebody.Token} {
		configuration := theirs("rome") // people's, before somebody adopted it
		setAnnotation(configuration, previousAnnotation, previous{}.encode())
		somebody.mark(configuration)
		milan := milansEnd(t, configuration)
		milan.owner = me
		if err := milan.take(t.Context(), configuration, true, complete); err != nil {
			t.Fatal(err)
		}
		if err := milan.giveBack(t.Context()); err != nil {
			t.Fatal(err)
		}
		if found, err := milan.find(t.Context()); err != nil || tokenOf(found.configuration) != expected {
			t.Errorf("complete: %t: it is %q's (%v)", complete, tokenOf(found.configuration), err)
		}
	}
}
