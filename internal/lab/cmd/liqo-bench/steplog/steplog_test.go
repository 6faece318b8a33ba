package steplog

import (
	"strings"
	"testing"
	"time"
)

// Rome's namespace takes longer than Milan's. The gateway waits for both, and for a step that takes
// no time.
const (
	at     = `"@timestamp":"2026-11-21T03:00:01.000000Z",`
	begins = `{"@level":"debug","@message":"step begins","@module":"provider.shortcut",` + at
	ends   = `{"@level":"info","@message":"step done","@module":"provider.shortcut",` + at
	log    = "not JSON\n" +
		begins + `"leaf":"milan","step":"namespace","timestamp":"2026-11-21T03:00:00.000Z"}` + "\n" +
		ends + `"duration_ms":10,"leaf":"milan","step":"namespace","timestamp":"2026-11-21T03:00:00.010Z"}` + "\n" +
		ends + `"duration_ms":25,"leaf":"rome","step":"namespace","timestamp":"2026-11-21T03:00:00.025Z"}` + "\n" +
		ends + `"duration_ms":28,"leaf":"milan","step":"Configuration","timestamp":"2026-11-21T03:00:00.040Z"}` + "\n" +
		ends + `"duration_ms":0,"leaf":"milan","step":"compare","timestamp":"2026-11-21T03:00:00.026Z"}` + "\n" +
		ends + `"duration_ms":100,"leaf":"milan","step":"GatewayServer","timestamp":"2026-11-21T03:00:00.126Z"}` + "\n" +
		`{"@level":"info","@message":"apply_complete",` + at +
		`"duration_ms":5,"timestamp":"2026-11-21T03:00:00.200Z"}`
)

func TestStepsAreReadInTheOrderInWhichTheyBegan(t *testing.T) {
	steps, err := Parse(strings.NewReader(log))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range steps {
		got = append(got, s.Leaf+" "+s.Name)
	}
	want := "milan namespace, rome namespace, milan Configuration, milan compare, milan GatewayServer"
	if strings.Join(got, ", ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
	last := steps[4]
	if last.Start != 26*time.Millisecond || last.Took != 100*time.Millisecond {
		t.Errorf("the last step begins at %v and takes %v", last.Start, last.Took)
	}
	if got, want := Span(steps), 126*time.Millisecond; got != want {
		t.Errorf("all takes %v, want %v", got, want)
	}
}

func TestTheCriticalPathGoesBackToTheStepThatWasWaitedFor(t *testing.T) {
	steps, err := Parse(strings.NewReader(log))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range steps {
		want := s.Name == "GatewayServer" || s.Name == "namespace" && s.Leaf == "rome"
		if s.Critical != want {
			t.Errorf("%s on %s: critical is %v", s.Name, s.Leaf, s.Critical)
		}
	}
}

func TestALogWithoutStepsIsAnError(t *testing.T) {
	if _, err := Parse(strings.NewReader("{}\n")); err == nil {
		t.Error("no error")
	}
}
