package cluster

import (
	"context"
	"fmt"

	"github.com/liqotech/liqo/pkg/consts"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// FieldManager is the name under which the provider writes.
const FieldManager = "terraform-provider-liqo"

// RemoteID is the ID of the remote cluster that an object belongs to, by Liqo's label; empty for objects of no remote cluster.
func RemoteID(object client.Object) string { return object.GetLabels()[consts.RemoteClusterID] }

// Apply writes an object by server-side apply and returns once the leaf's cache has seen the result, which it leaves in object. Fields that
// others have set are taken over.
func (l *Leaf) Apply(ctx context.Context, object client.Object) error {
	gvk, err := apiutil.GVKForObject(object, l.Live.Scheme())
	if err != nil {
		return err
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return err
	}
	intent := &unstructured.Unstructured{Object: content}
	intent.SetGroupVersionKind(gvk)
	unstructured.RemoveNestedField(content, "status")
	unstructured.RemoveNestedField(content, "metadata", "creationTimestamp")
	if err := l.Live.Apply(ctx, client.ApplyConfigurationFromUnstructured(intent),
		client.FieldOwner(FieldManager), client.ForceOwnership); err != nil {
		return l.Explain(err)
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(intent.Object, object); err != nil {
		return err
	}
	return l.untilSeen(ctx, object)
}

// untilSeen waits until the cache is no older than the object, so that what is written is what is read next.
func (l *Leaf) untilSeen(ctx context.Context, written client.Object) error {
	seen := written.DeepCopyObject().(client.Object) //nolint:errcheck,forcetypeassert // a copy has its original's type
	err := l.Until(ctx, RemoteID(written), func(ctx context.Context) (bool, error) {
		if err := l.Cached.Get(ctx, client.ObjectKeyFromObject(written), seen); err != nil {
			return false, client.IgnoreNotFound(err)
		}
		order, err := resourceversion.CompareResourceVersion(seen.GetResourceVersion(), written.GetResourceVersion())
		return order >= 0, err
	}, written)
	if err != nil {
		return fmt.Errorf("the cache of leaf %s has not seen %s: %w", l.Name, l.Describe(written), err)
	}
	return nil
}

// Describe names an object for people: its kind, namespace and name.
func (l *Leaf) Describe(object client.Object) string {
	kind := "object"
	if gvk, err := apiutil.GVKForObject(object, l.Live.Scheme()); err == nil {
		kind = gvk.Kind
	}
	if object.GetNamespace() == "" {
		return fmt.Sprintf("%s %s", kind, object.GetName())
	}
	return fmt.Sprintf("%s %s/%s", kind, object.GetNamespace(), object.GetName())
}

// Mark changes labels and annotations of an object, and nothing else of it. It returns once the leaf's cache has seen that, if the cache holds objects of this
// kind.
func (l *Leaf) Mark(ctx context.Context, object client.Object, change func(client.Object)) error {
	marked, ok := object.DeepCopyObject().(client.Object)
	if !ok {
		return fmt.Errorf("%T is no object", object)
	}
	change(marked)
	if err := l.Live.Patch(ctx, marked, client.MergeFrom(object), client.FieldOwner(FieldManager)); err != nil {
		return l.Explain(err)
	}
	return l.untilSeen(ctx, marked)
}
