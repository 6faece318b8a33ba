package shortcut

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/liqotest"
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

// isComplete reports whether the API servers of both leaves say that my shortcut is complete.
func isComplete(ctx context.Context, s *Shortcut) bool {
	for _, on := range s.ends() {
		var (
			servers networkingv1beta1.GatewayServerList
			clients networkingv1beta1.GatewayClientList
		)
		if err := errors.Join(on.Leaf.Live.List(ctx, &servers), on.Leaf.Live.List(ctx, &clients)); err != nil {
			return false
		}
		found := end.Objects{}
		if len(servers.Items) > 0 {
			found.GatewayServer = &servers.Items[0]
		}
		if len(clients.Items) > 0 {
			found.GatewayClient = &clients.Items[0]
		}
		if !found.CompleteBy(me.Token) {
			return false
		}
	}
	return true
}

func TestTheTurnEndsWhenBothLeavesHaveTheRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(
			liqotest.Leaf(t, "rome", ranges("10.0.0.0/16")...), liqotest.Leaf(t, "milan", ranges("10.1.0.0/16")...),
		).OwnedBy(me)
		for _, on := range s.ends() {
			on.Leaf.Live = interceptor.NewClient(on.Leaf.Live, interceptor.Funcs{
				Patch: func(
					ctx context.Context, c client.WithWatch, object client.Object, patch client.Patch, options ...client.PatchOption,
				) error {
					<-time.After(time.Second) // the API server is slow
					return c.Patch(ctx, object, patch, options...)
				},
				Delete: func(
					ctx context.Context, c client.WithWatch, object client.Object, options ...client.DeleteOption,
				) error {
					if _, lease := object.(*coordinationv1.Lease); lease && !isComplete(ctx, s) {
						t.Error("another operation could take the shortcut for one that is not complete")
					}
					return c.Delete(ctx, object, options...)
				},
			})
		}
		if err := s.Connect(t.Context(), overNodePort); err != nil {
			t.Fatal(err)
		}
	})
}

func TestAShortcutThatWasCompletedAMomentAgoIsNotTakenForAnAbandonedOne(t *testing.T) {
	rome := liqotest.Leaf(t, "rome", ranges("10.0.0.0/16")...)
	milan := liqotest.Leaf(t, "milan", ranges("10.1.0.0/16")...)
	if err := New(rome, milan).OwnedBy(somebody).Connect(t.Context(), overNodePort); err != nil {
		t.Fatal(err)
	}
	for _, leaf := range []*cluster.Leaf{rome, milan} {
		showLate(leaf)
	}
	for name, s := range map[string]*Shortcut{
		"in the same direction": New(rome, milan), "in the opposite direction": New(milan, rome),
	} {
		if err := s.OwnedBy(me).Connect(t.Context(), overNodePort); !IsRival(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAShortcutThatWasRemovedAMomentAgoDoesNotBlockAnother(t *testing.T) {
	removed := clustertest.Configuration("milan")
	removed.UID = "removed"
	somebody.Mark(removed)
	rome := liqotest.Leaf(t, "rome", ranges("10.0.0.0/16")...)
	milan := liqotest.Leaf(t, "milan", ranges("10.1.0.0/16")...)
	var forgotten atomic.Bool
	cached := rome.Cached.(client.WithWatch) //nolint:errcheck,forcetypeassert // see clustertest.Leaf
	rome.Cached = interceptor.NewClient(cached, interceptor.Funcs{
		List: func(
			ctx context.Context, c client.WithWatch, list client.ObjectList, options ...client.ListOption,
		) error {
			if configurations, ok := list.(*networkingv1beta1.ConfigurationList); ok && !forgotten.Load() {
				configurations.Items = []networkingv1beta1.Configuration{*removed}
				return nil
			}
			return c.List(ctx, list, options...)
		},
		Get: func(
			ctx context.Context, c client.WithWatch, key client.ObjectKey, object client.Object, options ...client.GetOption,
		) error {
			forgotten.Store(true) // somebody waits for it
			return c.Get(ctx, key, object, options...)
		},
	})
	if err := New(rome, milan).OwnedBy(me).Connect(t.Context(), overNodePort); err != nil {
		t.Error(err)
	}
}

// showLate lets the caches of a leaf show that a shortcut is complete only after someone has read its objects live.
func showLate(leaf *cluster.Leaf) {
	var read atomic.Bool
	hide := func(object client.Object) {
		if !read.Load() {
			annotations := object.GetAnnotations()
			delete(annotations, end.ManagedBy+"/complete")
			object.SetAnnotations(annotations)
			object.SetResourceVersion("1")
		}
	}
	leaf.Live = interceptor.NewClient(leaf.Live, interceptor.Funcs{
		List: func(
			ctx context.Context, c client.WithWatch, list client.ObjectList, options ...client.ListOption,
		) error {
			if _, gateways := list.(*networkingv1beta1.GatewayServerList); gateways {
				read.Store(true)
			}
			return c.List(ctx, list, options...)
		},
	})
	cached := leaf.Cached.(client.WithWatch) //nolint:errcheck,forcetypeassert // see clustertest.Leaf
	leaf.Cached = interceptor.NewClient(cached, interceptor.Funcs{
		List: func(
			ctx context.Context, c client.WithWatch, list client.ObjectList, options ...client.ListOption,
		) error {
			if err := c.List(ctx, list, options...); err != nil {
				return err
			}
			return meta.EachListItem(list, func(item runtime.Object) error {
				hide(item.(client.Object)) //nolint:errcheck,forcetypeassert // lists are of objects
				return nil
			})
		},
	})
}
