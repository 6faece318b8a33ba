package byhand

import (
	"context"
	"fmt"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/kube"
)

// Remove deletes everything that the leaves still have of other clusters, and returns when it is
// gone. It first deletes the tenant namespaces and, at the same time, the objects in them that make
// a tunnel: Kubernetes waits before it looks into a deleted namespace, and much longer if it finds
// something that Liqo still has to clean up. Then it deletes the ForeignClusters, which Liqo would
// create again as long as there is anything in such a namespace.
func Remove(ctx context.Context, leaves ...*Leaf) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, leaf := range leaves {
		group.Go(func() error {
			err := leaf.deleteTunnels(ctx)
			if err == nil {
				err = leaf.removeAll(ctx, &corev1.NamespaceList{}, client.HasLabels{consts.TenantNamespaceLabel})
			}
			if err == nil {
				err = leaf.removeAll(ctx, &liqov1beta1.ForeignClusterList{})
			}
			if err != nil {
				return fmt.Errorf("cluster %s: %w", leaf.ID, err)
			}
			return nil
		})
	}
	return group.Wait()
}

// deleteTunnels deletes the objects that make Liqo open tunnels. It does not wait until they are
// gone.
func (l *Leaf) deleteTunnels(ctx context.Context) error {
	for _, list := range []client.ObjectList{
		&networkingv1beta1.GatewayServerList{},
		&networkingv1beta1.GatewayClientList{},
		&networkingv1beta1.PublicKeyList{},
		&networkingv1beta1.ConfigurationList{},
	} {
		if err := l.deleteAll(ctx, list); err != nil {
			return err
		}
	}
	return nil
}

// deleteAll lists the objects of one kind into found and deletes them.
func (l *Leaf) deleteAll(ctx context.Context, found client.ObjectList, which ...client.ListOption) error {
	if err := l.client.List(ctx, found, which...); err != nil {
		return err
	}
	return meta.EachListItem(found, func(object runtime.Object) error {
		o, ok := object.(client.Object)
		if !ok {
			return fmt.Errorf("%T is no object", object)
		}
		return client.IgnoreNotFound(l.client.Delete(ctx, o))
	})
}

// removeAll does the same and returns when all objects are gone.
func (l *Leaf) removeAll(ctx context.Context, found client.ObjectList, which ...client.ListOption) error {
	if err := l.deleteAll(ctx, found, which...); err != nil {
		return err
	}
	return kube.AwaitDeleted(ctx, l.client, found, which...)
}
