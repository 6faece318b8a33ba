package kube

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Await waits until an object of the same kind as this one fulfils a condition. The options in which select the
// objects. It uses the watch tools of client-go, so a wait survives the end of a single watch.
func Await[T client.Object](
	ctx context.Context, in client.WithWatch, kind T, fulfils func(T) bool, which ...client.ListOption,
) error {
	gvk, err := in.GroupVersionKindFor(kind)
	if err != nil {
		return err
	}
	made, err := in.Scheme().New(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
	if err != nil {
		return err
	}
	list, ok := made.(client.ObjectList)
	if !ok {
		return fmt.Errorf("%T is no list", made)
	}
	objects := cache.ToListWatcherWithWatchListSemantics(listWatch(in, list, which), in)
	_, err = watchtools.UntilWithSync(ctx, objects, kind, nil, func(event watch.Event) (bool, error) {
		object, ok := event.Object.(T)
		return ok && event.Type != watch.Deleted && fulfils(object), nil
	})
	return cause(ctx, err)
}

// AwaitDeleted waits until every object of a list has been deleted. The list was read with these options.
func AwaitDeleted(
	ctx context.Context, in client.WithWatch, listed client.ObjectList, which ...client.ListOption,
) error {
	left := map[types.UID]bool{}
	err := meta.EachListItem(listed, func(item runtime.Object) error {
		object, err := meta.Accessor(item)
		if err == nil {
			left[object.GetUID()] = true
		}
		return err
	})
	if err != nil || len(left) == 0 {
		return err
	}
	allDeleted := func(event watch.Event) (bool, error) {
		if event.Type == watch.Error {
			return false, apierrors.FromObject(event.Object)
		}
		object, err := meta.Accessor(event.Object)
		if err == nil && event.Type == watch.Deleted {
			delete(left, object.GetUID())
		}
		return len(left) == 0, err
	}
	_, err = watchtools.Until(ctx, listed.GetResourceVersion(), listWatch(in, listed, which), allDeleted)
	return cause(ctx, err)
}

// cause returns the cause of the end of ctx if it is the reason for an error.
func cause(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// listWatch lets client-go's tools list and watch objects with controller-runtime's client. List is
// any list of their kind.
func listWatch(in client.WithWatch, list client.ObjectList, which []client.ListOption) *cache.ListWatch {
	options := func(raw metav1.ListOptions) []client.ListOption {
		return append([]client.ListOption{&client.ListOptions{Raw: &raw, Limit: raw.Limit, Continue: raw.Continue}}, which...)
	}
	return &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, raw metav1.ListOptions) (runtime.Object, error) {
			//nolint:errcheck,forcetypeassert // a copy has its original's type
			found := list.DeepCopyObject().(client.ObjectList)
			return found, in.List(ctx, found, options(raw)...)
		},
		WatchFuncWithContext: func(ctx context.Context, raw metav1.ListOptions) (watch.Interface, error) {
			return in.Watch(ctx, list, options(raw)...)
		},
	}
}
