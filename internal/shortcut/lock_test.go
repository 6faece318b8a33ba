package shortcut

import (
	"context"
	"errors"
	"maps"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo/liqotest"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

// occupy lets another operation hold the lock until the end of the test.
func occupy(t *testing.T, s *Shortcut, self owner.Owner) *cluster.Lease {
	t.Helper()
	lease, err := s.first().Leaf.Hold(t.Context(), cluster.LeaseRequest{
		Name: leaseName(s.first()), Holder: "alice@ci", Mark: self.Mark, Waiting: func(string) {},
		Lost: func(error) {},
	})
	must(t, err)
	return lease
}

func TestTheErrorOfABlockedOperationNamesTheOtherOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(leafWith(t, "rome"), leafWith(t, "milan")).OwnedBy(me)
		lease := occupy(t, s, somebody)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := s.Connect(ctx, overNodePort)
		refused(t, err, `another operation on the pair with "rome" has not ended on leaf "milan"`,
			"Lease liqo/terraform-provider-liqo.milan.rome is held by alice@ci/")
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		must(t, lease.Release(t.Context()))
	})
}

func TestTheErrorOfABlockedOperationOnOneObjectNamesTheObject(t *testing.T) {
	for resource, on := range map[owner.Resource]string{
		owner.ConfigurationResource: "the Configuration for", owner.PublicKeyResource: "the PublicKey for",
		owner.GatewayServerResource: "the gateway for", owner.GatewayClientResource: "the gateway for",
	} {
		object := endObjectOf(leafWith(t, "milan"), "rome", resource)
		for expected, l := range map[string]*lock{
			on: object.objectLock(), "the pair with": object.pairLock(),
		} {
			busy := explain.Summary(l.explainBusy("alice@ci/1", context.DeadlineExceeded))
			if busy != "another operation on "+expected+` cluster "rome" has not ended on leaf "milan"` {
				t.Errorf("%s, busy: got %q", resource, busy)
			}
			for lost, words := range map[*cluster.LeaseLostError]string{
				{Taken: true}: "another operation has taken over " + expected, {}: "the lock on " + expected,
				{Taken: true, Deleted: true}: "another user has deleted the lock on " + expected,
			} {
				lost.Leaf = "milan"
				if got := explain.Summary(l.explainLost(lost)); !strings.HasPrefix(got, words+` cluster "rome"`) {
					t.Errorf("%s, lost: got %q", resource, got)
				}
			}
		}
	}
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
		owner  owner.Owner
		exists bool
	}{"mine": {me, true}, "somebody's": {somebody, false}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := New(leafWith(t, "rome"), leafWith(t, "milan")).OwnedBy(me)
				lease := occupy(t, s, test.owner)
				if exists := s.seen(t).Exists; exists != test.exists {
					t.Errorf("exists: %t", exists)
				}
				must(t, lease.Release(t.Context()))
			})
		})
	}
}

func TestTheTurnEndsWhenEverythingIsInPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, spec := toConnect(t)
		for _, e := range s.Ends() {
			clustertest.On(e.Leaf, "apply", func(call clustertest.Call[any]) error {
				<-time.After(time.Second) // the API server is slow
				return call.Send()
			})
			clustertest.On(e.Leaf, "delete", func(call clustertest.Call[*coordinationv1.Lease]) error {
				if state, err := s.Observe(call.Context); err != nil || state.Status != Connected {
					t.Errorf("the status is %s (%v)", state.Status, err)
				}
				return call.Send()
			})
		}
		s.connects(t, spec)
	})
}

func TestACreateThatWaitsForADeletionHoldsUpOnlyItsOwnPair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		leaving := clustertest.TenantNamespace("rome")
		leaving.DeletionTimestamp, leaving.Finalizers = new(metav1.Now()), []string{"example.com/hold"}
		rome, milan := liqotest.Leaf(t, "rome", ranges("10.0.0.0/16")...), liqotest.Leaf(t, "milan",
			append(ranges("10.1.0.0/16"), leaving)...)
		naples := liqotest.Leaf(t, "naples", ranges("10.2.0.0/16")...)
		s := New(rome, milan).OwnedBy(me)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- s.Connect(ctx, overNodePort) }()
		synctest.Wait()
		if lease, err := s.first().Leaf.Leased(ctx, leaseName(s.first())); lease == nil || err != nil {
			t.Errorf("the lease of the pair is %v (%v)", lease, err)
		}
		for _, other := range []*Shortcut{New(naples, milan), New(rome, naples)} {
			if err := other.OwnedBy(somebody).Connect(t.Context(), overNodePort); err != nil {
				t.Error(err)
			}
		}
		stop()
		if err := <-ended; !explain.WroteNothing(err) {
			t.Errorf("the create has ended with %v", err)
		}
	})
}

func TestALeaseThatCannotBeReleasedSpoilsNoCreateAndGivesNothingAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rome, milan := romeAndMilan(t)
		clustertest.Fail[*coordinationv1.Lease](milan, "delete",
			apierrors.NewForbidden(coordinationv1.Resource("leases"), "pair", errors.New("not allowed")))
		spec := overNodePort
		spec.Create = true
		must(t, New(rome, milan).OwnedBy(somebody).Connect(t.Context(), spec))
		<-time.After(time.Minute) // so its lease is that of a dead holder
		if err := New(rome, milan).OwnedBy(me).Connect(t.Context(), spec); !ownedByAnother(err) {
			t.Errorf("a rival gets: %v", err)
		}
		object := endObjectOf(milan, "naples", owner.GatewayServerResource)
		object.Create = true
		must(t, object.EnsureGateway(t.Context(), "", nil, liqo.Endpoint{}, overNodePort.Server))
		<-time.After(time.Minute)
		object.End.Owner.Token = "another"
		if err := object.EnsureGateway(t.Context(), "", nil, liqo.Endpoint{}, overNodePort.Server); !ownedByAnother(err) {
			t.Errorf("a rival of an object gets: %v", err)
		}
	})
}

func TestACreateThatFailsIsItsOwnersAndOneThatIsInterruptedIsThatOfItsDirectory(t *testing.T) {
	for cause, free := range map[error]bool{context.DeadlineExceeded: false, context.Canceled: true} {
		synctest.Test(t, func(t *testing.T) {
			rome, milan := leafWith(t, "rome"), leafWith(t, "milan") // without Liqo, so no gateway has ever an address
			spec := overNodePort
			spec.Create = true
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			if errors.Is(cause, context.Canceled) {
				time.AfterFunc(time.Second, cancel)
			}
			defer cancel()
			if err := New(rome, milan).OwnedBy(somebody).Connect(ctx, spec); !errors.Is(err, cause) {
				t.Fatalf("%v: the create ends with %v", cause, err)
			}
			for directory, mayTake := range map[string]bool{"theirs": free, "elsewhere": false} {
				asks := New(rome, milan).OwnedBy(owner.Owner{Token: "asks", Origin: owner.Origin{Directory: directory}})
				if err := asks.CheckFree(t.Context(), spec); ownedByAnother(err) == mayTake {
					t.Errorf("%v: whoever is in directory %s gets %v", cause, directory, err)
				}
			}
		})
	}
}

func TestWhatAKilledCreateHasLeftIsStillNobodysAfterAnotherCreateThatFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rome := leafWith(t, "rome", marked(killed, clustertest.Configuration("milan")))
		milan := clustertest.Leaf(t, "milan", leftBehind()) // whose ranges can't be read
		s, spec := New(rome, milan).OwnedBy(me), overNodePort
		spec.Create = true
		for range 2 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			err := s.Connect(ctx, spec)
			cancel()
			if err == nil || ownedByAnother(err) {
				t.Errorf("got: %v", err)
			}
			if err := s.CheckFree(t.Context(), spec); err != nil {
				t.Errorf("then nobody can take it: %v", err)
			}
		}
	})
}

func TestALeaseListsAllCreatesThatWereKilledOneAfterTheOther(t *testing.T) {
	lease := leftBehind()
	for _, next := range []owner.Owner{somebody, me} {
		New(leafWith(t, "rome"), leafWith(t, "milan")).OwnedBy(next).pairLock(true).mark(lease)
	}
	listed := owner.UnfinishedOn(lease)
	for _, one := range []owner.Owner{killed, somebody, me} {
		if _, ok := listed[one.Token]; !ok {
			t.Errorf("%s is missing in %v: nobody could take over what it has left", one.Token, listed)
		}
	}
}

func TestAShortcutThatTheCachesDoNotShowIsNotTakenOver(t *testing.T) {
	rome, milan := romeAndMilan(t)
	spec := overNodePort
	spec.Create = true
	must(t, New(rome, milan).OwnedBy(somebody).Connect(t.Context(), spec))
	for _, leaf := range []*cluster.Leaf{rome, milan} {
		showLate(leaf)
	}
	before := versions(t, rome, milan)
	for name, s := range map[string]*Shortcut{
		"in the same direction": New(rome, milan), "in the opposite direction": New(milan, rome),
	} {
		t.Run(name, func(t *testing.T) {
			if err := s.OwnedBy(me).Connect(t.Context(), spec); !ownedByAnother(err) {
				t.Error(err)
			}
		})
	}
	object := endObjectOf(milan, "rome", owner.ConfigurationResource)
	object.Create = true
	if err := object.EnsureConfiguration(t.Context(), "", romesNetworks); !ownedByAnother(err) {
		t.Errorf("an object: %v", err)
	}
	if after := versions(t, rome, milan); !maps.Equal(before, after) {
		t.Errorf("something was written: %v is %v now", before, after)
	}
}

// versions returns the resource versions of the objects of all networks on leaves, and of the tenant namespaces.
func versions(t *testing.T, leaves ...*cluster.Leaf) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, leaf := range leaves {
		for _, list := range []client.ObjectList{
			&corev1.NamespaceList{}, &networkingv1beta1.ConfigurationList{}, &networkingv1beta1.PublicKeyList{},
			&networkingv1beta1.GatewayServerList{}, &networkingv1beta1.GatewayClientList{},
		} {
			must(t, leaf.Clients().Live.List(t.Context(), list))
			_ = meta.EachListItem(list, func(item runtime.Object) error {
				object := item.(client.Object) //nolint:errcheck,forcetypeassert // lists are of objects
				found[leaf.Name+" "+leaf.Describe(object)] = object.GetResourceVersion()
				return nil
			})
		}
	}
	return found
}

func TestAShortcutThatWasRemovedAMomentAgoDoesNotBlockAnother(t *testing.T) {
	removed := clustertest.Configuration("milan")
	removed.UID = "removed"
	somebody.Mark(removed)
	rome, milan := romeAndMilan(t)
	var forgotten atomic.Bool
	clustertest.OnCached(rome, "list", func(call clustertest.Call[*networkingv1beta1.ConfigurationList]) error {
		if forgotten.Load() {
			return call.Send()
		}
		call.Object.Items = []networkingv1beta1.Configuration{*removed}
		return nil
	})
	clustertest.OnCached(rome, "get", func(call clustertest.Call[any]) error {
		forgotten.Store(true) // somebody waits for it
		return call.Send()
	})
	if err := New(rome, milan).OwnedBy(me).Connect(t.Context(), overNodePort); err != nil {
		t.Error(err)
	}
}

// showLate lets the caches of a leaf show nothing until someone has read its gateways live.
func showLate(leaf *cluster.Leaf) {
	var read atomic.Bool
	clustertest.On(leaf, "list", func(call clustertest.Call[*networkingv1beta1.GatewayServerList]) error {
		read.Store(true)
		return call.Send()
	})
	clustertest.OnCached(leaf, "list", func(call clustertest.Call[any]) error {
		if !read.Load() {
			return nil
		}
		return call.Send()
	})
}
