package cluster

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// UntilGone returns once the object no longer exists. It watches the metadata of this object at the
// API server, so it works for kinds that the cache does not hold, such as Secrets.
func (l *Leaf) UntilGone(ctx context.Context, kind schema.GroupVersionKind, key client.ObjectKey) error {
	for {
		gone, err := l.Gone(ctx, kind, key) // usually true, and then no watch is needed
		if !gone && err == nil {
			gone, err = l.watchUntilGone(ctx, kind, key)
		}
		if gone || err != nil {
			return causeOr(ctx, err)
		}
	}
}

// Gone reports whether an object does not exist. It reads only the object's metadata, from the API
// server.
func (l *Leaf) Gone(ctx context.Context, kind schema.GroupVersionKind, key client.ObjectKey) (bool, error) {
	object := &metav1.PartialObjectMetadata{}
	object.SetGroupVersionKind(kind)
	err := l.Live.Get(ctx, key, object)
	return apierrors.IsNotFound(err), l.Explain(client.IgnoreNotFound(err))
}

// watchUntilGone returns false when the API server ends the watch, as it does every few minutes.
// The watch starts before the object is read, and without a resource version. An API server does
// not know the versions from before its start, and would end a watch at such a version immediately,
// again and again.
func (l *Leaf) watchUntilGone(ctx context.Context, kind schema.GroupVersionKind, key client.ObjectKey) (bool, error) {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
	changes, err := l.Live.Watch(ctx, list,
		client.InNamespace(key.Namespace), client.MatchingFields{"metadata.name": key.Name})
	if err != nil {
		return false, l.Explain(err)
	}
	defer changes.Stop()
	if gone, err := l.Gone(ctx, kind, key); gone || err != nil {
		return gone, err
	}
	for {
		select {
		case change, open := <-changes.ResultChan():
			if !open || change.Type == watch.Error {
				return false, nil
			}
			if change.Type == watch.Deleted {
				return true, nil
			}
		case <-ctx.Done():
			return false, context.Cause(ctx)
		}
	}
}
