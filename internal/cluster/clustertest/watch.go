package clustertest

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// watchSelected watches as an API server does: only objects with the name that is asked for, and only their
// metadata if that is asked for. The fake client's own watch ignores both.
func watchSelected(
	ctx context.Context, c client.WithWatch, list client.ObjectList, options ...client.ListOption,
) (watch.Interface, error) {
	events, err := c.Watch(ctx, list, options...)
	if err != nil {
		return nil, err
	}
	selector := fields.Everything()
	if asked := (&client.ListOptions{}).ApplyOptions(options).FieldSelector; asked != nil {
		selector = asked
	}
	_, metadataOnly := list.(*metav1.PartialObjectMetadataList)
	selected := make(chan watch.Event)
	watching := watch.NewProxyWatcher(selected)
	go func() {
		defer events.Stop()
		for {
			select {
			case event := <-events.ResultChan():
				object, ok := event.Object.(client.Object)
				if !ok || !selector.Matches(fields.Set{"metadata.name": object.GetName()}) {
					continue
				}
				if metadataOnly {
					partial := meta.AsPartialObjectMetadata(object)
					partial.SetGroupVersionKind(object.GetObjectKind().GroupVersionKind())
					event.Object = partial
				}
				select {
				case selected <- event:
				case <-watching.StopChan():
					return
				}
			case <-watching.StopChan():
				return
			}
		}
	}()
	return watching, nil
}

// watchEvents implements [cluster.Events] with a fake client's watches.
type watchEvents struct{ client client.WithWatch }

// Subscribe implements [cluster.Events].
func (e watchEvents) Subscribe(
	ctx context.Context, changed func(client.Object), kinds ...client.Object,
) (func(), error) {
	ctx, unsubscribe := context.WithCancel(ctx)
	for _, kind := range kinds {
		gvk, err := apiutil.GVKForObject(kind, e.client.Scheme())
		if err != nil {
			unsubscribe()
			return nil, err
		}
		gvk.Kind += "List"
		list, err := e.client.Scheme().New(gvk)
		if err != nil {
			unsubscribe()
			return nil, err
		}
		watch, err := e.client.Watch(ctx, list.(client.ObjectList)) //nolint:errcheck,forcetypeassert // the kind is a list
		if err != nil {
			unsubscribe()
			return nil, err
		}
		go func() {
			defer watch.Stop()
			for {
				select {
				case event := <-watch.ResultChan():
					if object, ok := event.Object.(client.Object); ok {
						changed(object)
					}
				case <-ctx.Done():
					return
				}
			}
		}()
	}
	return unsubscribe, nil
}
