package byhand

import (
	"context"
	"errors"
	"fmt"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Remove deletes all that the leaves still have of other clusters, and returns when it is gone: first the tenant namespaces with everything in
// them, then the ForeignClusters, which Liqo would make again as long as there is anything in such a namespace.
func Remove(ctx context.Context, leaves ...*Leaf) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, leaf := range leaves {
		group.Go(func() error {
			err := leaf.removeAll(ctx, func() client.ObjectList { return &corev1.NamespaceList{} }, client.HasLabels{consts.TenantNamespaceLabel})
			if err == nil {
				err = leaf.removeAll(ctx, func() client.ObjectList { return &liqov1beta1.ForeignClusterList{} })
			}
			if err != nil {
				return fmt.Errorf("cluster %s: %w", leaf.ID, err)
			}
			return nil
		})
	}
	return group.Wait()
}

// removeAll deletes the objects of one kind and returns when all are gone.
func (l *Leaf) removeAll(ctx context.Context, list func() client.ObjectList, which ...client.ListOption) error {
	found := list()
	if err := l.client.List(ctx, found, which...); err != nil {
		return err
	}
	left := map[string]bool{}
	err := meta.EachListItem(found, func(object runtime.Object) error {
		o, ok := object.(client.Object)
		if !ok {
			return fmt.Errorf("%T is no object", object)
		}
		left[o.GetName()] = true
		return client.IgnoreNotFound(l.client.Delete(ctx, o))
	})
	if err != nil || len(left) == 0 {
		return err
	}
	since := &client.ListOptions{Raw: &metav1.ListOptions{ResourceVersion: found.GetResourceVersion()}}
	changes, err := l.client.Watch(ctx, list(), append(which, since)...)
	if err != nil {
		return err
	}
	defer changes.Stop()
	for event := range changes.ResultChan() {
		switch event.Type {
		case watch.Error:
			return apierrors.FromObject(event.Object)
		case watch.Deleted:
			if o, ok := event.Object.(client.Object); ok {
				delete(left, o.GetName())
			}
		}
		if len(left) == 0 {
			return nil
		}
	}
	return errors.Join(context.Cause(ctx), errors.New("the watch for what is to be removed has ended"))
}
