package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"sync/atomic"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// RemoteID returns the ID of the remote cluster that an object belongs to, from Liqo's label. It is empty if the object
// belongs to none.
func RemoteID(object client.Object) string { return object.GetLabels()[consts.RemoteClusterID] }

// Apply writes an object by server-side apply, stores the result in object, and returns once the leaf's cache has seen
// it. Apply takes over fields that other managers have set.
func (l *Leaf) Apply(ctx context.Context, object client.Object) error {
	kind, err := l.KindOf(object)
	if err != nil {
		return err
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return err
	}
	intent := &unstructured.Unstructured{Object: content}
	intent.SetGroupVersionKind(kind)
	unstructured.RemoveNestedField(content, "status")
	unstructured.RemoveNestedField(content, "metadata", "creationTimestamp")
	if err := l.ApplyFields(ctx, intent, FieldManager); err != nil {
		return err
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(intent.Object, object); err != nil {
		return err
	}
	return l.untilSeen(ctx, object)
}

// AllCached returns the objects of several kinds that are in the leaf's cache, in the order of the lists.
func (l *Leaf) AllCached(
	ctx context.Context, lists []client.ObjectList, options ...client.ListOption,
) (objects []client.Object, err error) {
	for _, list := range lists {
		if err := l.ListCached(ctx, list, options...); err != nil {
			return nil, err
		}
		if err := forEachItem(list, func(item client.Object) error {
			objects = append(objects, item)
			return nil
		}); err != nil {
			return nil, err
		}
	}
	return objects, nil
}

// untilSeen waits until the cache is not older than the object, so that the next read returns what was written. That is
// also so when the object has been deleted since. An object without Liqo's label is in no cache.
func (l *Leaf) untilSeen(ctx context.Context, written client.Object) error {
	if RemoteID(written) == "" {
		return nil
	}
	seen := written.DeepCopyObject().(client.Object) //nolint:errcheck,forcetypeassert // a copy has its original's type
	var known atomic.Bool                            // the cache has, or had, the object
	changed := func(object client.Object) {
		if object.GetUID() == written.GetUID() {
			known.Store(true)
		}
	}
	isSeen := func(ctx context.Context) (bool, error) {
		hadIt := known.Load() // before the cache is read, because the object may be added meanwhile
		err := l.clients.Cached.Get(ctx, client.ObjectKeyFromObject(written), seen)
		if IsAbsent(err) {
			return hadIt, nil
		}
		if err != nil {
			return false, err
		}
		order, err := resourceversion.CompareResourceVersion(seen.GetResourceVersion(), written.GetResourceVersion())
		return order >= 0, err
	}
	if ok, err := isSeen(ctx); ok && err == nil {
		return nil // without events, which begin with all objects of the kind
	}
	if err := l.until(ctx, RemoteID(written), changed, isSeen, written); err != nil {
		return fmt.Errorf("the cache of leaf %q has not seen %s: %w", l.Name, l.Describe(written), err)
	}
	return nil
}

// CatchUp waits until the cache has the objects of a list for a remote cluster as the API server has them now, and none
// that is gone. It fills the list. It reads the cache first: what the API server does not have afterwards is gone, and
// not new.
func (l *Leaf) CatchUp(ctx context.Context, list client.ObjectList, remote liqov1beta1.ClusterID) error {
	cached, which := emptied(list), client.MatchingLabels{consts.RemoteClusterID: string(remote)}
	if err := l.ListCached(ctx, cached, which); err != nil {
		return err
	}
	if err := l.List(ctx, list, which); err != nil {
		return err
	}
	exist := map[types.UID]bool{}
	if err := forEachItem(list, func(item client.Object) error {
		exist[item.GetUID()] = true
		return l.untilSeen(ctx, item)
	}); err != nil {
		return err
	}
	return forEachItem(cached, func(item client.Object) error {
		if exist[item.GetUID()] {
			return nil
		}
		return l.untilForgotten(ctx, item)
	})
}

// untilForgotten waits until the cache no longer has an object that is gone.
func (l *Leaf) untilForgotten(ctx context.Context, object client.Object) error {
	current := object.DeepCopyObject().(client.Object) //nolint:errcheck,forcetypeassert // a copy has its original's type
	err := l.Until(ctx, RemoteID(object), func(ctx context.Context) (bool, error) {
		err := l.clients.Cached.Get(ctx, client.ObjectKeyFromObject(object), current)
		return err != nil || current.GetUID() != object.GetUID(), IgnoreAbsent(err)
	}, object)
	if err != nil {
		return fmt.Errorf("the cache of leaf %q still has %s: %w", l.Name, l.Describe(object), err)
	}
	return nil
}

// forEachItem does something for each object of a list, until it fails.
func forEachItem(list client.ObjectList, do func(client.Object) error) error {
	return meta.EachListItem(list, func(item runtime.Object) error {
		return do(item.(client.Object)) //nolint:errcheck,forcetypeassert // the lists of a client have objects
	})
}

// Scheme has the kinds that this program knows.
func (l *Leaf) Scheme() *runtime.Scheme { return l.clients.Live.Scheme() }

// KindOf returns the kind of an object.
func (l *Leaf) KindOf(object client.Object) (schema.GroupVersionKind, error) {
	return apiutil.GVKForObject(object, l.Scheme())
}

// KindOfResource returns the kind of a resource, which the API server may be asked for.
func (l *Leaf) KindOfResource(resource schema.GroupVersionResource) (schema.GroupVersionKind, error) {
	kind, err := l.clients.Live.RESTMapper().KindFor(resource)
	return kind, l.Explain(err)
}

// Describe returns an object's kind, namespace and name, for messages.
func (l *Leaf) Describe(object client.Object) string {
	kind := "object"
	if known, err := l.KindOf(object); err == nil {
		kind = known.Kind
	}
	if object.GetNamespace() == "" {
		return fmt.Sprintf("%s %s", kind, object.GetName())
	}
	return fmt.Sprintf("%s %s/%s", kind, object.GetNamespace(), object.GetName())
}

// Edit writes only what change changes in an object, whoever has set it. It returns once the leaf's cache, which starts
// to hold objects of this kind, has seen the change.
func (l *Leaf) Edit(ctx context.Context, object client.Object, change func(client.Object)) error {
	return l.edit(ctx, object, change, func(edited client.Object, patch client.Patch) error {
		return l.Patch(ctx, edited, patch)
	})
}

// EditStatus is like Edit, and writes the status, which is a resource of its own.
func (l *Leaf) EditStatus(ctx context.Context, object client.Object, change func(client.Object)) error {
	return l.edit(ctx, object, change, func(edited client.Object, patch client.Patch) error {
		return l.Persist(ctx, func() error { return l.PatchPart(ctx, "status", edited, patch) })
	})
}

func (l *Leaf) edit(
	ctx context.Context, object client.Object, change func(client.Object), write func(client.Object, client.Patch) error,
) error {
	edited, ok := object.DeepCopyObject().(client.Object)
	if !ok {
		return fmt.Errorf("%T is not an object", object)
	}
	change(edited)
	if err := write(edited, client.MergeFrom(object)); err != nil {
		return err
	}
	return l.untilSeen(ctx, edited)
}

// SetLabel sets a label of an object. It does not change a map that the object shares with another one.
func SetLabel(object client.Object, key, value string) {
	object.SetLabels(labels.Merge(object.GetLabels(), labels.Set{key: value}))
}

// SetAnnotation does so with an annotation.
func SetAnnotation(object client.Object, key, value string) {
	object.SetAnnotations(labels.Merge(object.GetAnnotations(), labels.Set{key: value}))
}

// RemoveAnnotation removes an annotation of an object, as [SetAnnotation].
func RemoveAnnotation(object client.Object, key string) {
	annotations := maps.Clone(object.GetAnnotations())
	delete(annotations, key)
	object.SetAnnotations(annotations)
}

// Includes reports whether live has all that desired has: whether a patch with desired would change nothing. The API
// server adds defaults, so live may say more. T is the type of an object or of a part of one.
func Includes[T any](live, desired T) bool {
	before, err := json.Marshal(live)
	if err != nil {
		return false
	}
	patch, err := json.Marshal(desired)
	if err != nil {
		return false
	}
	merged, err := strategicpatch.StrategicMergePatch(before, patch, live)
	if err != nil {
		return false
	}
	var after T
	return json.Unmarshal(merged, &after) == nil && equality.Semantic.DeepEqual(live, after)
}
