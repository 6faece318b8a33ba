package main

import (
	"slices"
	"testing"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/underlay"
)

// given reports whether a flag is one of these.
func given(flags ...string) func(string) bool {
	return func(name string) bool { return slices.Contains(flags, name) }
}

func TestALinkChangesAsFarAsFlagsSay(t *testing.T) {
	slow := underlay.Conditions{Delay: time.Second, Loss: 0.5}
	for name, test := range map[string]struct {
		change linkChange
		given  func(string) bool
		want   underlay.Conditions
	}{
		"no flag":       {linkChange{loss: "0%"}, given(), slow},
		"cut":           {linkChange{down: true}, given(), underlay.Conditions{Down: true, Delay: time.Second, Loss: 0.5}},
		"healed":        {linkChange{up: true}, given(), underlay.Conditions{}},
		"healed, lossy": {linkChange{up: true, loss: "10%"}, given("loss"), underlay.Conditions{Loss: 0.1}},
		"faster": {
			linkChange{delay: time.Millisecond},
			given("delay"),
			underlay.Conditions{Delay: time.Millisecond, Loss: 0.5},
		},
	} {
		got := slow
		if err := test.change.apply(&got, test.given); err != nil || got != test.want {
			t.Errorf("%s: got %+v, %v, want %+v", name, got, err, test.want)
		}
	}
}

func TestAnImpossibleLinkIsRefused(t *testing.T) {
	for _, loss := range []string{"101%", "-1", "much"} {
		if err := (linkChange{loss: loss}).apply(&underlay.Conditions{}, given("loss")); err == nil {
			t.Errorf("a loss of %s is accepted", loss)
		}
	}
	if err := (linkChange{delay: -time.Second}).apply(&underlay.Conditions{}, given("delay")); err == nil {
		t.Error("a negative delay is accepted")
	}
}
