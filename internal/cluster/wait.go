package cluster

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Events reports changes of objects in a leaf's cache.
type Events interface {
	// Subscribe calls changed for every object of these kinds that is added, updated or deleted, until the returned
	// function is called. Existing objects count as added.
	Subscribe(ctx context.Context, changed func(client.Object), kinds ...client.Object) (unsubscribe func(), err error)
}

// Until returns nil once done returns true. It calls done immediately, and again after each change in the leaf's cache
// to an object of these kinds that belongs to the remote cluster with this ID. It never polls. If done fails because
// the API server does not answer or refuses, Until calls it again after a while, as [Leaf.UntilObject]. It returns
// early with another error of done, the context's cause, a [WaitError], or the error that broke the leaf's caches.
func (l *Leaf) Until(
	ctx context.Context, remoteID string, done func(context.Context) (bool, error), kinds ...client.Object,
) error {
	return l.until(ctx, remoteID, func(client.Object) {}, done, kinds...)
}

// until is Until. It also calls changed for each object of the remote cluster that is added, updated or deleted, and
// then calls done.
func (l *Leaf) until(
	ctx context.Context, remoteID string, changed func(client.Object), done func(context.Context) (bool, error),
	kinds ...client.Object,
) error {
	ctx, cancel := l.health.watch(ctx, kinds...)
	defer cancel()
	changes := make(chan struct{}, 1) // one is enough, because done checks everything
	unsubscribe, err := l.Events.Subscribe(ctx, func(object client.Object) {
		if RemoteID(object) != remoteID {
			return
		}
		changed(object)
		select {
		case changes <- struct{}{}:
		default:
		}
	}, kinds...)
	if err != nil {
		return causeOr(ctx, err)
	}
	defer unsubscribe()
	var retries retries
	for {
		ok, err := done(ctx)
		switch {
		case err != nil:
			err = retries.pause(ctx, err)
		case ok:
			return nil
		default:
			retries.succeeded()
			err = untilSent(ctx, changes)
		}
		if err != nil {
			return err
		}
	}
}

// untilSent returns nil after the next change, or the cause of the context's end.
func untilSent(ctx context.Context, changes <-chan struct{}) error {
	select {
	case <-changes:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// causeOr returns the cause of the context's end if it has ended, because err may only be a consequence. Otherwise it
// returns err.
func causeOr(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
