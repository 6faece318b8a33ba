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
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

// Leaf returns a leaf with these objects. Its name is also its ID. The stand-in reacts to each apply and delete before
// the call returns.
func Leaf(tb testing.TB, name string, objects ...client.Object) *cluster.Leaf {
	tb.Helper()
	leaf := clustertest.Leaf(tb, name, objects...)
	clustertest.On(leaf, "apply", apply)
	clustertest.On(leaf, "delete", remove)
	clustertest.On(leaf, "subresource", patchStatus)
	return leaf
}

// apply writes an object and then what Liqo creates or reports for it.
func apply(call clustertest.Call[client.Object]) error {
	if err := call.Send(); err != nil {
		return err
	}
	ctx, c := call.Context, call.Client
	key := client.ObjectKeyFromObject(call.Object)
	switch call.Object.GetObjectKind().GroupVersionKind().Kind {
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

// patchStatus takes from the rules of a gateway the report that they are in force, and reports it again.
func patchStatus(call clustertest.Call[*networkingv1beta1.FirewallConfiguration]) error {
	if err := call.Send(); err != nil {
		return err
	}
	return report(call.Context, call.Client, client.ObjectKeyFromObject(call.Object), enforce)
}

// remove deletes an object, and the objects that Liqo created for it.
func remove(call clustertest.Call[client.Object]) error {
	if err := call.Send(); err != nil {
		return err
	}
	switch object := call.Object.(type) {
	case *networkingv1beta1.Configuration:
		return release(call.Context, call.Client, object)
	case *networkingv1beta1.GatewayServer:
		return forget(call.Context, call.Client, object, object.Spec.SecretRef)
	case *networkingv1beta1.GatewayClient:
		return forget(call.Context, call.Client, object, object.Spec.SecretRef)
	default:
		return nil
	}
}
