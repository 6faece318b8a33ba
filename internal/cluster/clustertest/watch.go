package clustertest

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// watchSelected watches as an API server does: it begins with the objects that exist, and it has only objects with the
// name that is asked for, and only their metadata if that is asked for. The fake client's own watch does none of this.
func watchSelected(
	ctx context.Context, c client.WithWatch, list client.ObjectList, options ...client.ListOption,
) (watch.Interface, error) {
	asked := (&client.ListOptions{}).ApplyOptions(options)
	_, metadataOnly := list.(*metav1.PartialObjectMetadataList)
	s := selection{names: fields.Everything(), metadataOnly: metadataOnly}
	if asked.FieldSelector != nil {
		s.names = asked.FieldSelector
	}
	events, err := c.Watch(ctx, list, options...)
	if err != nil {
		return nil, err
	}
	existing := list.DeepCopyObject().(client.ObjectList) //nolint:errcheck,forcetypeassert // a copy has the type
	if err := c.List(ctx, existing, client.InNamespace(asked.Namespace)); err != nil {
		events.Stop()
		return nil, err
	}
	selected := make(chan watch.Event)
	watching := watch.NewProxyWatcher(selected)
	go func() {
		defer events.Stop()
		_ = meta.EachListItem(existing, func(item runtime.Object) error {
			s.send(watch.Event{Type: watch.Added, Object: item}, selected, watching.StopChan())
			return nil
		})
		for {
			select {
			case event := <-events.ResultChan():
				s.send(event, selected, watching.StopChan())
			case <-watching.StopChan():
				return
			}
		}
	}()
	return watching, nil
}

// selection is what a watch is for.
type selection struct {
	names        fields.Selector
	metadataOnly bool
}

// send sends an event to a watch if it is for it, and the watch has not ended.
func (s selection) send(event watch.Event, to chan<- watch.Event, ended <-chan struct{}) {
	object, ok := event.Object.(client.Object)
	if !ok || !s.names.Matches(fields.Set{"metadata.name": object.GetName()}) {
		return
	}
	if s.metadataOnly {
		partial := meta.AsPartialObjectMetadata(object)
		partial.SetGroupVersionKind(object.GetObjectKind().GroupVersionKind())
		event.Object = partial
	}
	select {
	case to <- event:
	case <-ended:
	}
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
