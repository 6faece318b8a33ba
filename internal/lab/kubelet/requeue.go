package kubelet

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Requeue requests every object of a list's kind in the namespace of the changed object. If there is
// no changed object, or if it has no namespace, it requests those of all namespaces.
func Requeue[T client.Object](reader client.Reader, list client.ObjectList, depends func(T) bool) handler.EventHandler {
	return handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, changed client.Object) []reconcile.Request {
		found := list.DeepCopyObject().(client.ObjectList) //nolint:errcheck,forcetypeassert // a copy has its original's type
		namespace := ""
		if changed != nil {
			namespace = changed.GetNamespace()
		}
		if err := reader.List(ctx, found, client.InNamespace(namespace)); err != nil {
			return nil
		}
		var requests []reconcile.Request
		_ = meta.EachListItem(found, func(item runtime.Object) error { // the function returns no error
			if object, ok := item.(T); ok && depends(object) {
				requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(object)})
			}
			return nil
		})
		return requests
	})
}
