package shortcut

import (
	"context"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/forge"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// Defaults of a [GatewayServer], as liqoctl has them.
const (
	DefaultPort        = forge.DefaultGwServerPort
	DefaultServiceType = forge.DefaultGwServerServiceType
)

// GatewayServer is how a leaf exposes its gateway.
type GatewayServer struct {
	MTU                int                // of the tunnel, in bytes
	ServiceType        corev1.ServiceType // LoadBalancer, NodePort or ClusterIP
	Port               int32              // UDP port that the Service listens on
	NodePort           int32              // port on the nodes; 0 lets Kubernetes choose
	LoadBalancerIP     string             // address asked of the load balancer; empty lets it choose
	ServiceAnnotations map[string]string  // added to the Service's, by key
	ServiceLabels      map[string]string  // added to the Service's, by key
	KeySecret          string             // name of a Secret with the gateway's keys, in its namespace; empty lets Liqo make one
	Template           Template
}

// Endpoint is where a gateway can be reached.
type Endpoint struct {
	Addresses []string // IP addresses or DNS names
	Port      int32
	Protocol  string // UDP or TCP
}

// forgeGatewayServer is the gateway as it shall be; existing, if not nil, gives it its name and namespace.
//
// Liqo's own forge is not used for gateways: it asks for a whole clientset to find one kind, which brings every API of Kubernetes into the binary.
func (s *side) forgeGatewayServer(existing *networkingv1beta1.GatewayServer, namespace string, spec GatewayServer) (*networkingv1beta1.GatewayServer, error) {
	template, err := s.refer(spec.template(s.leaf.LiqoNamespace))
	if err != nil {
		return nil, err
	}
	gateway := &networkingv1beta1.GatewayServer{
		ObjectMeta: s.gatewayMeta(namespace),
		Spec: networkingv1beta1.GatewayServerSpec{
			MTU: spec.MTU,
			Endpoint: networkingv1beta1.Endpoint{
				Port:           spec.Port,
				ServiceType:    spec.ServiceType,
				NodePort:       pointerTo(spec.NodePort),
				LoadBalancerIP: pointerTo(spec.LoadBalancerIP),
			},
			ServerTemplateRef:  template,
			SecretRef:          corev1.LocalObjectReference{Name: spec.KeySecret},
			ServiceAnnotations: spec.ServiceAnnotations,
			ServiceLabels:      spec.ServiceLabels,
		},
	}
	if existing != nil {
		gateway.Name, gateway.Namespace = existing.Name, existing.Namespace
	}
	return gateway, nil
}

// pointerTo is nil for the zero value, which stands for a choice that is left to Kubernetes.
func pointerTo[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}

// ensureGatewayServer makes the gateway that the other leaf will dial.
func (s *side) ensureGatewayServer(ctx context.Context, namespace string, spec GatewayServer) (client.Object, error) {
	found, err := s.find(ctx)
	if err != nil {
		return nil, err
	}
	gateway, err := s.forgeGatewayServer(found.server, namespace, spec)
	if err != nil {
		return nil, err
	}
	if err := s.checkKeys(ctx, gateway.Namespace, spec.KeySecret); err != nil {
		return nil, err
	}
	return gateway, s.leaf.Apply(ctx, gateway)
}

// gatewayServerDiffers reports whether the gateway is to be replaced: it is not as spec wants it, on its way out, or without something that Liqo made for it once and
// does not make again. There is one.
//
// An address that is missing, or is another than before, is no reason: nodes come and go, and load balancers take their time.
func (s *side) gatewayServerDiffers(ctx context.Context, namespace string, spec GatewayServer) (bool, error) {
	found, err := s.find(ctx)
	if err != nil {
		return false, err
	}
	wanted, err := s.forgeGatewayServer(found.server, namespace, spec)
	if err != nil {
		return false, err
	}
	if leaving(found.server) || found.server.Namespace != namespace || !equality.Semantic.DeepEqual(found.server.Spec, wanted.Spec) {
		return true, nil
	}
	if lost, err := s.keysLost(ctx, found.server.Status.SecretRef, found.server.Spec.SecretRef); err != nil || lost {
		return lost, err
	}
	return s.serviceLost(ctx, found)
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

// gatewayServerOf is how a gateway is exposed; nil where there is no gateway.
func gatewayServerOf(gateway *networkingv1beta1.GatewayServer) *GatewayServer {
	if gateway == nil {
		return nil
	}
	spec := gateway.Spec
	return &GatewayServer{
		MTU:                spec.MTU,
		ServiceType:        spec.Endpoint.ServiceType,
		Port:               spec.Endpoint.Port,
		NodePort:           ptr.Deref(spec.Endpoint.NodePort, 0),
		LoadBalancerIP:     ptr.Deref(spec.Endpoint.LoadBalancerIP, ""),
		ServiceAnnotations: spec.ServiceAnnotations,
		ServiceLabels:      spec.ServiceLabels,
		KeySecret:          spec.SecretRef.Name,
		Template:           templateOf(spec.ServerTemplateRef),
	}
}

// serviceLost reports whether a gateway has no Service, and will get none. Liqo makes a gateway's Deployment and then its Service; where it finds the one without the
// other, because somebody deleted the Service or the API server refused it, its controller of WireGuard gateways stops before it comes to making one, and keeps the
// old address in the status. As long as the tunnel is up, nobody needs to ask.
func (s *side) serviceLost(ctx context.Context, found objects) (bool, error) {
	technology := found.server.Status.ServerRef
	if technology == nil || technology.Kind != networkingv1beta1.WgGatewayServerKind || found.connected(found.server) == networkingv1beta1.Connected {
		return false, nil
	}
	name := cluster.MadeForGateway(found.server)
	if lost, err := s.leaf.Gone(ctx, corev1.SchemeGroupVersion.WithKind("Service"), name); err != nil || !lost {
		return false, err
	}
	lost, err := s.leaf.Gone(ctx, appsv1.SchemeGroupVersion.WithKind("Deployment"), name)
	return !lost, err
}
