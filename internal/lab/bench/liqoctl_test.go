package bench

import (
	"context"
	"fmt"
	"testing"
	"time"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/kube"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/programs"
)

// connect joins pairs with liqoctl, so many at once, and returns the duration.
func connect(b *testing.B, kubeconfig string, atOnce int, pairs ...pair) time.Duration {
	b.Helper()
	return network(b, kubeconfig, atOnce, pairs, "connect", "--gw-server-service-type", "NodePort", "--wait")
}

// reset disconnects pairs with liqoctl, one after the other, and returns the duration.
func reset(b *testing.B, kubeconfig string, pairs ...pair) time.Duration {
	b.Helper()
	return network(b, kubeconfig, 1, pairs, "reset", "--skip-confirm")
}

// network runs `liqoctl network` on pairs, from the client's side, as in liqoctl's documentation.
func network(b *testing.B, kubeconfig string, atOnce int, pairs []pair, command ...string) time.Duration {
	b.Helper()
	var running errgroup.Group
	running.SetLimit(atOnce)
	start := time.Now()
	for _, p := range pairs {
		cmd := programs.Command(ctx, liqoctl, append(append([]string{"network"}, command...),
			"--kubeconfig", kubeconfig, "--context", p.Client,
			"--remote-kubeconfig", kubeconfig, "--remote-context", p.Server)...)
		cmd.Stderr = nil
		running.Go(func() error {
			if output, err := cmd.CombinedOutput(); err != nil {
				return fmt.Errorf("%s: %w\n%s", cmd, err, output)
			}
			return nil
		})
	}
	if err := running.Wait(); err != nil {
		b.Fatal(err)
	}
	return time.Since(start)
}

// clear deletes everything that the leaves have of other clusters, which a reset keeps. It returns when it is gone.
func (on *leaves) clear(b *testing.B) time.Duration {
	b.Helper()
	start := time.Now()
	group, ctx := errgroup.WithContext(ctx)
	for _, leaf := range on.clients {
		group.Go(func() error { return clearLeaf(ctx, leaf) })
	}
	if err := group.Wait(); err != nil {
		b.Fatal(err)
	}
	return time.Since(start)
}

// clearLeaf first deletes the tenant namespaces and, at the same time, the objects in them that make a tunnel:
// Kubernetes waits before it looks into a deleted namespace, and much longer if it finds something that Liqo still has
// to clean up. Then it deletes the ForeignClusters, which Liqo would create again as long as there is anything in such
// a namespace.
func clearLeaf(ctx context.Context, leaf client.WithWatch) error {
	for _, tunnel := range []client.ObjectList{
		&networkingv1beta1.GatewayServerList{}, &networkingv1beta1.GatewayClientList{},
		&networkingv1beta1.PublicKeyList{}, &networkingv1beta1.ConfigurationList{},
	} {
		if err := deleteAll(ctx, leaf, tunnel); err != nil {
			return err
		}
	}
	tenants := client.HasLabels{consts.TenantNamespaceLabel}
	var namespaces corev1.NamespaceList
	if err := deleteAll(ctx, leaf, &namespaces, tenants); err != nil {
		return err
	}
	if err := kube.AwaitDeleted(ctx, leaf, &namespaces, tenants); err != nil {
		return err
	}
	var clusters liqov1beta1.ForeignClusterList
	if err := deleteAll(ctx, leaf, &clusters); err != nil {
		return err
	}
	return kube.AwaitDeleted(ctx, leaf, &clusters)
}

// deleteAll lists the objects of one kind into found and deletes them.
func deleteAll(ctx context.Context, leaf client.Client, found client.ObjectList, which ...client.ListOption) error {
	if err := leaf.List(ctx, found, which...); err != nil {
		return err
	}
	return meta.EachListItem(found, func(object runtime.Object) error {
		o, ok := object.(client.Object)
		if !ok {
			return fmt.Errorf("%T is no object", object)
		}
		return client.IgnoreNotFound(leaf.Delete(ctx, o))
	})
}
