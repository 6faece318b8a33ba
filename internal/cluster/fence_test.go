package cluster_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

// guarded is an operation that holds a lease on one leaf and writes to another one.
type guarded struct {
	leaf *cluster.Leaf // with the lease
	ctx  context.Context
	lost chan error

	failure atomic.Pointer[error] // of each renewal
	arrived atomic.Int32          // requests at the other leaf
	slow    atomic.Int64          // the other leaf answers after this time.Duration
	refuses atomic.Bool           // the other leaf accepts no connection
	cuts    atomic.Int32

	transport http.RoundTripper // to the other leaf
}

// newGuarded begins an operation. It ends with the test.
func newGuarded(t *testing.T) *guarded {
	t.Helper()
	g := &guarded{leaf: clustertest.Leaf(t, "rome"), lost: make(chan error, 1)}
	clustertest.On(g.leaf, "update", func(call clustertest.Call[any]) error {
		if err := g.failure.Load(); err != nil {
			return *err
		}
		return call.Send()
	})
	g.transport = cluster.NewFenced(g, func() { g.cuts.Add(1) })
	g.ctx = cluster.WithFence(t.Context())
	mine := claim("mine")
	mine.Lost = func(err error) { g.lost <- err }
	lease, err := g.leaf.Hold(g.ctx, mine)
	must(t, err)
	t.Cleanup(func() {
		g.failure.Store(nil)
		if err := lease.Release(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return g
}

// RoundTrip implements [http.RoundTripper] for the other leaf.
func (g *guarded) RoundTrip(request *http.Request) (*http.Response, error) {
	g.arrived.Add(1)
	if g.refuses.Load() {
		return nil, refusedConnection
	}
	select {
	case <-time.After(time.Duration(g.slow.Load())):
	case <-request.Context().Done():
		return nil, request.Context().Err()
	}
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader("{}"))}, nil
}

// send sends a request to the other leaf.
func (g *guarded) send(ctx context.Context, method, url string) error {
	request, err := http.NewRequestWithContext(ctx, method, url, http.NoBody)
	if err != nil {
		return err
	}
	response, err := g.transport.RoundTrip(request)
	if err != nil {
		return err
	}
	return response.Body.Close()
}

// write sends a write of the operation to the other leaf. It returns after what time it ends, and how.
func (g *guarded) write() (time.Duration, error) {
	began := time.Now()
	err := g.send(g.ctx, http.MethodPatch, "https://milan")
	return time.Since(began), err
}

// fail lets all renewals from now on fail.
func (g *guarded) fail(err error) { g.failure.Store(&err) }

func wait(d time.Duration) { <-time.After(d) } // of the bubble's clock

func TestAWriteWaitsWhileALeaseIsNotRenewedAndComesWhenItIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGuarded(t)
		g.fail(refusedConnection)
		wait(6900 * time.Millisecond)
		if took, err := g.write(); err != nil || took > 0 {
			t.Errorf("before the deadline: %v after %s", err, took)
		}
		wait(time.Second)
		go func() {
			wait(10 * time.Second)
			g.failure.Store(nil)
		}()
		if took, err := g.write(); err != nil || took < 10*time.Second {
			t.Errorf("after the deadline: %v after %s", err, took)
		}
	})
}

func TestAWriteThatIsUnderWayEndsBeforeAnotherProcessMayHaveTheLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGuarded(t)
		g.fail(refusedConnection)
		g.slow.Store(int64(time.Hour))
		if took, err := g.write(); !cluster.Unreachable(err) || took != 7*time.Second || g.cuts.Load() != 1 {
			t.Errorf("%v after %s, with %d cuts of the connections", err, took, g.cuts.Load())
		}
	})
}

func TestAWriteThatIsUnderWayIsAnsweredAlthoughItsOperationIsInterrupted(t *testing.T) {
	for name, test := range map[string]struct{ slow, took time.Duration }{
		"in time":  {3 * time.Second, 3 * time.Second},
		"too late": {time.Minute, 6 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newGuarded(t)
				g.slow.Store(int64(test.slow))
				interrupted := errors.New("interrupted")
				ctx, interrupt := context.WithCancelCause(g.ctx)
				g.ctx = ctx
				go func() {
					wait(time.Second)
					interrupt(interrupted)
				}()
				took, err := g.write()
				if answered := test.slow == test.took; answered != (err == nil) || !answered && !errors.Is(err, interrupted) {
					t.Error(err)
				}
				if took != test.took {
					t.Errorf("it ends after %s", took)
				}
			})
		})
	}
}

func TestAWriteDoesNotBeginAfterItsOperationIsInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGuarded(t)
		interrupted := errors.New("interrupted")
		ctx, interrupt := context.WithCancelCause(g.ctx)
		interrupt(interrupted)
		g.ctx = ctx
		if _, err := g.write(); !errors.Is(err, interrupted) || g.arrived.Load() > 0 {
			t.Errorf("%d requests have arrived (%v)", g.arrived.Load(), err)
		}
	})
}

func TestAWriteThatALeafDoesNotTakeFailsForThatReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGuarded(t)
		g.refuses.Store(true)
		if _, err := g.write(); !errors.Is(err, refusedConnection) {
			t.Errorf("it fails with: %v", err)
		}
	})
}

func TestWhatOnlyReadsDoesNotWaitForALease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGuarded(t)
		g.fail(refusedConnection)
		wait(8 * time.Second)
		began := time.Now()
		for method, url := range map[string]string{
			http.MethodGet: "https://milan", http.MethodPost: "https://milan?dryRun=All",
		} {
			if err := g.send(g.ctx, method, url); err != nil || time.Since(began) > 0 {
				t.Errorf("%s %s: %v after %s", method, url, err, time.Since(began))
			}
		}
		if err := g.send(t.Context(), http.MethodPatch, "https://milan"); err != nil || time.Since(began) > 0 {
			t.Errorf("without a lease: %v after %s", err, time.Since(began))
		}
	})
}

func TestAWriteThatWaitsForALeaseForTooLongSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGuarded(t)
		g.fail(refusedConnection)
		wait(8 * time.Second)
		took, err := g.write()
		explained, ok := errors.AsType[*cluster.Error](err)
		if !ok || explained.Leaf != "rome" || explained.Summary != "the Lease of this operation can't be renewed" ||
			took != time.Minute {
			t.Errorf("after %s: %v", took, err)
		}
	})
}

func TestWhoeverHasLostALeaseWritesNothingMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGuarded(t)
		g.fail(refusedConnection)
		wait(8 * time.Second)
		g.failure.Store(nil)
		take(t, g.leaf)
		lost, ok := errors.AsType[*cluster.LeaseLostError](g.send(g.ctx, http.MethodPatch, "https://milan"))
		if !ok || !lost.Taken || !errors.Is(lost, syscall.ECONNREFUSED) || g.arrived.Load() > 0 {
			t.Errorf("%d writes have arrived: %v", g.arrived.Load(), lost)
		}
		if err := <-g.lost; !errors.Is(err, lost) {
			t.Errorf("the operation is told %v", err)
		}
	})
}

func TestAMachineThatWakesUpWritesOnlyAfterARenewal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGuarded(t)
		var slept atomic.Int64
		cluster.SetWallClock(g.leaf, func() time.Duration { return time.Duration(slept.Load()) })
		wait(2 * time.Second)
		slept.Store(int64(time.Hour)) // which the monotonic clock does not know
		if took, err := g.write(); err != nil || took != time.Second {
			t.Errorf("%v after %s, although the next renewal was due after a second", err, took)
		}
	})
}

func TestALeaseWhoseRenewalsAreRefusedIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGuarded(t)
		began := time.Now()
		g.fail(apierrors.NewUnauthorized("the token has expired"))
		lost, ok := errors.AsType[*cluster.LeaseLostError](<-g.lost)
		if took := time.Since(began); !ok || lost.Taken || !strings.Contains(lost.Error(), "the token has expired") ||
			g.arrived.Load() > 0 || took < 15*time.Second || took > 20*time.Second {
			t.Errorf("after %s: %v", took, lost)
		}
	})
}

func TestTheTimesInALeaseAreTheAPIServers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		leaf := clustertest.Leaf(t, "rome")
		cluster.SetAhead(leaf, -2*time.Hour) // this machine's clock is two hours ahead
		hold(t, leaf, claim("mine"))
		for range 2 {
			seen, err := leaf.Leased(t.Context(), "pair")
			must(t, err)
			if renewed := seen.Spec.RenewTime.Time; time.Since(renewed.Add(2*time.Hour)).Abs() > time.Second ||
				time.Since(seen.Spec.AcquireTime.Add(2*time.Hour)) > 5*time.Second {
				t.Errorf("it was renewed at %s, and it is %s", renewed, time.Now())
			}
			wait(3100 * time.Millisecond)
		}
	})
}

func TestALeaseThatItsHolderLeavesIsTakenAtOnceWithWhatIsWrittenOnIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		leaf := clustertest.Leaf(t, "rome")
		lease, err := leaf.Hold(t.Context(), claim("first"))
		must(t, err)
		note := func(object client.Object) { object.SetAnnotations(map[string]string{"note": "unfinished"}) }
		must(t, lease.Leave(t.Context(), note))
		var read string
		second, began := claim("second"), time.Now()
		second.Mark = func(object client.Object) { read = object.GetAnnotations()["note"] }
		hold(t, leaf, second)
		if read != "unfinished" || time.Since(began) > 0 {
			t.Errorf("after %s it says %q", time.Since(began), read)
		}
	})
}
