package cluster

import (
	"context"
	"errors"
	"reflect"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	watchtools "k8s.io/client-go/tools/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// UntilObject returns once done returns true for an object with this name and namespace. It calls done immediately, and
// again after each change of the object. While exists is false, there is no such object. UntilObject reads and watches
// this one object at the API server, so it works for kinds that the cache does not hold, such as Services. It goes on
// while the API server does not answer, and for a while if the API server refuses its requests. The error is the
// context's cause, a [WaitError] or an [Error].
func (l *Leaf) UntilObject(ctx context.Context, object client.Object, done func(exists bool) bool) error {
	key, kind := client.ObjectKeyFromObject(object), object.GetObjectKind().GroupVersionKind()
	list, which, err := l.listOf(object)
	if err != nil {
		return err
	}
	return l.untilWatched(ctx, list, which,
		func() (bool, error) { return l.check(ctx, key, object, done) },
		func(change watch.Event) (bool, error) {
			set(object, change.Object)
			object.GetObjectKind().SetGroupVersionKind(kind) // a later read needs it
			return done(change.Type != watch.Deleted), nil
		})
}

// set makes an object what another one of its type is.
func set(object client.Object, to runtime.Object) {
	reflect.ValueOf(object).Elem().Set(reflect.ValueOf(to).Elem())
}

// untilWatched returns once a read returns true, or an event of a watch of what the options select. The first read is
// often true, and then no watch is needed. A watch ends every few minutes, and another one begins.
func (l *Leaf) untilWatched(
	ctx context.Context, list client.ObjectList, which []client.ListOption, read func() (bool, error),
	event func(watch.Event) (bool, error),
) error {
	var retries retries
	for {
		ok, err := read()
		if !ok && err == nil {
			ok, err = l.watchThen(ctx, list, which, read, event)
		}
		if ok {
			return nil
		}
		if err := retries.pause(ctx, err); err != nil {
			return err
		}
	}
}

// watchThen begins to watch and then reads, so that it misses no change. It returns true once the read or an event
// does, and false when the API server ends the watch. The watch has no resource version: an API server does not know
// the versions from before its start, and would end a watch at such a version immediately, again and again.
func (l *Leaf) watchThen(
	ctx context.Context, list client.ObjectList, which []client.ListOption, read func() (bool, error),
	event func(watch.Event) (bool, error),
) (bool, error) {
	changes, err := l.clients.Live.Watch(ctx, emptied(list), slices.Clone(which)...)
	if err != nil {
		return false, l.Explain(err)
	}
	if ok, err := read(); ok || err != nil {
		changes.Stop()
		return ok, err
	}
	return untilEvent(ctx, changes, event)
}

// Follow sends an object, which may not exist yet, whenever the API server reports it, until ctx ends. It returns at
// once. Whoever calls it before others create the object gets the object a round trip earlier than by asking for it
// then. Nothing comes if the watch fails or ends, so it is no substitute for asking.
func (l *Leaf) Follow(ctx context.Context, object client.Object) <-chan client.Object {
	seen := make(chan client.Object)
	go func() {
		list, which, err := l.listOf(object)
		if err != nil {
			return
		}
		_, _ = l.watchThen(ctx, list, which, func() (bool, error) { return false, nil },
			func(change watch.Event) (bool, error) {
				if object, ok := change.Object.(client.Object); ok && change.Type != watch.Deleted {
					select {
					case seen <- object:
					case <-ctx.Done():
					}
				}
				return false, nil
			})
	}()
	return seen
}

// UntilGone returns once the object no longer exists. It reads only the object's metadata.
func (l *Leaf) UntilGone(ctx context.Context, kind schema.GroupVersionKind, key client.ObjectKey) error {
	return l.UntilObject(ctx, metadataOf(kind, key), func(exists bool) bool { return !exists })
}

// Gone reports whether an object does not exist. It reads only the object's metadata, from the API server.
func (l *Leaf) Gone(ctx context.Context, kind schema.GroupVersionKind, key client.ObjectKey) (bool, error) {
	return l.check(ctx, key, metadataOf(kind, key), func(exists bool) bool { return !exists })
}

// DeleteWatched deletes an object, and returns when it is gone. The object is then as it was last: a pod has what its
// containers said at their end. It is as it was before if nobody has seen more of it.
func (l *Leaf) DeleteWatched(ctx context.Context, object client.Object, options ...client.DeleteOption) error {
	kind, err := l.KindOf(object)
	if err != nil {
		return err
	}
	key := client.ObjectKeyFromObject(object)
	list, which, err := l.listOf(object)
	if err != nil {
		return err
	}
	gone, err := l.watchThen(ctx, list, which,
		func() (bool, error) {
			return false, l.Persist(ctx, func() error { return l.Delete(ctx, object, options...) })
		},
		func(change watch.Event) (bool, error) {
			set(object, change.Object)
			return change.Type == watch.Deleted, nil
		})
	if gone || err != nil {
		return err
	}
	return l.UntilGone(ctx, kind, key)
}

func metadataOf(kind schema.GroupVersionKind, key client.ObjectKey) client.Object {
	object := &metav1.PartialObjectMetadata{}
	object.SetGroupVersionKind(kind)
	object.SetNamespace(key.Namespace)
	object.SetName(key.Name)
	return object
}

// check reads the object from the API server.
func (l *Leaf) check(
	ctx context.Context, key client.ObjectKey, object client.Object, done func(exists bool) bool,
) (bool, error) {
	exists, err := l.Get(ctx, key, object)
	return err == nil && done(exists), err
}

// untilEvent returns true once done returns true for an event of a watch, and false when the API server ends the watch.
// It stops the watch. The error is another one of done, or the context's cause.
//
// client-go's UntilWithSync and Until begin a watch again by themselves. They are not used, because they do so also if
// the API server refuses it, and tell nobody: whoever lacks a permission would wait until the timeout.
func untilEvent(
	ctx context.Context, changes watch.Interface, done func(watch.Event) (bool, error),
) (bool, error) {
	_, err := watchtools.UntilWithoutRetry(ctx, changes, func(change watch.Event) (bool, error) {
		if change.Type == watch.Error {
			return false, watchtools.ErrWatchClosed
		}
		return done(change)
	})
	switch {
	case errors.Is(err, watchtools.ErrWatchClosed):
		return false, nil
	case wait.Interrupted(err):
		return false, context.Cause(ctx)
	default:
		return err == nil, err
	}
}

// listOf returns an empty list of objects of the same type, and what selects this one by its name and namespace.
func (l *Leaf) listOf(object client.Object) (client.ObjectList, []client.ListOption, error) {
	which := []client.ListOption{
		client.InNamespace(object.GetNamespace()), client.MatchingFields{"metadata.name": object.GetName()},
	}
	kind, err := l.KindOf(object)
	if err != nil {
		return nil, nil, err
	}
	kind.Kind += "List"
	if _, metadataOnly := object.(*metav1.PartialObjectMetadata); metadataOnly {
		list := &metav1.PartialObjectMetadataList{}
		list.SetGroupVersionKind(kind)
		return list, which, nil
	}
	list, err := l.Scheme().New(kind)
	if err != nil {
		return nil, nil, err
	}
	return list.(client.ObjectList), which, nil //nolint:errcheck,forcetypeassert // the list of an object's kind is one
}

// UntilList returns once done returns true for the objects of a list. It lists them and calls done immediately, and
// again after each change of an object that the options select. It lists and watches at the API server, so it works for
// kinds that the cache does not hold, such as EndpointSlices. It goes on while an API server does not answer, as
// [Leaf.UntilObject]. The error is another one of done, the context's cause, a [WaitError] or an [Error].
func (l *Leaf) UntilList(
	ctx context.Context, list client.ObjectList, done func(context.Context) (bool, error), options ...client.ListOption,
) error {
	read := func() (bool, error) {
		if err := l.List(ctx, list, options...); err != nil {
			return false, err
		}
		return done(ctx)
	}
	return l.untilWatched(ctx, list, options, read, func(watch.Event) (bool, error) { return read() })
}

// emptied returns a list of the same type without a resource version, at which a watch would begin.
func emptied(list client.ObjectList) client.ObjectList {
	same := list.DeepCopyObject().(client.ObjectList) //nolint:errcheck,forcetypeassert // a copy has its original's type
	same.SetResourceVersion("")
	return same
}
