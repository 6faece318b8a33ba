package cluster_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

func TestALeaseWhoseRenewalWasNotAnsweredIsKeptAndReleased(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		leaf := clustertest.Leaf(t, "rome")
		var unanswered atomic.Int32
		clustertest.On(leaf, "update", func(call clustertest.Call[any]) error {
			if err := call.Send(); err != nil || unanswered.Add(1)%2 == 0 {
				return err
			}
			return refusedConnection // the API server has written it, and the answer is lost
		})
		mine := claim("mine")
		mine.Lost = func(err error) { t.Errorf("the lease is lost: %v", err) }
		lease, err := leaf.Hold(t.Context(), mine)
		must(t, err)
		<-time.After(10 * time.Second) // of the test's own clock: the last of three renewals is not answered
		if unanswered.Load() < 3 {
			t.Errorf("there were only %d renewals", unanswered.Load())
		}
		must(t, lease.Release(t.Context()))
		if left, err := leaf.Leased(t.Context(), "pair"); left != nil || err != nil {
			t.Errorf("left is %v (%v)", left, err)
		}
	})
}

func TestARenewalThatIsUnderWayDelaysTheReleaseByItsAnswerOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		leaf := clustertest.Leaf(t, "rome")
		var deletes atomic.Int32
		clustertest.On(leaf, "update", func(call clustertest.Call[any]) error {
			if err := call.Send(); err != nil {
				return err
			}
			select { // the leaf is far away, so its answer takes a while
			case <-time.After(time.Second):
				return nil
			case <-call.Context.Done():
				return call.Context.Err()
			}
		})
		clustertest.On(leaf, "delete", func(call clustertest.Call[any]) error {
			deletes.Add(1)
			return call.Send()
		})
		lease, err := leaf.Hold(t.Context(), claim("mine"))
		must(t, err)
		<-time.After(3*time.Second + 400*time.Millisecond) // in the renewal
		began := time.Now()
		must(t, lease.Release(t.Context()))
		if took := time.Since(began); took != 600*time.Millisecond || deletes.Load() != 1 {
			t.Errorf("the release took %s and %d deletes, although the renewal was answered after 600ms", took, deletes.Load())
		}
	})
}

func TestALeaseIsTakenAfterAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		leaf := failingLeaf(t, heldBy("alive", time.Now()))
		leaf.get.Store(new(error(refusedConnection)))
		began := time.Now()
		go func() {
			<-time.After(20 * time.Second)
			leaf.get.Store(nil)
		}()
		hold(t, leaf.Leaf, claim("second"))
		// During the outage, the first holder could not renew its lease either.
		if waited := time.Since(began); waited < 30*time.Second || waited > 36*time.Second {
			t.Errorf("it waited for %s", waited)
		}
	})
}

func TestAWaitForALeaseDoesNotFloodAnAPIServerThatCutsWatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		leaf := failingLeaf(t, heldBy("slow", time.Now()))
		leaf.cut.Store(true)
		hold(t, leaf.Leaf, claim("second"))
		if requests := leaf.requests.Load(); requests > 20 {
			t.Errorf("%d requests in ten seconds", requests)
		}
	})
}

func TestALeaseThatWasCreatedWithoutAnAnswerIsTakenAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		leaf := clustertest.Leaf(t, "rome")
		created := false
		clustertest.On(leaf, "create", func(call clustertest.Call[any]) error {
			if err := call.Send(); err != nil || created {
				return err
			}
			created = true
			return refusedConnection
		})
		isHeldAfter(t, leaf, 250*time.Millisecond)
	})
}

func TestAMissingPermissionForALeaseIsToldAtOnce(t *testing.T) {
	leaf := clustertest.Leaf(t, "rome")
	clustertest.Fail[any](leaf, "create", forbidden)
	if _, err := leaf.Hold(t.Context(), claim("nobody")); !apierrors.IsForbidden(err) {
		t.Errorf("got: %v", err)
	}
}

func TestAWaitForALeaseThatRunsOutOfTimeHasTheLastFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		leaf := failingLeaf(t, heldBy("alive", time.Now()))
		leaf.watch.Store(new(error(refusedConnection)))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err := leaf.Hold(ctx, claim("second"))
		if late, ok := errors.AsType[*cluster.WaitError](err); !ok || !cluster.Unreachable(late.Last) ||
			!errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got: %v", err)
		}
	})
}
