package shortcut

import (
	"cmp"
	"context"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	"github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/forge"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ensureGatewayServer makes the gateway that the other leaf will dial.
func (s *side) ensureGatewayServer(ctx context.Context, namespace string, spec Spec) (client.Object, error) {
	found, err := s.find(ctx)
	if err != nil {
		return nil, err
	}
	gateway, err := s.forgeServer(found.server, namespace, spec)
	if err != nil {
		return nil, err
	}
	if err := s.checkKeySecret(ctx, gateway.Namespace, spec.Server.KeySecret); err != nil {
		return nil, err
	}
	return gateway, s.leaf.Apply(ctx, gateway)
}

// forgeServer is the gateway as it shall be; existing, if not nil, gives it its name and namespace.
//
// Liqo's own forge is not used for gateways: it asks for a whole clientset to find one kind, which brings every API of Kubernetes into the binary.
func (s *side) forgeServer(existing *networkingv1beta1.GatewayServer, namespace string, spec Spec) (*networkingv1beta1.GatewayServer, error) {
	template, err := s.refer(spec.Server.Template.or(DefaultServerTemplateName, s.leaf.LiqoNamespace, DefaultServerTemplateResource))
	if err != nil {
		return nil, err
	}
	gateway := &networkingv1beta1.GatewayServer{
		ObjectMeta: s.gatewayMeta(namespace),
		Spec: networkingv1beta1.GatewayServerSpec{
			MTU: spec.MTU,
			Endpoint: networkingv1beta1.Endpoint{
				Port:           spec.Server.Port,
				ServiceType:    spec.Server.ServiceType,
				NodePort:       pointerTo(spec.Server.NodePort),
				LoadBalancerIP: pointerTo(spec.Server.LoadBalancerIP),
			},
			ServerTemplateRef:  template,
			SecretRef:          corev1.LocalObjectReference{Name: spec.Server.KeySecret},
			ServiceAnnotations: spec.Server.ServiceAnnotations,
			ServiceLabels:      spec.Server.ServiceLabels,
		},
	}
	if existing != nil {
		gateway.Name, gateway.Namespace = existing.Name, existing.Namespace
	}
	return gateway, nil
}

// ensureGatewayClient makes the gateway that dials the other leaf's.
func (s *side) ensureGatewayClient(ctx context.Context, namespace string, server Endpoint, spec Spec) (client.Object, error) {
	found, err := s.find(ctx)
	if err != nil {
		return nil, err
	}
	gateway, err := s.forgeClient(found.client, namespace, server, spec)
	if err != nil {
		return nil, err
	}
	if err := s.checkKeySecret(ctx, gateway.Namespace, spec.Client.KeySecret); err != nil {
		return nil, err
	}
	return gateway, s.leaf.Apply(ctx, gateway)
}

// forgeClient is the gateway as it shall be; existing, if not nil, gives it its name and namespace.
func (s *side) forgeClient(existing *networkingv1beta1.GatewayClient, namespace string, server Endpoint, spec Spec) (
	*networkingv1beta1.GatewayClient, error,
) {
	template, err := s.refer(spec.Client.Template.or(DefaultClientTemplateName, s.leaf.LiqoNamespace, DefaultClientTemplateResource))
	if err != nil {
		return nil, err
	}
	if spec.Client.ConnectAddress != "" {
		server.Addresses = []string{spec.Client.ConnectAddress}
	}
	gateway := &networkingv1beta1.GatewayClient{
		ObjectMeta: s.gatewayMeta(namespace),
		Spec: networkingv1beta1.GatewayClientSpec{
			MTU: spec.MTU,
			Endpoint: networkingv1beta1.EndpointStatus{
				Addresses: server.Addresses,
				Port:      cmp.Or(spec.Client.ConnectPort, server.Port),
				Protocol:  new(corev1.Protocol(server.Protocol)),
			},
			ClientTemplateRef: template,
			SecretRef:         corev1.LocalObjectReference{Name: spec.Client.KeySecret},
		},
	}
	if existing != nil {
		gateway.Name, gateway.Namespace = existing.Name, existing.Namespace
	}
	return gateway, nil
}

// gatewayMeta names and labels a gateway as liqoctl does, and marks it as the owner's.
func (s *side) gatewayMeta(namespace string) metav1.ObjectMeta {
	object := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Name: string(s.remote.ID), Namespace: namespace, Labels: map[string]string{consts.RemoteClusterID: string(s.remote.ID)},
	}}
	s.owner.mark(object)
	return object.ObjectMeta
}

// pointerTo is nil for the zero value, which stands for a choice that is left to Kubernetes.
func pointerTo[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}

// waitForEndpoint returns where the gateway of this leaf can be reached: Liqo knows once its Service has an address.
func (s *side) waitForEndpoint(ctx context.Context) (Endpoint, error) {
	var endpoint *Endpoint
	err := s.until(ctx, "the gateway's Service to get an address", func(found objects) bool {
		endpoint = endpointOf(found.server)
		return endpoint != nil
	}, &networkingv1beta1.GatewayServer{})
	if err != nil {
		return Endpoint{}, err
	}
	return *endpoint, nil
}

// endpointOf is where a gateway says it can be reached; nil where it does not say. Liqo reports an empty address while a node has none.
func endpointOf(gateway *networkingv1beta1.GatewayServer) *Endpoint {
	if gateway == nil || gateway.Status.Endpoint == nil || gateway.Status.Endpoint.Port == 0 {
		return nil
	}
	status := gateway.Status.Endpoint
	if len(status.Addresses) == 0 || status.Addresses[0] == "" {
		return nil
	}
	return &Endpoint{
		Addresses: status.Addresses,
		Port:      status.Port,
		Protocol:  string(ptr.Deref(status.Protocol, corev1.Protocol(forge.DefaultProtocol))),
	}
}
