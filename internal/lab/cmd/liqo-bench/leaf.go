package main

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
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/kube"
)

// leaf is one cluster of a lab. It removes what liqoctl leaves there.
type leaf struct {
	name   string
	client client.WithWatch
}

// contextConfig returns the credentials of a context of a kubeconfig.
func contextConfig(kubeconfig, context string) (*rest.Config, error) {
	return clientcmd.NewNonInteractiveDeferredLoadingClientConfig(
		&clientcmd.ClientConfigLoadingRules{ExplicitPath: kubeconfig},
		&clientcmd.ConfigOverrides{CurrentContext: context},
	).ClientConfig()
}

// newLeaf returns the cluster of a context of a kubeconfig.
func newLeaf(kubeconfig, context string) (*leaf, error) {
	config, err := contextConfig(kubeconfig, context)
	if err != nil {
		return nil, fmt.Errorf("cluster %s: %w", context, err)
	}
	config.QPS = -1 // no limit, because there are no other users to protect
	config.WarningHandler = rest.NoWarnings{}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		corev1.AddToScheme, liqov1beta1.AddToScheme, networkingv1beta1.AddToScheme,
	} {
		utilruntime.Must(add(scheme))
	}
	connected, err := client.NewWithWatch(config, client.Options{Scheme: scheme})
	if err != nil {
		return nil, fmt.Errorf("cluster %s: %w", context, err)
	}
	return &leaf{context, connected}, nil
}

// clearLeaves deletes everything that the leaves still have of other clusters, and returns when it is gone. It first
// deletes the tenant namespaces and, at the same time, the objects in them that make a tunnel: Kubernetes waits before
// it looks into a deleted namespace, and much longer if it finds something that Liqo still has to clean up. Then it
// deletes the ForeignClusters, which Liqo would create again as long as there is anything in such a namespace.
func clearLeaves(ctx context.Context, leaves ...*leaf) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, one := range leaves {
		group.Go(func() error {
			err := one.deleteTunnels(ctx)
			if err == nil {
				err = one.removeAll(ctx, &corev1.NamespaceList{}, client.HasLabels{consts.TenantNamespaceLabel})
			}
			if err == nil {
				err = one.removeAll(ctx, &liqov1beta1.ForeignClusterList{})
			}
			if err != nil {
				return fmt.Errorf("cluster %s: %w", one.name, err)
			}
			return nil
		})
	}
	return group.Wait()
}

// deleteTunnels deletes the objects that make Liqo open tunnels. It does not wait until they are gone.
func (l *leaf) deleteTunnels(ctx context.Context) error {
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
func (l *leaf) deleteAll(ctx context.Context, found client.ObjectList, which ...client.ListOption) error {
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
func (l *leaf) removeAll(ctx context.Context, found client.ObjectList, which ...client.ListOption) error {
	if err := l.deleteAll(ctx, found, which...); err != nil {
		return err
	}
	return kube.AwaitDeleted(ctx, l.client, found, which...)
}
