package cluster

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Events tells when objects in a leaf's cache have changed.
type Events interface {
	// Subscribe calls changed with every object of these kinds that has been added, updated or deleted, until the returned function is
	// called. Objects that are there already count as added.
	Subscribe(ctx context.Context, changed func(client.Object), kinds ...client.Object) (unsubscribe func(), err error)
}

// Until returns nil once done answers true. It asks at once and again after each change, in the leaf's cache, of an object of these kinds that
// belongs to the remote cluster with this ID; it never polls. It ends early with done's error, with the context's cause, or with the error
// that has broken the leaf's caches.
func (l *Leaf) Until(ctx context.Context, remoteID string, done func(context.Context) (bool, error), kinds ...client.Object) error {
	ctx, cancel := l.health.watch(ctx)
	defer cancel()
	changes := make(chan struct{}, 1) // one is enough: done looks at everything
	unsubscribe, err := l.Events.Subscribe(ctx, func(object client.Object) {
		if RemoteID(object) != remoteID {
			return
		}
		select {
		case changes <- struct{}{}:
		default:
		}
	}, kinds...)
	if err != nil {
		return causeOr(ctx, err)
	}
	defer unsubscribe()
	for {
		ok, err := done(ctx)
		if err != nil {
			return causeOr(ctx, err)
		}
		if ok {
			return nil
		}
		select {
		case <-changes:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// causeOr prefers the reason why the context has ended over an error that only follows from it.
func causeOr(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
