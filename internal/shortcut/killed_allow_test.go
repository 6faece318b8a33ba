package shortcut

import (
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo/liqotest"
)

// ofNetworks is a namespace of the user's own, which stays when a shortcut goes.
func ofNetworks() *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "networks"}}
}

// everyKill runs a test with a shortcut in namespaces of the user's own, for each number of writes after which an
// operation is killed. The test returns whether the operation needs no more writes than that.
func everyKill(t *testing.T, survives func(*testing.T, *Shortcut, Spec, int64) bool) {
	t.Helper()
	finished := false
	for writes := int64(0); !finished; writes++ {
		synctest.Test(t, func(t *testing.T) { // the lease of a killed apply has to expire
			rome := liqotest.Leaf(t, "rome", append(ranges("10.0.0.0/16"), ofNetworks())...)
			milan := liqotest.Leaf(t, "milan", append(ranges("10.1.0.0/16"), ofNetworks())...)
			s, spec := New(rome, milan).OwnedBy(me), overNodePort
			spec.WaitForConnection = true
			spec.ClientEnd.Namespace, spec.ServerEnd.Namespace = "networks", "networks"
			finished = survives(t, s, spec, writes)
		})
	}
}

// killedAfter runs Connect, which is killed after that many writes. It reports whether it has ended before.
func killedAfter(t *testing.T, s *Shortcut, spec Spec, writes int64) bool {
	t.Helper()
	revive := dieAfter(writes, s.Client.Leaf, s.Server.Leaf)
	defer revive()
	return s.Connect(t.Context(), spec) == nil
}

func expectNoRules(t *testing.T, s *Shortcut, writes int64) {
	t.Helper()
	for _, e := range s.Ends() {
		if left := rulesAt(t, e); len(left) > 0 {
			t.Errorf("killed after %d writes: %s still has rules %s/%s", writes, e.Leaf.Name, left[0].Namespace, left[0].Name)
		}
	}
}

func TestADestroyLeavesNoRulesOfACreateThatWasKilled(t *testing.T) {
	everyKill(t, func(t *testing.T, s *Shortcut, spec Spec, writes int64) bool {
		t.Helper()
		spec.Allow, spec.Create = database, true
		finished := killedAfter(t, s, spec, writes)
		if err := s.Disconnect(t.Context(), Removal{}); err != nil {
			t.Fatal(err)
		}
		expectNoRules(t, s, writes)
		return finished
	})
}

func TestTheNextCreateHasNoRulesOfOneThatWasKilled(t *testing.T) {
	everyKill(t, func(t *testing.T, s *Shortcut, spec Spec, writes int64) bool {
		t.Helper()
		limited := spec
		limited.Allow, limited.Create, spec.Create = database, true, true
		if killedAfter(t, New(s.Client.Leaf, s.Server.Leaf).OwnedBy(killed), limited, writes) {
			return true
		}
		if HasOtherOwner(s.CheckFree(t.Context(), spec)) {
			return true // the kill came after the release of the lease
		}
		s.connects(t, spec)
		if got, status := allowedBy(t, s); got != nil || status != Connected {
			t.Errorf("killed after %d writes: the next one has %+v, %s", writes, got, status)
		}
		expectNoRules(t, s, writes)
		return false
	})
}

func TestRulesOfAKilledChangeAreSeenAndGoWithTheNextApply(t *testing.T) {
	everyKill(t, func(t *testing.T, s *Shortcut, spec Spec, writes int64) (finished bool) {
		t.Helper()
		limited := spec
		limited.Allow = database
		for _, change := range []struct{ from, to Spec }{{spec, limited}, {limited, spec}} {
			s.connects(t, change.from)
			finished = killedAfter(t, s, change.to, writes)
			allow, status := allowedBy(t, s)
			rules := len(rulesAt(t, s.Client)) + len(rulesAt(t, s.Server))
			if status == Connected && allow == nil && rules > 0 {
				t.Errorf("killed after %d writes: %d objects have rules, and nothing shows them", writes, rules)
			}
			s.connects(t, spec)
			if got, status := allowedBy(t, s); got != nil || status != Connected {
				t.Errorf("killed after %d writes: it became %+v, %s", writes, got, status)
			}
			expectNoRules(t, s, writes)
		}
		return finished
	})
}
