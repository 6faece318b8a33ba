package cluster

import (
	"cmp"
	"context"
	"crypto/rand"
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
	// longDead is the age after which a lease is dead without watching it. Both times are by the API server's clock.
	longDead = 10 * time.Minute
	// releaseTimeout limits the release of a lease after the context of its holder has ended.
	releaseTimeout = 5 * time.Second
)

// LeaseRequest says how to hold a lease.
type LeaseRequest struct {
	Name      string // of the lease
	Namespace string // of the lease; empty stands for Liqo's

	Holder string              // readable, because waiting processes show it; made unique to the claim
	Mark   func(client.Object) // labels and annotates the lease; that of a dead holder still has the holder's annotations

	Waiting func(holder string) // called with the current holder while there is one
	Lost    func(error)         // called once with a [LeaseLostError] if the lease is lost before its release
}

// Hold waits until nobody holds the lease, and takes it. It waits 10 seconds for a dead holder. It renews the lease
// until the lease is released. With a context of [WithFence], nothing is written while the lease may be lost.
func (l *Leaf) Hold(ctx context.Context, request LeaseRequest) (*Lease, error) {
	fence, ctx := fenceOf(ctx), withoutFence(ctx)
	request.Holder += "/" + rand.Text()
	lease := l.lease(request.Namespace, request.Name)
	var retries retries
	for atOnce := true; ; atOnce = false {
		began := l.instant()
		err := l.takeLease(ctx, lease, request)
		if err == nil {
			kept := l.keepLease(ctx, lease, began, fence, request.Lost)
			kept.AtOnce = atOnce
			return kept, nil
		}
		if err := l.Explain(err); isOutage(err) {
			if err := retries.pause(ctx, err); err != nil {
				return nil, err
			}
			continue
		}
		gone := lease.ResourceVersion != "" && IsAbsent(err) // just released by a holder that was alive
		if !gone && !apierrors.IsAlreadyExists(err) && !apierrors.IsConflict(err) {
			return nil, causeOr(ctx, l.Explain(err))
		}
		if lease, err = l.untilFree(ctx, request); err != nil {
			return nil, err
		}
	}
}

// Leased returns the lease with this name in Liqo's namespace, or nil if there is none. Its holder may be dead.
func (l *Leaf) Leased(ctx context.Context, name string) (*coordinationv1.Lease, error) {
	return l.leased(ctx, l.lease("", name))
}

// leased reads a lease.
func (l *Leaf) leased(ctx context.Context, lease *coordinationv1.Lease) (*coordinationv1.Lease, error) {
	if exists, err := l.Get(ctx, client.ObjectKeyFromObject(lease), lease); !exists {
		return nil, err
	}
	return lease, nil
}

func (l *Leaf) lease(namespace, name string) *coordinationv1.Lease {
	return &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: cmp.Or(namespace, l.LiqoNamespace), Name: name},
	}
}

// takeLease creates a lease, or takes it over if it has not changed since it was read. Its times are by the clock of
// the API server, which all processes share.
func (l *Leaf) takeLease(ctx context.Context, lease *coordinationv1.Lease, request LeaseRequest) error {
	request.Mark(lease)
	lease.Spec = coordinationv1.LeaseSpec{
		HolderIdentity: &request.Holder, AcquireTime: l.microNow(), RenewTime: l.microNow(),
		LeaseDurationSeconds: new(int32(leaseDuration.Seconds())),
	}
	if lease.ResourceVersion == "" {
		return l.clients.Live.Create(ctx, lease, client.FieldOwner(FieldManager))
	}
	return l.clients.Live.Update(ctx, lease, client.FieldOwner(FieldManager))
}

func (l *Leaf) microNow() *metav1.MicroTime { return new(metav1.NewMicroTime(l.Now())) }

// untilFree returns once a lease has been released or its holder is dead. It returns an empty lease after a release,
// and the lease as last seen after a death.
func (l *Leaf) untilFree(ctx context.Context, request LeaseRequest) (*coordinationv1.Lease, error) {
	var (
		holder  vigil
		retries retries
	)
	for {
		changes, seen, err := l.watchLease(ctx, l.lease(request.Namespace, request.Name))
		if err != nil {
			holder = vigil{} // without an API server, a holder that is alive can't renew its lease either
			if err := retries.pause(ctx, err); err != nil {
				return nil, err
			}
			continue
		}
		if free := l.free(seen, request, &holder); free != nil {
			changes.Stop()
			return free, nil
		}
		watched, err := untilChanged(ctx, changes, holder)
		if !watched && err == nil {
			err = retries.pause(ctx, nil)
		}
		if err != nil {
			return nil, err
		}
	}
}

// free returns the lease to take if nobody alive holds the one that is seen, or nil. There may be none to see.
func (l *Leaf) free(
	seen *coordinationv1.Lease, request LeaseRequest, holder *vigil,
) *coordinationv1.Lease {
	if seen == nil {
		return l.lease(request.Namespace, request.Name)
	}
	if l.isFree(seen, request) {
		return seen
	}
	if holder.sees(seen) {
		request.Waiting(holderOf(seen))
	}
	if holder.rest() <= 0 {
		return seen
	}
	return nil
}

// vigil tells a dead holder from a slow one: its lease has not changed for leaseDuration by this process's clock, while
// the API server could be asked.
type vigil struct {
	version string    // of the lease when last seen; empty before
	since   time.Time // when this version was first seen
}

// sees notes a lease, and reports whether it has changed.
func (v *vigil) sees(lease *coordinationv1.Lease) bool {
	if lease.ResourceVersion == v.version {
		return false
	}
	v.version, v.since = lease.ResourceVersion, time.Now()
	return true
}

// rest returns for how long the lease must still not change.
func (v *vigil) rest() time.Duration { return leaseDuration - time.Since(v.since) }

// isFree reports whether a lease shows by itself that nobody else holds it.
func (l *Leaf) isFree(lease *coordinationv1.Lease, request LeaseRequest) bool {
	return isLeft(lease) || holderOf(lease) == request.Holder || l.Now().Sub(renewed(lease)) > longDead
}

// watchLease returns the changes of a lease, and the lease itself, which is nil if there is none. The watch starts
// before the lease is read, and without a resource version, because an API server does not know the versions from
// before its start. After an error, there is no watch.
func (l *Leaf) watchLease(
	ctx context.Context, lease *coordinationv1.Lease,
) (watch.Interface, *coordinationv1.Lease, error) {
	changes, err := l.clients.Live.Watch(ctx, &coordinationv1.LeaseList{},
		client.InNamespace(lease.Namespace), client.MatchingFields{"metadata.name": lease.Name})
	if err != nil {
		return nil, nil, l.Explain(err)
	}
	seen, err := l.leased(ctx, lease)
	if err != nil {
		changes.Stop()
		return nil, nil, err
	}
	return changes, seen, nil
}

// untilChanged returns true when a lease may have changed, or when its holder may count as dead. It returns false when
// the API server ends the watch. It stops the watch.
func untilChanged(ctx context.Context, changes watch.Interface, holder vigil) (bool, error) {
	limited, cancel := context.WithTimeout(ctx, holder.rest())
	defer cancel()
	changed, err := untilEvent(limited, changes, func(change watch.Event) (bool, error) {
		lease, ok := change.Object.(*coordinationv1.Lease)
		existing := ok && change.Type != watch.Deleted && lease.ResourceVersion == holder.version
		return !existing, nil // a watch starts with the existing objects
	})
	if limited.Err() != nil {
		return true, context.Cause(ctx) // nil after the rest of the time
	}
	return changed, err
}

func holderOf(lease *coordinationv1.Lease) string { return ptr.Deref(lease.Spec.HolderIdentity, "") }

// isLeft reports whether a holder has left its lease behind without holding it any longer, see [Lease.Leave].
func isLeft(lease *coordinationv1.Lease) bool { return holderOf(lease) == "" }

func renewed(lease *coordinationv1.Lease) time.Time {
	if lease.Spec.RenewTime == nil {
		return time.Time{}
	}
	return lease.Spec.RenewTime.Time
}

// Release deletes the lease, even if ctx has ended. A lease that can't be released expires. Release waits for the
// answer to a renewal that is under way. Without it, the version of the lease would be unknown, and to find it out
// takes longer.
func (l *Lease) Release(ctx context.Context) error {
	return l.end(ctx, func(ctx context.Context, held *coordinationv1.Lease) error {
		unchanged := client.Preconditions{UID: &held.UID, ResourceVersion: &held.ResourceVersion}
		return l.leaf.clients.Live.Delete(ctx, held, unchanged)
	})
}

// Leave releases the lease as [Lease.Release], but does not delete it. Mark annotates what stays of it. The next claim
// takes it without waiting.
func (l *Lease) Leave(ctx context.Context, mark func(client.Object)) error {
	return l.end(ctx, func(ctx context.Context, held *coordinationv1.Lease) error {
		held.Spec.HolderIdentity = nil
		mark(held)
		return l.leaf.clients.Live.Update(ctx, held, client.FieldOwner(FieldManager))
	})
}

// end ends the renewal, and then gives the lease back.
func (l *Lease) end(ctx context.Context, giveBack func(context.Context, *coordinationv1.Lease) error) error {
	ctx, cancel := context.WithTimeout(withoutFence(context.WithoutCancel(ctx)), releaseTimeout)
	defer cancel()
	defer l.abort()
	l.stop()
	select {
	case <-l.ended:
	case <-ctx.Done():
		l.abort()
		<-l.ended
	}
	defer l.fence.remove(l)
	return l.leaf.Persist(ctx, func() error {
		err := l.write(ctx, func(held *coordinationv1.Lease) error { return giveBack(ctx, held) })
		if apierrors.IsConflict(err) {
			return nil // someone else holds it now
		}
		return IgnoreAbsent(err)
	})
}

// write writes the lease. After a conflict, it reads the lease and writes once more if this process still holds it.
// That is so if the answer to an earlier write was lost.
func (l *Lease) write(ctx context.Context, do func(held *coordinationv1.Lease) error) error {
	written := l.held.DeepCopy()
	err := do(written)
	if apierrors.IsConflict(err) {
		seen, readErr := l.leaf.leased(ctx, l.leaf.lease(l.held.Namespace, l.held.Name))
		switch {
		case readErr != nil:
			return readErr
		case seen == nil: // for API servers, its UID is in conflict
			return apierrors.NewNotFound(coordinationv1.Resource("leases"), l.held.Name)
		case seen.UID != l.held.UID || holderOf(seen) != holderOf(l.held):
			return err
		}
		written = seen
		err = do(written)
	}
	if err == nil {
		l.held = written
	}
	return err
}
