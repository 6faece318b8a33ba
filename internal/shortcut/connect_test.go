package shortcut

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	coordinationv1 "k8s.io/api/coordination/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

func TestIPv6RangesAreRefusedBeforeAnythingIsWritten(t *testing.T) {
	for name, end := range map[string]end.Announcement{
		"pods":          {PodCIDRs: []string{"10.1.0.0/16", "fd00::/64"}},
		"external CIDR": {ExternalCIDR: "fd00::/64"},
	} {
		t.Run(name, func(t *testing.T) {
			rome, milan := leafWith(t, "rome"), leafWith(t, "milan")
			shortcut := New(rome, milan)
			spec := overNodePort
			spec.ClientEnd.Announcement = end
			_, refused := shortcut.Announce(t.Context(), shortcut.Client, end)
			for _, err := range []error{refused, shortcut.Connect(t.Context(), spec)} {
				var problem *trouble.Problem
				if !errors.As(err, &problem) || problem.Leaf != "rome" ||
					problem.Summary != "Liqo can't join the IPv6 range fd00::/64" {
					t.Errorf("got %v", err)
				}
			}
			if n, err := shortcut.find(t.Context()); err != nil || len(n.made()) > 0 {
				t.Errorf("something was written (%v)", err)
			}
		})
	}
}

func TestAForbiddenRemappingIsRefusedBeforeAnythingIsWritten(t *testing.T) {
	spec := overNodePort
	spec.ForbidRemapping = true
	for name, test := range map[string]struct {
		rome, milan string // pod CIDRs
		refused     bool
	}{
		"the same":  {"10.203.0.0/16", "10.203.0.0/16", true},
		"a part":    {"10.0.0.0/8", "10.203.0.0/16", true},
		"different": {"10.202.0.0/16", "10.203.0.0/16", false},
	} {
		t.Run(name, func(t *testing.T) {
			s := New(clustertest.Leaf(t, "rome", ranges(test.rome)...),
				clustertest.Leaf(t, "milan", ranges(test.milan)...)).OwnedBy(me)
			if err := s.connectUntilTaken(t, spec); errors.Is(err, end.ErrRemapped) != test.refused {
				t.Error(err)
			} else if test.refused && (!strings.HasPrefix(explain.Summary(err),
				"remapping is forbidden, and needed on leaf ") ||
				!strings.Contains(explain.Detail(err), " overlaps with ") ||
				!strings.Contains(explain.Detail(err), "Nothing was changed.")) {
				t.Errorf("got %q:\n%s", explain.Summary(err), explain.Detail(err))
			}
			if state, err := s.Observe(t.Context()); err != nil || state.Joined == test.refused {
				t.Errorf("something was written: %t (%v)", state.Joined, err)
			}
		})
	}
}

func TestConnectTakesObjectsThatAreMineOrNobodys(t *testing.T) {
	refused := map[string]bool{"another's": true, "made by liqoctl": true, "a peering's": true}
	for name, objects := range belongings() {
		t.Run(name, func(t *testing.T) {
			s := joinedAtRome(t, objects)
			before := s.atRome(t)
			err := s.connectUntilTaken(t, overNodePort)
			if err == nil {
				t.Fatal("without Liqo, it can't succeed")
			}
			after := s.atRome(t)
			if refused[name] {
				if after.ResourceVersion != before.ResourceVersion {
					t.Errorf("it was refused, and changed %v to %v", before.ObjectMeta, after.ObjectMeta)
				}
				return
			}
			if !me.Marked(after) {
				t.Errorf("it is not mine: %v (%v)", after.Annotations, err)
			}
		})
	}
}

// connectUntilTaken runs a connect until the Configuration on Rome is mine, or the connect is refused.
func (s *Shortcut) connectUntilTaken(t *testing.T, spec Spec) error {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		defer cancel()
		_ = s.Client.Leaf.Until(ctx, "milan", func(ctx context.Context) (bool, error) {
			objects, err := s.Client.Find(ctx)
			return objects.Configuration != nil && me.Marked(objects.Configuration) &&
				objects.Configuration.Annotations[owner.ManagedBy+"/origin"] != "", err
		}, &networkingv1beta1.Configuration{})
	}()
	return s.Connect(ctx, spec)
}

// countDeletions counts what is deleted from a leaf from now on, except for leases.
func countDeletions(leaf *cluster.Leaf) *atomic.Int32 {
	var deletions atomic.Int32
	clustertest.On(leaf, "delete", func(call clustertest.Call[any]) error {
		if _, lease := call.Object.(*coordinationv1.Lease); !lease {
			deletions.Add(1)
		}
		return call.Send()
	})
	return &deletions
}

func TestAShortcutIsMadeOnceAndTakenApartWhole(t *testing.T) {
	rome, milan := romeAndMilan(t)
	atRome, atMilan := countDeletions(rome), countDeletions(milan)
	s := New(rome, milan).OwnedBy(me)
	spec := overNodePort
	spec.MTU, spec.WaitForConnection = 1400, true
	for _, again := range []bool{false, true} {
		if err := s.Connect(t.Context(), spec); err != nil {
			t.Fatalf("again: %t: %v", again, err)
		}
		state, err := s.Observe(t.Context())
		if err != nil || state.Status != Connected || state.ClientGateway.MTU != 1400 || state.ServerGateway.MTU != 1400 ||
			len(state.Duplicates) > 0 {
			t.Fatalf("again: %t: %+v (%v)", again, state, err)
		}
		if n, err := s.find(t.Context()); err != nil || !n.complete(me.Token) {
			t.Errorf("again: %t: it is not complete (%v)", again, err)
		}
	}
	if atRome.Load() > 0 || atMilan.Load() > 0 {
		t.Errorf("%d objects were deleted on Rome, %d on Milan", atRome.Load(), atMilan.Load())
	}

	spec.MTU = 1300 // changes both gateways, and nothing else
	must(t, s.Connect(t.Context(), spec))
	state, err := s.Observe(t.Context())
	if err != nil || state.ClientGateway.MTU != 1300 || state.ServerGateway.MTU != 1300 || state.Status != Connected {
		t.Errorf("after a change, it is %+v (%v)", state, err)
	}
	if atRome.Load() > 0 || atMilan.Load() > 0 {
		t.Errorf("it was not in place: %d objects were deleted on Rome, %d on Milan", atRome.Load(), atMilan.Load())
	}

	must(t, s.Disconnect(t.Context(), Removal{}))
	if state, err := s.Observe(t.Context()); err != nil || state.Exists || state.Joined {
		t.Errorf("left is %+v (%v)", state, err)
	}
}
