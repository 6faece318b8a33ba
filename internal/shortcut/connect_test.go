package shortcut

import (
	"context"
	"errors"
	"maps"
	"sync/atomic"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	coordinationv1 "k8s.io/api/coordination/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

func TestRangesThatAreRefusedLeaveNothingWritten(t *testing.T) {
	shortcut := New(leafWith(t, "rome"), leafWith(t, "milan"))
	spec := overNodePort
	spec.ClientEnd.PodCIDRs = []string{"10.1.0.0/16", "fd00::/64"}
	_, announced := shortcut.Announce(t.Context(), shortcut.Client, spec.ClientEnd.Announcement)
	for _, err := range []error{announced, shortcut.Connect(t.Context(), spec)} {
		refused(t, err, `Liqo can't join the IPv6 range fd00::/64 on leaf "rome"`)
	}
	if len(shortcut.found(t).made()) > 0 {
		t.Error("something was written")
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
			err := s.connectUntilTaken(t, spec)
			if errors.Is(err, end.ErrRemapped) != test.refused {
				t.Error(err)
			}
			if test.refused {
				clustertest.Has(t, err.Error(), "remapping is forbidden, and needed", " overlaps with ", "Nothing was changed.")
			}
			if joined := s.seen(t).Joined; joined == test.refused {
				t.Errorf("something was written: %t", joined)
			}
		})
	}
}

func TestConnectTakesObjectsThatAreMineOrNobodys(t *testing.T) {
	refused := map[string]bool{"another's": true, "made by liqoctl": true, "a peering's": true}
	for name, objects := range belongings() {
		t.Run(name, func(t *testing.T) {
			s := joinedAtRome(t, objects)
			before := versions(t, s.Client.Leaf, s.Server.Leaf)
			err := s.connectUntilTaken(t, overNodePort)
			if err == nil {
				t.Fatal("without Liqo, it can't succeed")
			}
			if after := versions(t, s.Client.Leaf, s.Server.Leaf); refused[name] && !maps.Equal(before, after) {
				t.Errorf("it was refused, and changed %v to %v", before, after)
			}
			if now := s.atRome(t); !refused[name] && !me.Marked(now) {
				t.Errorf("it is not mine: %v (%v)", now.Annotations, err)
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

// countDeletions counts what is deleted from leaves from now on, except for leases.
func countDeletions(leaves ...*cluster.Leaf) *atomic.Int32 {
	var deletions atomic.Int32
	for _, leaf := range leaves {
		clustertest.On(leaf, "delete", func(call clustertest.Call[any]) error {
			if _, lease := call.Object.(*coordinationv1.Lease); !lease {
				deletions.Add(1)
			}
			return call.Send()
		})
	}
	return &deletions
}

func TestAShortcutIsMadeOnceAndTakenApartWhole(t *testing.T) {
	s, spec := toConnect(t)
	deletions := countDeletions(s.Client.Leaf, s.Server.Leaf)
	spec.WaitForConnection = true
	for _, mtu := range []int{1400, 1400, 1300} { // the last one changes both gateways, and nothing else
		spec.MTU = mtu
		s.connects(t, spec)
		if state := s.seen(t); state.Status != Connected || state.ClientGateway.MTU != mtu ||
			state.ServerGateway.MTU != mtu || len(state.Duplicates) > 0 {
			t.Fatalf("it is %+v", state)
		}
		if !s.found(t).complete(me.Token) {
			t.Error("it is not complete")
		}
	}
	if count := deletions.Load(); count > 0 {
		t.Errorf("it was not in place: %d objects were deleted", count)
	}

	must(t, s.Client.Leaf.Clients().Live.Create(t.Context(), recorded("milan", false)))
	must(t, s.Disconnect(t.Context(), Removal{}))
	if state := s.seen(t); state.Exists || state.Joined { // it exists while a ForeignCluster is left
		t.Errorf("left is %+v", state)
	}
}
