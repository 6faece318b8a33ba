package end

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

// Observed is a gateway as it was found, in the words of these settings: what they leave to the server or to Liqo stays
// empty while it is the server's or Liqo's own. Server is where the server's gateway can be reached; nil while it does
// not say, when nobody knows whether it will be something else. LiqoNamespace is where Liqo runs on this leaf.
func (g GatewayClient) Observed(found GatewayClient, server *Endpoint, liqoNamespace string) GatewayClient {
	said := Endpoint{Addresses: []string{found.ConnectAddress}, Port: found.ConnectPort}
	if server != nil {
		said = *server
	}
	expected := g.Dials(said)
	if found.ConnectAddress == expected.Addresses[0] {
		found.ConnectAddress = g.ConnectAddress
	}
	if found.ConnectPort == expected.Port {
		found.ConnectPort = g.ConnectPort
	}
	found.Template = g.Template.observed(found.Template, ClientTemplate(liqoNamespace))
	return found
}

// forgeGatewayClient is the gateway as it shall be; existing, if not nil, gives it its name and namespace.
func (e *End) forgeGatewayClient(
	existing *networkingv1beta1.GatewayClient, namespace string, server Endpoint, spec GatewayClient,
) (*networkingv1beta1.GatewayClient, error) {
	template, err := e.refer(spec.template(e.Leaf.LiqoNamespace))
	if err != nil {
		return nil, err
	}
	dialled := spec.Dials(server)
	gateway := &networkingv1beta1.GatewayClient{
		ObjectMeta: e.gatewayMeta(namespace),
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

// EnsureGatewayClient makes the gateway that dials the other leaf's, which can be reached at server.
func (e *End) EnsureGatewayClient(ctx context.Context, namespace string, server Endpoint, spec GatewayClient) (client.Object, error) {
	found, err := e.Find(ctx)
	if err != nil {
		return nil, err
	}
	gateway, err := e.forgeGatewayClient(found.GatewayClient, namespace, server, spec)
	if err != nil {
		return nil, err
	}
	if err := e.checkKeys(ctx, gateway.Namespace, spec.KeySecret); err != nil {
		return nil, err
	}
	return gateway, e.Leaf.Apply(ctx, gateway)
}

// GatewayClientDiffers reports whether there is a gateway and it is to be replaced: it is not as spec wants it, dials
// elsewhere, is on its way out, or is without the keys that Liqo made for it once and does not make again.
func (e *End) GatewayClientDiffers(ctx context.Context, namespace string, server Endpoint, spec GatewayClient) (bool, error) {
	found, err := e.Find(ctx)
	if err != nil || found.GatewayClient == nil {
		return false, err
	}
	wanted, err := e.forgeGatewayClient(found.GatewayClient, namespace, server, spec)
	if err != nil {
		return false, err
	}
	gateway := found.GatewayClient
	if Leaving(gateway) || gateway.Namespace != namespace || !equality.Semantic.DeepEqual(gateway.Spec, wanted.Spec) {
		return true, nil
	}
	return e.keysLost(ctx, gateway.Status.SecretRef, gateway.Spec.SecretRef)
}

// ObservedClient is where and how the gateway dials; nil where there is no gateway. Its address and port are the first
// ones that it dials, be they its own or the server's.
func (o Objects) ObservedClient() *GatewayClient {
	if o.GatewayClient == nil {
		return nil
	}
	spec := o.GatewayClient.Spec
	observed := &GatewayClient{
		MTU:         spec.MTU,
		ConnectPort: spec.Endpoint.Port,
		KeySecret:   spec.SecretRef.Name,
		Template:    templateOf(spec.ClientTemplateRef),
	}
	if len(spec.Endpoint.Addresses) > 0 {
		observed.ConnectAddress = spec.Endpoint.Addresses[0]
	}
	return observed
}
