package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/relay"
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

func TestARelayPrintsTheConditionsThatHold(t *testing.T) {
	between, err := relay.Start("127.0.0.1:1", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer between.Close()
	var out strings.Builder
	if err := obey(between, strings.NewReader(`{"delay": 20000000, "cuts": 60} {}`), &out); err != nil {
		t.Fatal(err)
	}
	const want = `{"delay":20000000,"stalls":0,"cuts":60}` + "\n" + `{"delay":0,"stalls":0,"cuts":0}` + "\n"
	if out.String() != want {
		t.Errorf("got %s", out.String())
	}
	if err := obey(between, strings.NewReader(`{"lag": 1}`), &out); err == nil {
		t.Error("a condition that does not exist causes no error")
	}
}
