package shortcut

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

// notJoined is a shortcut that is not made yet.
func notJoined(t *testing.T) *Shortcut {
	t.Helper()
	s, _ := toConnect(t)
	return s
}

// joined is one that is made.
func joined(t *testing.T) *Shortcut {
	t.Helper()
	s, spec := toConnect(t)
	s.connects(t, spec)
	return s
}

// These numbers are the longest chains of requests of which each needs the answer to the one before. A larger one makes
// the provider slower where leaves are far away.
func TestEachOperationWaitsForAsFewRoundTripsAsItCan(t *testing.T) {
	for name, test := range map[string]struct {
		shortcut   func(*testing.T) *Shortcut
		do         func(context.Context, *Shortcut) error
		roundTrips int
	}{
		"a refresh":                      {joined, observe, 0},
		"a refresh when nothing is left": {notJoined, observe, 1},
		"an inspection":                  {joined, inspect, 1},
		"a survey":                       {joined, survey, 1},
		"the direction, for an import": {
			joined, func(ctx context.Context, s *Shortcut) error { return errorOf(s.Reversed(ctx)) }, 0,
		},
		"a look for what is lost": {
			joined, func(ctx context.Context, s *Shortcut) error { return errorOf(s.lost(ctx)) }, 1,
		},
		"a create": {notJoined, func(ctx context.Context, s *Shortcut) error {
			spec := overNodePort
			spec.Create = true
			return s.Connect(ctx, spec)
		}, 7},
		"a destroy": {joined, func(ctx context.Context, s *Shortcut) error { return s.Disconnect(ctx, Removal{}) }, 5},
		"an update of the MTU": {joined, func(ctx context.Context, s *Shortcut) error {
			spec := overNodePort
			spec.MTU = 1400
			return s.Connect(ctx, spec.shareSettings())
		}, 11},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := test.shortcut(t)
				for _, e := range s.Ends() {
					clustertest.Distant(t, e.Leaf)
				}
				began := time.Now()
				must(t, test.do(t.Context(), s))
				if got := int(time.Since(began) / clustertest.RoundTrip); got != test.roundTrips {
					t.Errorf("it waits for %d round trips, and not for %d", got, test.roundTrips)
				}
			})
		})
	}
}

func observe(ctx context.Context, s *Shortcut) error { return errorOf(s.Observe(ctx)) }
func inspect(ctx context.Context, s *Shortcut) error { return errorOf(s.Inspect(ctx)) }

// survey surveys both leaves of a shortcut.
func survey(ctx context.Context, s *Shortcut) error {
	leaves := map[string]*cluster.Leaf{"client": s.Client.Leaf, "server": s.Server.Leaf}
	NewSurvey(ctx, []string{"client", "server"},
		asking(func(name string) (*cluster.Leaf, error) { return leaves[name], nil }))
	return ctx.Err()
}

// operations are all things that a provider does with a shortcut. Each continues from the one before.
var operations = []struct {
	name string
	do   func(context.Context, *Shortcut) error
}{
	{"connect", func(ctx context.Context, s *Shortcut) error { return s.Connect(ctx, overNodePort) }},
	{"observe", observe},
	{"inspect", inspect},
	{"survey", survey},
	{"update", func(ctx context.Context, s *Shortcut) error {
		spec := overNodePort
		spec.MTU = 1400
		return s.Connect(ctx, spec)
	}},
	{"refused connect", func(ctx context.Context, s *Shortcut) error {
		if err := New(s.Client.Leaf, s.Server.Leaf).OwnedBy(somebody).Connect(ctx, overNodePort); err == nil {
			return errors.New("it was not refused")
		}
		return ctx.Err()
	}},
	{"disconnect", func(ctx context.Context, s *Shortcut) error { return s.Disconnect(ctx, Removal{}) }},
}

func TestNothingRunsAfterAnOperation(t *testing.T) {
	s, _ := toConnect(t)
	before := goleak.IgnoreCurrent()
	for _, operation := range operations {
		if err := operation.do(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", operation.name, err)
		}
		if err := goleak.Find(before); err != nil {
			t.Errorf("after %s: %v", operation.name, err)
		}
	}
}

func TestNothingRunsAfterAnInterruptedOperation(t *testing.T) {
	for _, operation := range operations {
		rome, milan := leafWith(t, "rome"), leafWith(t, "milan") // without Liqo, so nothing that is waited for happens
		before := goleak.IgnoreCurrent()
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		_ = operation.do(ctx, New(rome, milan).OwnedBy(owner.Owner{Token: operation.name})) // it may end before
		cancel()
		if err := goleak.Find(before); err != nil {
			t.Errorf("after %s: %v", operation.name, err)
		}
	}
}
