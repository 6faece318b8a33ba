package liqotest

import (
	"cmp"
	"context"

	ipamv1alpha1 "github.com/liqotech/liqo/apis/ipam/v1alpha1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	gatewayforge "github.com/liqotech/liqo/pkg/gateway/forge"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

const (
	// Address is the address of a server's gateway unless its Service requests another one.
	Address = "192.0.2.1"
	// NodePort is the node port of a Service unless it requests another one.
	NodePort int32 = 30999
)

// remap decides that the other cluster's ranges are free, and allocates them.
func remap(ctx context.Context, c client.Client, configuration *networkingv1beta1.Configuration) error {
	if err := release(ctx, c, configuration); err != nil {
		return err
	}
	configuration.Status.Remote = configuration.Spec.Remote.DeepCopy()
	for _, network := range clustertest.Allocations(configuration) {
		if err := c.Create(ctx, network); err != nil {
			return err
		}
	}
	meta.SetStatusCondition(&configuration.Status.Conditions, metav1.Condition{
		Type:               networkingv1beta1.ConfigurationConditionNetworkCIDRsConfigured,
		Status:             metav1.ConditionTrue,
		Reason:             "Configured",
		ObservedGeneration: configuration.Generation,
	})
	return nil
}

// release gives back what was allocated for a Configuration.
func release(ctx context.Context, c client.Client, configuration *networkingv1beta1.Configuration) error {
	remote := client.MatchingLabels{consts.RemoteClusterID: configuration.Labels[consts.RemoteClusterID]}
	return c.DeleteAllOf(ctx, &ipamv1alpha1.Network{}, client.InNamespace(configuration.Namespace), remote)
}

// serve gives a gateway keys, and its Service an address.
func serve(ctx context.Context, c client.Client, gateway *networkingv1beta1.GatewayServer) (err error) {
	asked := gateway.Spec.Endpoint
	port := asked.Port
	if asked.ServiceType == corev1.ServiceTypeNodePort {
		port = ptr.Deref(asked.NodePort, NodePort)
	}
	gateway.Status.Endpoint = &networkingv1beta1.EndpointStatus{
		Addresses: []string{ptr.Deref(asked.LoadBalancerIP, Address)}, Port: port, Protocol: ptr.To(corev1.ProtocolUDP),
	}
	gateway.Status.SecretRef, err = ensureKeys(ctx, c, gateway, gateway.Spec.SecretRef)
	return err
}

// dial gives a gateway keys.
func dial(ctx context.Context, c client.Client, gateway *networkingv1beta1.GatewayClient) (err error) {
	gateway.Status.SecretRef, err = ensureKeys(ctx, c, gateway, gateway.Spec.SecretRef)
	return err
}

// ensureKeys returns a reference to the user's Secret. If there is none, it creates a Secret.
func ensureKeys(
	ctx context.Context, c client.Client, gateway client.Object, brought corev1.LocalObjectReference,
) (*corev1.ObjectReference, error) {
	name := cmp.Or(brought.Name, gatewayforge.GatewayResourceName(gateway.GetName()))
	if brought.Name == "" {
		secret, err := newKeySecret(gateway.GetNamespace(), name)
		if err != nil {
			return nil, err
		}
		if err := controllerutil.SetOwnerReference(gateway, secret, c.Scheme()); err != nil {
			return nil, err
		}
		if err := client.IgnoreAlreadyExists(c.Create(ctx, secret)); err != nil {
			return nil, err
		}
	}
	return &corev1.ObjectReference{Namespace: gateway.GetNamespace(), Name: name}, nil
}

// connect lets a gateway report the tunnel as up when it gets the other one's key.
func connect(ctx context.Context, c client.Client, key client.ObjectKey) error {
	var trusted networkingv1beta1.PublicKey
	if err := c.Get(ctx, key, &trusted); err != nil {
		return err
	}
	for _, gateway := range trusted.OwnerReferences {
		connection := &networkingv1beta1.Connection{ObjectMeta: metav1.ObjectMeta{
			Namespace: trusted.Namespace, Name: gatewayforge.GatewayResourceName(gateway.Name), Labels: trusted.Labels,
			OwnerReferences: []metav1.OwnerReference{gateway},
		}}
		if err := client.IgnoreAlreadyExists(c.Create(ctx, connection)); err != nil {
			return err
		}
		up := func(_ context.Context, _ client.Client, connection *networkingv1beta1.Connection) error {
			connection.Status.Value = networkingv1beta1.Connected
			return nil
		}
		if err := report(ctx, c, client.ObjectKeyFromObject(connection), up); err != nil {
			return err
		}
	}
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
