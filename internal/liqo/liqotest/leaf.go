// Package liqotest provides fake leaves with a stand-in for Liqo. With them, a test can connect and disconnect two
// leaves without a cluster. They use controller-runtime's fake client.
//
// The stand-in immediately reports what Liqo's controllers and gateways report when everything works: nothing is
// remapped, a gateway has an address and keys, and its tunnel comes up when the gateway gets the other one's key. The
// stand-in reads no template, creates no Service and no pod, and never fails. It therefore shows what this provider
// writes and reads, but not how Liqo behaves. Other tests, on clusters with Liqo's own controllers, cover that.
package liqotest

import (
	"context"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

// Leaf returns a leaf with these objects. Its name is also its ID. The stand-in reacts to each apply and delete before
// the call returns.
func Leaf(tb testing.TB, name string, objects ...client.Object) *cluster.Leaf {
	tb.Helper()
	leaf := clustertest.Leaf(tb, name, objects...)
	leaf.Live = interceptor.NewClient(leaf.Live, interceptor.Funcs{
		Apply: apply, Delete: remove, SubResourcePatch: patchStatus,
	})
	return leaf
}

// apply writes an object and then what Liqo creates or reports for it.
func apply(
	ctx context.Context, c client.WithWatch, intent runtime.ApplyConfiguration, options ...client.ApplyOption,
) error {
	if err := c.Apply(ctx, intent, options...); err != nil {
		return err
	}
	written, ok := intent.(client.Object)
	if !ok {
		return nil
	}
	key := client.ObjectKeyFromObject(written)
	switch written.GetObjectKind().GroupVersionKind().Kind {
	case networkingv1beta1.ConfigurationKind:
		return report(ctx, c, key, remap)
	case networkingv1beta1.GatewayServerKind:
		return report(ctx, c, key, serve)
	case networkingv1beta1.GatewayClientKind:
		return report(ctx, c, key, dial)
	case networkingv1beta1.PublicKeyKind:
		return connect(ctx, c, key)
	case cluster.FirewallConfigurationKind:
		return report(ctx, c, key, enforce)
	default:
		return nil
	}
}

// report fills in the status of an object.
func report[T any, P interface {
	*T
	client.Object
}](
	ctx context.Context, c client.Client, key client.ObjectKey, fill func(context.Context, client.Client, P) error,
) error {
	object := P(new(T))
	if err := c.Get(ctx, key, object); err != nil {
		return err
	}
	if err := fill(ctx, c, object); err != nil {
		return err
	}
	return c.Status().Update(ctx, object)
}

// patchStatus changes a status, and reports again that the rules of a gateway are in force if it has lost that report.
func patchStatus(
	ctx context.Context, c client.Client, subresource string, object client.Object, patch client.Patch,
	options ...client.SubResourcePatchOption,
) error {
	if err := c.SubResource(subresource).Patch(ctx, object, patch, options...); err != nil {
		return err
	}
	if _, ok := object.(*networkingv1beta1.FirewallConfiguration); !ok {
		return nil
	}
	return report(ctx, c, client.ObjectKeyFromObject(object), enforce)
}

// remove deletes an object, and the objects that Liqo created for it.
func remove(ctx context.Context, c client.WithWatch, object client.Object, options ...client.DeleteOption) error {
	if err := c.Delete(ctx, object, options...); err != nil {
		return err
	}
	switch object := object.(type) {
	case *networkingv1beta1.Configuration:
		return release(ctx, c, object)
	case *networkingv1beta1.GatewayServer:
		return forget(ctx, c, object, object.Spec.SecretRef)
	case *networkingv1beta1.GatewayClient:
		return forget(ctx, c, object, object.Spec.SecretRef)
	default:
		return nil
	}
}
