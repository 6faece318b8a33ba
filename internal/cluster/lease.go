package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// leaseDuration is the time after which a holder that has not renewed its lease counts as dead.
	leaseDuration = 10 * time.Second
	renewPeriod   = 3 * time.Second
	// longDead is the age after which a lease is dead without watching it: no two clocks differ by
	// so much.
	longDead = 10 * time.Minute
	// releaseTimeout limits the release of a lease after the context of its holder has ended.
	releaseTimeout = 5 * time.Second
)

// ErrLeaseLost means that another process holds a lease now, because this process could not renew
// it in time.
var ErrLeaseLost = errors.New("another process has taken over because this process did not renew its lease in time")

// Lease is a lease on a leaf that this process holds.
//
// client-go's leader election does the same, but is not suitable. It needs a typed client, which
// adds every API of Kubernetes to the binary, and it polls a lease that it could watch.
type Lease struct {
	// AtOnce means that the first request took the lease: nobody else held it.
	AtOnce bool

	leaf  *Leaf
	held  *coordinationv1.Lease
	stop  context.CancelFunc // begins no further renewal
	abort context.CancelFunc // also ends a renewal that is under way
	ended chan struct{}      // closed when the renewal has ended
}

// Claim says how to hold a lease.
type Claim struct {
	Name   string              // of the lease, in Liqo's namespace
	Holder string              // unique to the claim, and readable, because waiting processes show it
	Mark   func(client.Object) // labels and annotates the lease

	Waiting func(holder string) // called with the current holder while there is one
	Lost    func(error)         // called once if the lease is lost before its release
}

// Hold waits until nobody holds the lease, and takes it. It waits 10 seconds for a dead holder. It
// renews the lease until the lease is released.
func (l *Leaf) Hold(ctx context.Context, claim Claim) (*Lease, error) {
	lease := l.lease(claim.Name)
	var retries retries
	for atOnce := true; ; atOnce = false {
		err := l.takeLease(ctx, lease, claim)
		if err == nil {
			kept := l.keepLease(ctx, lease, claim.Lost)
			kept.AtOnce = atOnce
			return kept, nil
		}
		if err := l.Explain(err); isOutage(err) {
			if err := retries.pause(ctx, err); err != nil {
				return nil, err
			}
			continue
		}
		gone := lease.ResourceVersion != "" && isAbsent(err) // just released by a holder that was alive
		if !gone && !apierrors.IsAlreadyExists(err) && !apierrors.IsConflict(err) {
			return nil, causeOr(ctx, l.Explain(err))
		}
		if lease, err = l.untilFree(ctx, claim); err != nil {
			return nil, err
		}
	}
}

// Leased returns the lease with this name, or nil if there is none. Its holder may be dead.
func (l *Leaf) Leased(ctx context.Context, name string) (*coordinationv1.Lease, error) {
	lease := l.lease(name)
	err := l.Live.Get(ctx, client.ObjectKeyFromObject(lease), lease)
	if isAbsent(err) {
		return nil, nil //nolint:nilnil // documented
	}
	return lease, l.Explain(err)
}

func (l *Leaf) lease(name string) *coordinationv1.Lease {
	return &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: l.LiqoNamespace, Name: name}}
}

// takeLease creates a lease, or takes it over from a dead holder if it has not changed since it was
// read.
func (l *Leaf) takeLease(ctx context.Context, lease *coordinationv1.Lease, claim Claim) error {
	now := metav1.NowMicro()
	claim.Mark(lease)
	lease.Spec = coordinationv1.LeaseSpec{
		HolderIdentity: &claim.Holder, AcquireTime: &now, RenewTime: &now,
		LeaseDurationSeconds: new(int32(leaseDuration.Seconds())),
	}
	if lease.ResourceVersion == "" {
		return l.Live.Create(ctx, lease, client.FieldOwner(FieldManager))
	}
	return l.Live.Update(ctx, lease, client.FieldOwner(FieldManager))
}

// untilFree returns once a lease has been released or its holder is dead. It returns an empty lease
// after a release, and the lease as last seen after a death. A holder is dead if its lease has not
// changed for leaseDuration by this process's clock, while the API server could be asked.
func (l *Leaf) untilFree(ctx context.Context, claim Claim) (*coordinationv1.Lease, error) {
	var (
		version string    // of the lease when last seen
		since   time.Time // when this version was first seen
		retries retries
	)
	for {
		changes, seen, err := l.watchLease(ctx, claim.Name)
		if err != nil {
			version = "" // without an API server, a holder that is alive can't renew its lease either
			if err := retries.pause(ctx, err); err != nil {
				return nil, err
			}
			continue
		}
		if seen == nil {
			changes.Stop()
			return l.lease(claim.Name), nil
		}
		if seen.ResourceVersion != version {
			version, since = seen.ResourceVersion, time.Now()
			claim.Waiting(holderOf(seen))
		}
		silent := leaseDuration - time.Since(since)
		if silent <= 0 || time.Since(renewed(seen)) > longDead || holderOf(seen) == claim.Holder {
			changes.Stop()
			return seen, nil
		}
		watched, err := untilChanged(ctx, changes, version, silent)
		if !watched && err == nil {
			err = retries.pause(ctx, nil)
		}
		if err != nil {
			return nil, err
		}
	}
}

// watchLease returns the changes of a lease, and the lease itself, which is nil if there is none. The
// watch starts before the lease is read, and without a resource version, because an API server does
// not know the versions from before its start. After an error, there is no watch.
func (l *Leaf) watchLease(ctx context.Context, name string) (watch.Interface, *coordinationv1.Lease, error) {
	changes, err := l.Live.Watch(ctx, &coordinationv1.LeaseList{},
		client.InNamespace(l.LiqoNamespace), client.MatchingFields{"metadata.name": name})
	if err != nil {
		return nil, nil, l.Explain(err)
	}
	seen, err := l.Leased(ctx, name)
	if err != nil {
		changes.Stop()
		return nil, nil, err
	}
	return changes, seen, nil
}

// untilChanged returns true when a lease may differ from this version, or after the time silent. It
// returns false when the API server ends the watch. It stops the watch.
func untilChanged(ctx context.Context, changes watch.Interface, version string, silent time.Duration) (bool, error) {
	defer changes.Stop()
	timer := time.NewTimer(silent)
	defer timer.Stop()
	for {
		select {
		case change, open := <-changes.ResultChan():
			lease, ok := change.Object.(*coordinationv1.Lease)
			if !open || !ok {
				return false, nil
			}
			if change.Type != watch.Deleted && lease.ResourceVersion == version {
				continue // a watch starts with the existing objects
			}
			return true, nil
		case <-timer.C:
			return true, nil
		case <-ctx.Done():
			return true, context.Cause(ctx)
		}
	}
}

func holderOf(lease *coordinationv1.Lease) string { return ptr.Deref(lease.Spec.HolderIdentity, "") }

func renewed(lease *coordinationv1.Lease) time.Time {
	if lease.Spec.RenewTime == nil {
		return time.Time{}
	}
	return lease.Spec.RenewTime.Time
}

// keepLease renews a lease until it is released or lost. Its user may continue after the context
// has ended, to clean up. So the renewal does not end with the context.
func (l *Leaf) keepLease(ctx context.Context, lease *coordinationv1.Lease, lost func(error)) *Lease {
	ctx, abort := context.WithCancel(context.WithoutCancel(ctx))
	renewing, stop := context.WithCancel(ctx)
	kept := &Lease{leaf: l, held: lease, stop: stop, abort: abort, ended: make(chan struct{})}
	go func() {
		defer close(kept.ended)
		ticker := time.NewTicker(renewPeriod)
		defer ticker.Stop()
		for {
			select {
			case <-renewing.Done():
				return
			case <-ticker.C:
			}
			// No answer does not mean that the lease is lost: until the API server answers, nobody
			// else can take it either.
			if err := kept.renew(ctx); apierrors.IsConflict(err) || isAbsent(err) {
				lost(fmt.Errorf("%w: lease %s/%s on leaf %q", ErrLeaseLost, lease.Namespace, lease.Name, l.Name))
				return
			}
		}
	}()
	return kept
}

// renew renews the lease once. Its error is a conflict, or that the lease is absent, if another process may
// hold it now.
func (l *Lease) renew(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, leaseDuration)
	defer cancel()
	return l.write(ctx, func(held *coordinationv1.Lease) error {
		held.Spec.RenewTime = new(metav1.NowMicro())
		return l.leaf.Live.Update(ctx, held, client.FieldOwner(FieldManager))
	})
}

// Release releases the lease, even if ctx has ended. A lease that can't be released expires. Release waits for the
// answer to a renewal that is under way. Without it, the version of the lease would be unknown, and to find it out
// takes longer.
func (l *Lease) Release(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	defer l.abort()
	l.stop()
	select {
	case <-l.ended:
	case <-ctx.Done():
		l.abort()
		<-l.ended
	}
	return l.leaf.Persist(ctx, func() error {
		err := l.write(ctx, func(held *coordinationv1.Lease) error {
			return l.leaf.Live.Delete(ctx, held, client.Preconditions{UID: &held.UID, ResourceVersion: &held.ResourceVersion})
		})
		if apierrors.IsConflict(err) {
			return nil // someone else holds it now
		}
		return client.IgnoreNotFound(err)
	})
}

// write writes the lease. After a conflict, it reads the lease and writes once more if this process still
// holds it. That is so if the answer to an earlier write was lost.
func (l *Lease) write(ctx context.Context, do func(held *coordinationv1.Lease) error) error {
	written := l.held.DeepCopy()
	err := do(written)
	if apierrors.IsConflict(err) {
		seen, readErr := l.leaf.Leased(ctx, l.held.Name)
		if readErr != nil || seen == nil || seen.UID != l.held.UID || holderOf(seen) != holderOf(l.held) {
			return cmp.Or(readErr, err)
		}
		written = seen
		err = do(written)
	}
	if err == nil {
		l.held = written
	}
	return err
}
