package shortcut

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

// roundTrips returns how many round trips to its distant leaves something waits for.
func roundTrips(t *testing.T, do func(context.Context) error) int {
	t.Helper()
	began := time.Now()
	must(t, do(t.Context()))
	return int(time.Since(began) / clustertest.RoundTrip)
}

// notJoined returns two leaves without a network.
func notJoined(t *testing.T) []*cluster.Leaf {
	t.Helper()
	rome, milan := romeAndMilan(t)
	return []*cluster.Leaf{rome, milan}
}

// joined returns two leaves with a shortcut.
func joined(t *testing.T) []*cluster.Leaf {
	t.Helper()
	leaves := notJoined(t)
	must(t, New(leaves[0], leaves[1]).OwnedBy(me).Connect(t.Context(), overNodePort))
	return leaves
}

// These numbers are the longest chains of requests of which each needs the answer to the one before. A larger one makes
// the provider slower where leaves are far away.
func TestEachOperationWaitsForAsFewRoundTripsAsItCan(t *testing.T) {
	for name, test := range map[string]struct {
		leaves     func(*testing.T) []*cluster.Leaf
		do         func(context.Context, *Shortcut) error
		roundTrips int
	}{
		"a refresh": {joined, func(ctx context.Context, s *Shortcut) error {
			_, err := s.Observe(ctx)
			return err
		}, 0},
		"the direction, for an import": {joined, func(ctx context.Context, s *Shortcut) error {
			_, err := s.Reversed(ctx)
			return err
		}, 0},
		"a refresh when nothing is left": {notJoined, func(ctx context.Context, s *Shortcut) error {
			_, err := s.Observe(ctx)
			return err
		}, 1},
		"an inspection": {joined, func(ctx context.Context, s *Shortcut) error {
			_, err := s.Inspect(ctx)
			return err
		}, 1},
		"a look for what is lost": {joined, func(ctx context.Context, s *Shortcut) error {
			_, err := s.lost(ctx)
			return err
		}, 1},
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
		"a survey": {joined, func(ctx context.Context, s *Shortcut) error {
			NewSurvey(ctx, []string{"rome", "milan"}, asking(func(name string) (*cluster.Leaf, error) {
				return s.Ends()[slices.Index([]string{"rome", "milan"}, name)].Leaf, nil
			}))
			return nil
		}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				leaves := test.leaves(t)
				s := New(clustertest.Distant(t, leaves[0]), clustertest.Distant(t, leaves[1])).OwnedBy(me)
				if got := roundTrips(t, func(ctx context.Context) error { return test.do(ctx, s) }); got != test.roundTrips {
					t.Errorf("it waits for %d round trips, and not for %d", got, test.roundTrips)
				}
			})
		})
	}
}
