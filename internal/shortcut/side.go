package shortcut

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
)

// until waits until done is true of what the leaf holds of this network, asking again whenever the cache of one of these kinds has changed. waitedFor
// completes "waited for …" in the error, which holds the leaf's own evidence of what is wrong.
func (s *side) until(ctx context.Context, waitedFor string, done func(objects) bool, kinds ...client.Object) error {
	err := s.leaf.Until(ctx, string(s.remote.ID), func(ctx context.Context) (bool, error) {
		found, err := s.find(ctx)
		return err == nil && done(found), err
	}, kinds...)
	return explain.Wait(ctx, s.subject(), waitedFor, err)
}

// untilGone waits until an object does not exist any more.
func (s *side) untilGone(ctx context.Context, kind schema.GroupVersionKind, key client.ObjectKey) error {
	return explain.Deletion(ctx, s.leaf, kind, key, s.leaf.UntilGone(ctx, kind, key))
}

// delete asks for the object's deletion, if it still is the one that was read. It does not wait.
func (s *side) delete(ctx context.Context, object client.Object) error {
	uid := object.GetUID()
	err := s.leaf.Live.Delete(ctx, object, client.Preconditions{UID: &uid}, client.PropagationPolicy("Background"))
	return s.leaf.Explain(client.IgnoreNotFound(err))
}
