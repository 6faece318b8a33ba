package shortcut

import (
	"cmp"
	"context"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// GatewayClient is where a leaf's gateway dials, if not where the other leaf's gateway says it is, and how.
type GatewayClient struct {
	MTU            int    // of the tunnel, in bytes
	ConnectAddress string // IP address or DNS name; empty for the server's own
	ConnectPort    int32  // 0 for the server's own
	KeySecret      string // as in [GatewayServer]
	Template       Template
}

// Dials is where a gateway with these settings dials, given where the server's can be reached.
func (g GatewayClient) Dials(server Endpoint) Endpoint {
	if g.ConnectAddress != "" {
		server.Addresses = []string{g.ConnectAddress}
	}
	server.Port = cmp.Or(g.ConnectPort, server.Port)
	return server
}

// forgeGatewayClient is the gateway as it shall be; existing, if not nil, gives it its name and namespace.
func (s *side) forgeGatewayClient(
	existing *networkingv1beta1.GatewayClient, namespace string, server Endpoint, spec GatewayClient,
) (*networkingv1beta1.GatewayClient, error) {
	template, err := s.refer(spec.template(s.leaf.LiqoNamespace))
	if err != nil {
		return nil, err
	}
	dialled := spec.Dials(server)
	gateway := &networkingv1beta1.GatewayClient{
		ObjectMeta: s.gatewayMeta(namespace),
		Spec: networkingv1beta1.GatewayClientSpec{
			MTU: spec.MTU,
			Endpoint: networkingv1beta1.EndpointStatus{
				Addresses: dialled.Addresses,
				Port:      dialled.Port,
				Protocol:  new(corev1.Protocol(dialled.Protocol)),
			},
			ClientTemplateRef: template,
			SecretRef:         corev1.LocalObjectReference{Name: spec.KeySecret},
		},
	}
	if existing != nil {
		gateway.Name, gateway.Namespace = existing.Name, existing.Namespace
	}
	return gateway, nil
}

// ensureGatewayClient makes the gateway that dials the other leaf's, which can be reached at server.
func (s *side) ensureGatewayClient(ctx context.Context, namespace string, server Endpoint, spec GatewayClient) (client.Object, error) {
	found, err := s.find(ctx)
	if err != nil {
		return nil, err
	}
	gateway, err := s.forgeGatewayClient(found.client, namespace, server, spec)
	if err != nil {
		return nil, err
	}
	if err := s.checkKeys(ctx, gateway.Namespace, spec.KeySecret); err != nil {
		return nil, err
	}
	return gateway, s.leaf.Apply(ctx, gateway)
}

// gatewayClientDiffers reports whether there is a gateway and it is to be replaced: it is not as spec wants it, dials elsewhere, is on its way out, or is without the keys
// that Liqo made for it once and does not make again.
func (s *side) gatewayClientDiffers(ctx context.Context, namespace string, server Endpoint, spec GatewayClient) (bool, error) {
	found, err := s.find(ctx)
	if err != nil || found.client == nil {
		return false, err
	}
	wanted, err := s.forgeGatewayClient(found.client, namespace, server, spec)
	if err != nil {
		return false, err
	}
	if leaving(found.client) || found.client.Namespace != namespace || !equality.Semantic.DeepEqual(found.client.Spec, wanted.Spec) {
		return true, nil
	}
	return s.keysLost(ctx, found.client.Status.SecretRef, found.client.Spec.SecretRef)
}

// gatewayClientOf is where and how a gateway dials; nil where there is no gateway. Its address and port are the first ones that it dials, be they its own or the server's.
func gatewayClientOf(gateway *networkingv1beta1.GatewayClient) *GatewayClient {
	if gateway == nil {
		return nil
	}
	found := &GatewayClient{
		MTU:         gateway.Spec.MTU,
		ConnectPort: gateway.Spec.Endpoint.Port,
		KeySecret:   gateway.Spec.SecretRef.Name,
		Template:    templateOf(gateway.Spec.ClientTemplateRef),
	}
	if addresses := gateway.Spec.Endpoint.Addresses; len(addresses) > 0 {
		found.ConnectAddress = addresses[0]
	}
	return found
}
