package cluster

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// UntilList returns once done returns true for the objects of a list. It lists them and calls done immediately, and
// again after each change of an object that the options select. It lists and watches at the API server, so it works for
// kinds that the cache does not hold, such as EndpointSlices. It goes on while an API server does not answer, as
// [Leaf.UntilObject]. The error is another one of done, the context's cause, a [WaitError] or an [Error].
func (l *Leaf) UntilList(
	ctx context.Context, list client.ObjectList, done func(context.Context) (bool, error), options ...client.ListOption,
) error {
	return untilWatched(ctx,
		func() (bool, error) { return l.checkList(ctx, list, done, options) },
		func() (bool, error) { return l.watchListUntil(ctx, list, done, options) })
}

// List lists objects at the API server. The error is explained, as by [Leaf.Explain].
func (l *Leaf) List(ctx context.Context, list client.ObjectList, options ...client.ListOption) error {
	return l.Explain(l.Live.List(ctx, list, options...))
}

func (l *Leaf) checkList(
	ctx context.Context, list client.ObjectList, done func(context.Context) (bool, error), options []client.ListOption,
) (bool, error) {
	if err := l.List(ctx, list, options...); err != nil {
		return false, err
	}
	return done(ctx)
}

// watchListUntil returns false when the API server ends the watch. It begins to watch before it lists, as
// [Leaf.watchUntil].
func (l *Leaf) watchListUntil(
	ctx context.Context, list client.ObjectList, done func(context.Context) (bool, error), options []client.ListOption,
) (bool, error) {
	changes, err := l.Live.Watch(ctx, emptied(list), slices.Clone(options)...)
	if err != nil {
		return false, l.Explain(err)
	}
	if ok, err := l.checkList(ctx, list, done, options); ok || err != nil {
		changes.Stop()
		return ok, err
	}
	return untilEvent(ctx, changes, func(watch.Event) (bool, error) { return l.checkList(ctx, list, done, options) })
}

// emptied returns a list of the same type without a resource version, at which a watch would begin.
func emptied(list client.ObjectList) client.ObjectList {
	same := list.DeepCopyObject().(client.ObjectList) //nolint:errcheck,forcetypeassert // a copy has its original's type
	same.SetResourceVersion("")
	return same
}
