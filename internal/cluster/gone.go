package cluster

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// UntilGone returns once the object does not exist any more. It watches that one object's metadata at the API server, so it serves kinds that
// the cache does not hold, Secrets among them.
func (l *Leaf) UntilGone(ctx context.Context, kind schema.GroupVersionKind, key client.ObjectKey) error {
	for {
		gone, err := l.Gone(ctx, kind, key) // most often it is, and needs no watch
		if !gone && err == nil {
			gone, err = l.watchUntilGone(ctx, kind, key)
		}
		if gone || err != nil {
			return causeOr(ctx, err)
		}
	}
}

// Gone reports whether an object does not exist. Nothing but its metadata is read, at the API server.
func (l *Leaf) Gone(ctx context.Context, kind schema.GroupVersionKind, key client.ObjectKey) (bool, error) {
	object := &metav1.PartialObjectMetadata{}
	object.SetGroupVersionKind(kind)
	err := l.Live.Get(ctx, key, object)
	return apierrors.IsNotFound(err), l.Explain(client.IgnoreNotFound(err))
}

// watchUntilGone answers false when the API server has ended the watch, as it does every few minutes. The watch begins before the object is read, and at no version of
// it: an API server no longer knows the versions from before its start, and would end such a watch at once, again and again.
func (l *Leaf) watchUntilGone(ctx context.Context, kind schema.GroupVersionKind, key client.ObjectKey) (bool, error) {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
	changes, err := l.Live.Watch(ctx, list, client.InNamespace(key.Namespace), client.MatchingFields{"metadata.name": key.Name})
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
