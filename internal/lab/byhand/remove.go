package byhand

import (
	"context"
	"errors"
	"fmt"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
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

// Remove deletes all that the leaves still have of other clusters, and returns when it is gone: first the tenant namespaces and, at the same time, what makes a
// tunnel in them, for Kubernetes waits before it looks into a namespace that is deleted, and much longer if it finds what Liqo has yet to clean up; then the
// ForeignClusters, which Liqo would make again as long as there is anything in such a namespace.
func Remove(ctx context.Context, leaves ...*Leaf) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, leaf := range leaves {
		group.Go(func() error {
			err := leaf.deleteTunnels(ctx)
			if err == nil {
				err = leaf.removeAll(ctx, func() client.ObjectList { return &corev1.NamespaceList{} }, client.HasLabels{consts.TenantNamespaceLabel})
			}
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

// deleteTunnels deletes what makes Liqo open tunnels, and does not wait until that is gone.
func (l *Leaf) deleteTunnels(ctx context.Context) error {
	for _, list := range []client.ObjectList{
		&networkingv1beta1.GatewayServerList{}, &networkingv1beta1.GatewayClientList{}, &networkingv1beta1.PublicKeyList{}, &networkingv1beta1.ConfigurationList{},
	} {
		if _, err := l.deleteAll(ctx, list); err != nil {
			return err
		}
	}
	return nil
}

// deleteAll lists the objects of one kind into found, deletes them, and returns their names.
func (l *Leaf) deleteAll(ctx context.Context, found client.ObjectList, which ...client.ListOption) (map[string]bool, error) {
	if err := l.client.List(ctx, found, which...); err != nil {
		return nil, err
	}
	names := map[string]bool{}
	return names, meta.EachListItem(found, func(object runtime.Object) error {
		o, ok := object.(client.Object)
		if !ok {
			return fmt.Errorf("%T is no object", object)
		}
		names[o.GetName()] = true
		return client.IgnoreNotFound(l.client.Delete(ctx, o))
	})
}

// removeAll deletes the objects of one kind, whose names are all different, and returns when all are gone.
func (l *Leaf) removeAll(ctx context.Context, list func() client.ObjectList, which ...client.ListOption) error {
	found := list()
	left, err := l.deleteAll(ctx, found, which...)
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
