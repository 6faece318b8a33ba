package cluster_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

func claim(holder string) cluster.LeaseRequest {
	return cluster.LeaseRequest{
		Name: "pair", Holder: holder, Mark: func(client.Object) {}, Waiting: func(string) {}, Lost: func(error) {},
	}
}

// heldBy returns a lease that its holder renewed for the last time at the time renewed.
func heldBy(holder string, renewed time.Time) *coordinationv1.Lease {
	return &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: "liqo", Name: "pair"},
		Spec: coordinationv1.LeaseSpec{
			HolderIdentity: &holder, RenewTime: new(metav1.NewMicroTime(renewed)), LeaseDurationSeconds: new(int32(10)),
		},
	}
}

// hold returns a lease that is held until the end of the test.
func hold(t *testing.T, leaf *cluster.Leaf, request cluster.LeaseRequest) *cluster.Lease {
	t.Helper()
	lease, err := leaf.Hold(t.Context(), request)
	must(t, err)
	t.Cleanup(func() {
		if err := lease.Release(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return lease
}

// take makes another process the holder of a lease.
func take(t *testing.T, leaf *cluster.Leaf) {
	t.Helper()
	taken, err := leaf.Leased(t.Context(), "pair")
	must(t, err)
	taken.Spec.HolderIdentity = new("another")
	must(t, leaf.Clients().Live.Update(t.Context(), taken))
}

// isHeldAfter fails the test unless the lease of a dead holder is taken after the expected time, and released again.
func isHeldAfter(t *testing.T, leaf *cluster.Leaf, expected time.Duration) {
	t.Helper()
	before := time.Now()
	lease, err := leaf.Hold(t.Context(), claim("alive"))
	must(t, err)
	if waited := time.Since(before); waited != expected {
		t.Errorf("it waited for %s, expected %s", waited, expected)
	}
	must(t, lease.Release(t.Context()))
	if left, err := leaf.Leased(t.Context(), "pair"); left != nil || err != nil {
		t.Errorf("left is %v (%v)", left, err)
	}
}

func TestALeaseTellsWhetherItWasTakenAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if !hold(t, clustertest.Leaf(t, "rome"), claim("alive")).AtOnce {
			t.Error("the lease of nobody was not taken at once")
		}
		left := clustertest.Leaf(t, "rome", heldBy("killed", time.Now().Add(-time.Hour)))
		if hold(t, left, claim("alive")).AtOnce {
			t.Error("the lease of a dead holder was taken at once")
		}
	})
}

func TestALeaseOfADeadHolderIsTakenOverAfterItsTime(t *testing.T) {
	for name, test := range map[string]struct {
		renewed, ahead time.Duration // how far its renewal and the API server's clock are ahead of this machine's
		after          time.Duration
	}{
		"killed a moment ago":             {0, 0, 10 * time.Second},
		"killed long ago":                 {-time.Hour, 0, 0},
		"alive, with a clock that is off": {-2 * time.Hour, -2 * time.Hour, 10 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				leaf := clustertest.Leaf(t, "rome", heldBy("killed", time.Now().Add(test.renewed)))
				cluster.SetAhead(leaf, test.ahead)
				isHeldAfter(t, leaf, test.after)
			})
		})
	}
}

func TestALeaseThatIsReleasedWhileItsHolderIsThoughtDeadIsTakenAsIfItWereNew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		left := heldBy("slow", time.Now())
		leaf := clustertest.Leaf(t, "rome", left)
		late := claim("late")
		late.Mark = func(object client.Object) { // called just before the lease is written
			if object.GetResourceVersion() != "" {
				if err := client.IgnoreNotFound(leaf.Clients().Live.Delete(t.Context(), left)); err != nil {
					t.Error(err)
				}
			}
		}
		hold(t, leaf, late)
	})
}

func TestAWatchThatBeginsWithTheLeaseAsItIsIsNoSignOfLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		leaf := clustertest.Leaf(t, "rome", heldBy("killed", time.Now()))
		watching(leaf, func(options client.ListOptions, _ func() (watch.Interface, error)) (watch.Interface, error) {
			if version := options.AsListOptions().ResourceVersion; version != "" {
				t.Errorf("the watch starts at version %s, which an API server may no longer know", version)
			}
			present, err := leaf.Leased(t.Context(), "pair")
			if err != nil {
				return nil, err
			}
			changes := watch.NewFakeWithChanSize(1, false)
			changes.Add(present)
			return changes, nil
		})
		isHeldAfter(t, leaf, 10*time.Second)
	})
}

func TestALeaseIsKeptForAsLongAsItsHolderWorks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		leaf := clustertest.Leaf(t, "rome")
		hold(t, leaf, claim("first"))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := leaf.Hold(ctx, claim("second")); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the second holder has it too (%v)", err)
		}
	})
}

func TestADeletedLeaseIsNotTakenForOneThatAnotherHas(t *testing.T) {
	for name, test := range map[string]struct {
		conflict bool          // what API servers answer: the UID is not that of a Lease that does not exist
		silent   time.Duration // for which no renewal arrives
		deleted  bool
	}{
		"as the fake API server answers": {false, 0, true},
		"as API servers answer":          {true, 0, true},
		"after its time":                 {true, time.Minute, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				leaf := clustertest.Leaf(t, "rome")
				var away atomic.Bool
				clustertest.On(leaf, "update", func(call clustertest.Call[client.Object]) error {
					if away.Load() {
						return refusedConnection
					}
					err := call.Send()
					if test.conflict && apierrors.IsNotFound(err) {
						return apierrors.NewConflict(coordinationv1.Resource("leases"), call.Object.GetName(), errors.New("another UID"))
					}
					return err
				})
				told := make(chan error, 1)
				unlucky := claim("unlucky")
				unlucky.Lost = func(err error) { told <- err }
				hold(t, leaf, unlucky)
				away.Store(true)
				<-time.After(test.silent)
				must(t, leaf.Clients().Live.Delete(t.Context(), heldBy("unlucky", time.Now())))
				away.Store(false)
				lost, ok := errors.AsType[*cluster.LeaseLostError](<-told)
				if !ok || !lost.Taken || lost.Deleted != test.deleted {
					t.Errorf("got %+v", lost)
				}
			})
		})
	}
}

func TestWhoeverLosesItsLeaseIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		leaf := clustertest.Leaf(t, "rome")
		told := make(chan error, 1)
		unlucky := claim("unlucky")
		unlucky.Lost = func(err error) { told <- err }
		lease, err := leaf.Hold(t.Context(), unlucky)
		must(t, err)
		take(t, leaf)
		if lost, ok := errors.AsType[*cluster.LeaseLostError](<-told); !ok || !lost.Taken {
			t.Errorf("got %v", lost)
		}
		must(t, lease.Release(t.Context()))
		if left, err := leaf.Leased(t.Context(), "pair"); left == nil || err != nil {
			t.Errorf("the other holder has lost it (%v)", err)
		}
	})
}
