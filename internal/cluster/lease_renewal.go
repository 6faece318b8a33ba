package cluster

import (
	"context"
	"fmt"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	renewPeriod = 3 * time.Second
	// renewDeadline is how long after the beginning of the last renewal a holder is sure that it still holds its lease.
	// Others wait for leaseDuration after they have seen that renewal. The rest of the time is for a write that is under
	// way, and for clocks that do not run at the same speed.
	renewDeadline = 7 * time.Second
)

// Lease is a lease on a leaf that this process holds.
//
// client-go's leader election does the same, but is not suitable. It creates a lease again that somebody has deleted,
// so that two may hold it. It polls a lease that it could watch, keeps it after the release, and can't annotate it.
type Lease struct {
	// AtOnce means that the first request took the lease: nobody else held it.
	AtOnce bool

	leaf  *Leaf
	held  *coordinationv1.Lease // as it was last written; only the renewal uses it until that has ended
	fence *fence                // nil if nothing depends on the lease
	stop  context.CancelFunc    // begins no further renewal
	abort context.CancelFunc    // also ends a renewal that is under way
	ended chan struct{}         // closed when the renewal has ended

	mu      sync.Mutex
	renewed instant // when the last renewal that has succeeded began
	failure error   // of the last renewal; nil if it has succeeded
}

// LeaseLostError means that this process does not hold a lease any more, because it has not renewed it in time or
// somebody has deleted it.
type LeaseLostError struct {
	Leaf, Namespace, Name string
	// Last is why the last renewal failed. It is nil if there was none in time: the process was stopped, or its machine
	// slept.
	Last error
	// Taken means that another process has the lease now. Otherwise the API server refuses the renewals.
	Taken bool
	// Deleted means that somebody has deleted the lease before another process might take it. Then Taken is true, too:
	// another process may have it now.
	Deleted bool
}

// Error names the lease.
func (e *LeaseLostError) Error() string {
	text := fmt.Sprintf("Lease %s/%s on leaf %q was not renewed in time", e.Namespace, e.Name, e.Leaf)
	if e.Deleted {
		text = fmt.Sprintf("Lease %s/%s on leaf %q was deleted", e.Namespace, e.Name, e.Leaf)
	}
	if e.Last != nil {
		text += ": " + e.Last.Error()
	}
	return text
}

// Unwrap returns why the last renewal failed.
func (e *LeaseLostError) Unwrap() error { return e.Last }

// keepLease renews a lease until it is released or lost. Its user may continue after the context has ended, to clean
// up. So the renewal does not end with the context. Taken is when the request that took it began.
func (l *Leaf) keepLease(
	ctx context.Context, lease *coordinationv1.Lease, taken instant, fence *fence, lost func(error),
) *Lease {
	ctx, abort := context.WithCancel(context.WithoutCancel(ctx))
	renewing, stop := context.WithCancel(ctx)
	kept := &Lease{
		leaf: l, held: lease, fence: fence, stop: stop, abort: abort, ended: make(chan struct{}), renewed: taken,
	}
	fence.add(kept)
	go func() {
		defer close(kept.ended)
		ticker := time.NewTicker(renewPeriod)
		defer ticker.Stop()
		var retries retries
		for {
			select {
			case <-renewing.Done():
				return
			case <-ticker.C:
			}
			if err := kept.renew(ctx, &retries); err != nil {
				fence.lose(err)
				lost(err)
				return
			}
		}
	}()
	return kept
}

// renew renews the lease once. It returns a [LeaseLostError] if the lease is lost: if another process holds it, or if
// the API server has refused the renewals for long enough to be believed. If the API server does not answer, the lease
// may not be lost: nobody else may be able to take it either.
func (l *Lease) renew(ctx context.Context, retries *retries) error {
	limited, cancel := context.WithTimeout(ctx, leaseDuration)
	defer cancel()
	began := l.leaf.instant()
	err := l.leaf.Explain(l.write(limited, func(held *coordinationv1.Lease) error {
		held.Spec.RenewTime = l.leaf.microNow()
		return l.leaf.clients.Live.Update(limited, held, client.FieldOwner(FieldManager))
	}))
	last := l.record(began, err)
	switch {
	case err == nil:
		retries.succeeded()
		return nil
	case ctx.Err() != nil:
		return nil // it is being released
	case apierrors.IsConflict(err) || IsAbsent(err):
		lost := l.lost(last, true)
		sure, _ := l.sure()
		lost.Deleted = IsAbsent(err) && sure > 0
		return lost
	case retries.believes(err):
		return l.lost(err, false)
	default:
		return nil
	}
}

// record notes the result of a renewal, and returns the failure of the one before.
func (l *Lease) record(began instant, err error) (before error) {
	l.mu.Lock()
	before, l.failure = l.failure, err
	if err == nil {
		l.renewed = began
	}
	l.mu.Unlock()
	l.fence.wake()
	return before
}

func (l *Lease) lost(last error, taken bool) *LeaseLostError {
	return &LeaseLostError{
		Leaf: l.leaf.Name, Namespace: l.held.Namespace, Name: l.held.Name, Last: last, Taken: taken,
	}
}

// sure returns for how long this process is still sure that it holds the lease. It is not if the result is not
// positive. The error is why the last renewal failed, or nil.
func (l *Lease) sure() (time.Duration, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return renewDeadline - l.leaf.age(l.renewed), l.failure
}

// instant is a time by both clocks of this machine. The monotonic clock stands still while the machine sleeps, and the
// wall clock may be set.
type instant struct{ monotonic, wall time.Time }

func (l *Leaf) instant() instant { return instant{time.Now(), l.wallClock()} }

// age returns how long ago an instant was, by the clock that says more.
func (l *Leaf) age(start instant) time.Duration {
	return max(time.Since(start.monotonic), l.wallClock().Sub(start.wall))
}
