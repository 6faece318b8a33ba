package liqotest

import (
	"context"
	"time"

	ipamv1alpha1 "github.com/liqotech/liqo/apis/ipam/v1alpha1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	gatewayforge "github.com/liqotech/liqo/pkg/gateway/forge"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo/reactions"
)

// NodePort is the node port of a Service unless it requests another one.
const NodePort int32 = 30999

// remap decides that the other cluster's ranges are free, and allocates them.
func remap(ctx context.Context, c client.Client, configuration *networkingv1beta1.Configuration) error {
	if err := release(ctx, c, configuration); err != nil {
		return err
	}
	reactions.Remap(configuration)
	for _, network := range reactions.Networks(configuration) {
		if err := c.Create(ctx, network); err != nil {
			return err
		}
	}
	return nil
}

// release gives back what was allocated for a Configuration.
func release(ctx context.Context, c client.Client, configuration *networkingv1beta1.Configuration) error {
	remote := client.MatchingLabels{consts.RemoteClusterID: configuration.Labels[consts.RemoteClusterID]}
	return c.DeleteAllOf(ctx, &ipamv1alpha1.Network{}, client.InNamespace(configuration.Namespace), remote)
}

// serve gives a gateway keys, and its Service an address.
func serve(ctx context.Context, c client.Client, gateway *networkingv1beta1.GatewayServer) error {
	reactions.Serve(gateway, NodePort)
	kind := networkingv1beta1.GroupVersion.WithKind(networkingv1beta1.GatewayServerKind)
	return ensureKeys(ctx, c, gateway, *metav1.NewControllerRef(gateway, kind), gateway.Spec.SecretRef)
}

// dial gives a gateway keys.
func dial(ctx context.Context, c client.Client, gateway *networkingv1beta1.GatewayClient) error {
	reactions.Dial(gateway)
	kind := networkingv1beta1.GroupVersion.WithKind(networkingv1beta1.GatewayClientKind)
	return ensureKeys(ctx, c, gateway, *metav1.NewControllerRef(gateway, kind), gateway.Spec.SecretRef)
}

// ensureKeys creates the Secret of a gateway, unless the user has brought one.
func ensureKeys(
	ctx context.Context, c client.Client, gateway client.Object, owner metav1.OwnerReference,
	brought corev1.LocalObjectReference,
) error {
	if brought.Name != "" {
		return nil
	}
	keys, err := reactions.Keys(reactions.PartOf(gateway, owner))
	if err != nil {
		return err
	}
	return client.IgnoreAlreadyExists(c.Create(ctx, keys))
}

// connect lets a gateway report the tunnel as up when it gets the other one's key.
func connect(ctx context.Context, c client.Client, key client.ObjectKey) error {
	var trusted networkingv1beta1.PublicKey
	if err := c.Get(ctx, key, &trusted); err != nil {
		return err
	}
	for _, connection := range reactions.Connections(&trusted) {
		if err := client.IgnoreAlreadyExists(c.Create(ctx, connection)); err != nil {
			return err
		}
		up := func(_ context.Context, _ client.Client, connection *networkingv1beta1.Connection) error {
			reactions.Report(connection, time.Now())
			return nil
		}
		if err := report(ctx, c, client.ObjectKeyFromObject(connection), up); err != nil {
			return err
		}
	}
	return nil
}

// enforce reports that the gateway has applied its rules.
func enforce(_ context.Context, _ client.Client, rules *networkingv1beta1.FirewallConfiguration) error {
	reactions.Enforce(rules)
	return nil
}

// forget removes what was made for a gateway. A Secret that the user has brought stays.
func forget(ctx context.Context, c client.Client, gateway client.Object, brought corev1.LocalObjectReference) error {
	name := metav1.ObjectMeta{Namespace: gateway.GetNamespace(), Name: gatewayforge.GatewayResourceName(gateway.GetName())}
	made := []client.Object{&networkingv1beta1.Connection{ObjectMeta: name}}
	if brought.Name == "" {
		made = append(made, &corev1.Secret{ObjectMeta: name})
	}
	for _, object := range made {
		if err := client.IgnoreNotFound(c.Delete(ctx, object)); err != nil {
			return err
		}
	}
	return nil
}
