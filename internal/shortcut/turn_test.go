package shortcut

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
)

// occupy lets another operation hold the turn until the end of the test.
func occupy(t *testing.T, s *Shortcut, owner end.Owner) *cluster.Lease {
	t.Helper()
	lease, err := s.first().Leaf.Hold(t.Context(), cluster.Claim{
		Name: leaseName(s.first()), Holder: "alice@ci/1", Mark: owner.Mark, Waiting: func(string) {},
		Lost: func(error) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	return lease
}

func TestTheErrorOfABlockedOperationNamesTheOtherOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(leafWith(t, "rome"), leafWith(t, "milan")).OwnedBy(me)
		lease := occupy(t, s, somebody)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := s.Connect(ctx, overNodePort)
		if !errors.Is(err, context.DeadlineExceeded) ||
			explain.Summary(err) != `another operation on the pair with "rome" has not ended on leaf "milan"` ||
			!strings.Contains(explain.Detail(err),
				"Lease liqo/terraform-provider-liqo.milan.rome is held by alice@ci/1.") {
			t.Errorf("got %q:\n%s", explain.Summary(err), explain.Detail(err))
		}
		if err := lease.Release(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestBothDirectionsOfAPairUseTheSameLeaf(t *testing.T) {
	rome, milan := leafWith(t, "rome"), leafWith(t, "milan")
	there, back := New(rome, milan), New(milan, rome)
	if there.first().Leaf != milan || back.first().Leaf != milan ||
		leaseName(there.first()) != leaseName(back.first()) {
		t.Errorf("they ask %s and %s", there.first().Leaf.Name, back.first().Leaf.Name)
	}
}

func TestALeftLeaseOfMineIsAReasonToCleanUp(t *testing.T) {
	for name, test := range map[string]struct {
		owner  end.Owner
		exists bool
	}{"mine": {me, true}, "somebody's": {somebody, false}} {
		synctest.Test(t, func(t *testing.T) {
			s := New(leafWith(t, "rome"), leafWith(t, "milan")).OwnedBy(me)
			lease := occupy(t, s, test.owner)
			if state, err := s.Observe(t.Context(), false); err != nil || state.Exists != test.exists {
				t.Errorf("%s: exists: %t (%v)", name, state.Exists, err)
			}
			if err := lease.Release(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}
