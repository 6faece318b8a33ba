package cluster

import (
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
	// leaseDuration is how long a holder that does not renew its lease is waited for.
	leaseDuration = 10 * time.Second
	renewPeriod   = 3 * time.Second
	// longDead is the age of a lease that needs no watching: no two clocks are so far apart.
	longDead = 10 * time.Minute
	// releaseTimeout is for giving a lease back after the context of its holder has ended.
	releaseTimeout = 5 * time.Second
)

// ErrLeaseLost means that somebody else holds a lease now, because this process could not renew it in time.
var ErrLeaseLost = errors.New("somebody else has taken over the work because this process did not answer in time")

// Lease is a lease on a leaf that this process holds.
//
// client-go's leader election does the same, and can't be used: it needs a typed client, which brings every API of Kubernetes into the binary, and it asks
// once in a while for a lease that it could watch.
type Lease struct {
	leaf   *Leaf
	held   *coordinationv1.Lease
	cancel context.CancelFunc
	ended  chan struct{} // closed when renewing has ended
}

// Claim is how a lease shall be held.
type Claim struct {
	Name   string              // of the lease, in Liqo's namespace
	Holder string              // unique to the claim, and readable: it is what others see who wait
	Mark   func(client.Object) // labels and annotates the lease

	Waiting func(holder string) // called with the present holder while there is one
	Lost    func(error)         // called, once, if the lease is lost before it is released
}

// Hold waits until nobody holds the lease, and takes it. A holder that is dead is waited for 10 seconds. The lease is renewed until it is released.
func (l *Leaf) Hold(ctx context.Context, claim Claim) (*Lease, error) {
	lease := l.lease(claim.Name)
	for {
		err := l.takeLease(ctx, lease, claim)
		if err == nil {
			return l.keepLease(ctx, lease, claim.Lost), nil
		}
		gone := lease.ResourceVersion != "" && apierrors.IsNotFound(err) // released just now, by a holder that was not dead
		if !gone && !apierrors.IsAlreadyExists(err) && !apierrors.IsConflict(err) {
			return nil, causeOr(ctx, l.Explain(err))
		}
		if lease, err = l.untilFree(ctx, claim); err != nil {
			return nil, causeOr(ctx, err)
		}
	}
}

// Leased is the lease of that name as somebody holds it, or has held it who is dead; nil where there is none.
func (l *Leaf) Leased(ctx context.Context, name string) (*coordinationv1.Lease, error) {
	lease := l.lease(name)
	err := l.Live.Get(ctx, client.ObjectKeyFromObject(lease), lease)
	if apierrors.IsNotFound(err) {
		return nil, nil //nolint:nilnil // documented
	}
	return lease, l.Explain(err)
}

func (l *Leaf) lease(name string) *coordinationv1.Lease {
	return &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: l.LiqoNamespace, Name: name}}
}

// takeLease creates a lease, or takes it over from a dead holder if it still is as it was read.
func (l *Leaf) takeLease(ctx context.Context, lease *coordinationv1.Lease, claim Claim) error {
	now := metav1.NowMicro()
	claim.Mark(lease)
	lease.Spec = coordinationv1.LeaseSpec{
		HolderIdentity: &claim.Holder, AcquireTime: &now, RenewTime: &now, LeaseDurationSeconds: new(int32(leaseDuration.Seconds())),
	}
	if lease.ResourceVersion == "" {
		return l.Live.Create(ctx, lease, client.FieldOwner(FieldManager))
	}
	return l.Live.Update(ctx, lease, client.FieldOwner(FieldManager))
}

// untilFree returns once a lease has been released or its holder is dead: then as it was last seen, else empty. A holder is dead when its lease has not changed for as long
// as it would need to renew it; the holder's clock is not asked.
func (l *Leaf) untilFree(ctx context.Context, claim Claim) (*coordinationv1.Lease, error) {
	var (
		version string    // of the lease, as it was last seen
		since   time.Time // when it was first seen so
	)
	for {
		// The watch begins before the lease is read, and at no version of it: an API server no longer knows the versions from before its start.
		changes, err := l.Live.Watch(ctx, &coordinationv1.LeaseList{}, client.InNamespace(l.LiqoNamespace), client.MatchingFields{"metadata.name": claim.Name})
		if err != nil {
			return nil, l.Explain(err)
		}
		seen, err := l.Leased(ctx, claim.Name)
		if err != nil || seen == nil {
			changes.Stop()
			return l.lease(claim.Name), err
		}
		if seen.ResourceVersion != version {
			version, since = seen.ResourceVersion, time.Now()
			claim.Waiting(ptr.Deref(seen.Spec.HolderIdentity, ""))
		}
		silent := leaseDuration - time.Since(since)
		if silent <= 0 || time.Since(renewed(seen)) > longDead {
			changes.Stop()
			return seen, nil
		}
		if err := untilChanged(ctx, changes, version, silent); err != nil {
			return nil, err
		}
	}
}

// untilChanged returns when a lease may be another than at that version, when the API server has ended the watch, or after that time. It ends the watch.
func untilChanged(ctx context.Context, changes watch.Interface, version string, silent time.Duration) error {
	defer changes.Stop()
	timer := time.NewTimer(silent)
	defer timer.Stop()
	for {
		select {
		case change, open := <-changes.ResultChan():
			lease, ok := change.Object.(*coordinationv1.Lease)
			if open && ok && change.Type != watch.Deleted && lease.ResourceVersion == version {
				continue // a watch begins with what there is
			}
			return nil
		case <-timer.C:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func renewed(lease *coordinationv1.Lease) time.Time {
	if lease.Spec.RenewTime == nil {
		return time.Time{}
	}
	return lease.Spec.RenewTime.Time
}

// keepLease renews a lease until it is released or lost. What uses it may go on after its context has ended, to clean up, so renewing does not end with that.
func (l *Leaf) keepLease(ctx context.Context, lease *coordinationv1.Lease, lost func(error)) *Lease {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	kept := &Lease{leaf: l, held: lease, cancel: cancel, ended: make(chan struct{})}
	go func() {
		defer close(kept.ended)
		ticker := time.NewTicker(renewPeriod)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			// An API server that does not answer takes nothing away: until it answers, nobody else can hold the lease either.
			if err := kept.renew(ctx); apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
				lost(fmt.Errorf("%w: lease %s/%s on leaf %q", ErrLeaseLost, lease.Namespace, lease.Name, l.Name))
				return
			}
		}
	}()
	return kept
}

func (l *Lease) renew(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, leaseDuration)
	defer cancel()
	renewed := l.held.DeepCopy()
	renewed.Spec.RenewTime = new(metav1.NowMicro())
	err := l.leaf.Live.Update(ctx, renewed, client.FieldOwner(FieldManager))
	if err == nil {
		l.held = renewed
	}
	return err
}

// Release gives the lease back, also when ctx has ended. One that can't be given back ends by itself.
func (l *Lease) Release(ctx context.Context) error {
	l.cancel()
	<-l.ended
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	uid, version := l.held.UID, l.held.ResourceVersion
	err := l.leaf.Live.Delete(ctx, l.held, client.Preconditions{UID: &uid, ResourceVersion: &version})
	if apierrors.IsConflict(err) {
		return nil // it is somebody else's by now
	}
	return l.leaf.Explain(client.IgnoreNotFound(err))
}
