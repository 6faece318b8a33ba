package cluster

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// UntilGone returns once the object does not exist any more. It watches that one object's metadata at the API server, so it serves kinds that
// the cache does not hold, Secrets among them.
func (l *Leaf) UntilGone(ctx context.Context, kind schema.GroupVersionKind, key client.ObjectKey) error {
	for {
		gone, err := l.watchUntilGone(ctx, kind, key)
		if gone || err != nil {
			return causeOr(ctx, err)
		}
	}
}

// watchUntilGone answers false when the API server has ended the watch, as it does every few minutes.
func (l *Leaf) watchUntilGone(ctx context.Context, kind schema.GroupVersionKind, key client.ObjectKey) (bool, error) {
	object := &metav1.PartialObjectMetadata{}
	object.SetGroupVersionKind(kind)
	if err := l.Live.Get(ctx, key, object); err != nil {
		return client.IgnoreNotFound(err) == nil, l.Explain(client.IgnoreNotFound(err))
	}
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
	changes, err := l.Live.Watch(ctx, list, client.InNamespace(key.Namespace), client.MatchingFields{"metadata.name": key.Name},
		&client.ListOptions{Raw: &metav1.ListOptions{ResourceVersion: object.ResourceVersion}})
	if err != nil {
		return false, l.Explain(err)
	}
	defer changes.Stop()
	for {
		select {
		case change, open := <-changes.ResultChan():
			if !open || change.Type == watch.Error { // too old a resource version, say: look again
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
