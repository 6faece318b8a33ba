package end

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

// Defaults of a [GatewayServer], as in liqoctl.
const (
	DefaultPort        = forge.DefaultGwServerPort
	DefaultServiceType = forge.DefaultGwServerServiceType
)

// GatewayServer is the settings of a leaf's gateway that the other leaf dials.
type GatewayServer struct {
	MTU                int                // of the tunnel, in bytes
	ServiceType        corev1.ServiceType // LoadBalancer, NodePort or ClusterIP
	Port               int32              // UDP port that the Service listens on
	NodePort           int32              // port on the nodes; 0 lets Kubernetes choose
	LoadBalancerIP     string             // requested address of the load balancer; empty lets it choose
	ServiceAnnotations map[string]string  // added to the Service's, by key
	ServiceLabels      map[string]string  // added to the Service's, by key
	KeySecret          string             // Secret with its keys, in its namespace; empty lets Liqo create one
	Template           Template
}

// Endpoint is where a gateway can be reached.
type Endpoint struct {
	Addresses []string // IP addresses or DNS names
	Port      int32
	Protocol  string // UDP or TCP
}

// Observed returns the found gateway in terms of these settings. A field that these settings leave to
// Liqo stays empty while the gateway has Liqo's value. LiqoNamespace is the namespace of Liqo on this
// leaf.
func (g GatewayServer) Observed(found GatewayServer, liqoNamespace string) GatewayServer {
	found.Template = g.Template.observed(found.Template, ServerTemplate(liqoNamespace))
	return found
}

// forgeGatewayServer returns the wanted gateway. It takes its name and namespace from existing, if
// that is not nil.
//
// It does not use Liqo's own forge for gateways. That needs a whole clientset to find one kind, which
// would add every API of Kubernetes to the binary.
func (e *End) forgeGatewayServer(
	existing *networkingv1beta1.GatewayServer, namespace string, spec GatewayServer,
) (*networkingv1beta1.GatewayServer, error) {
	template, err := e.refer(spec.template(e.Leaf.LiqoNamespace))
	if err != nil {
		return nil, err
	}
	gateway := &networkingv1beta1.GatewayServer{
		ObjectMeta: e.gatewayMeta(namespace),
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

// pointerTo returns nil for the zero value, which leaves the choice to Kubernetes.
func pointerTo[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}

// EnsureGatewayServer creates or changes the gateway that the other leaf dials.
func (e *End) EnsureGatewayServer(ctx context.Context, namespace string, spec GatewayServer) (client.Object, error) {
	found, err := e.Find(ctx)
	if err != nil {
		return nil, err
	}
	gateway, err := e.forgeGatewayServer(found.GatewayServer, namespace, spec)
	if err != nil {
		return nil, err
	}
	if err := e.checkKeys(ctx, gateway.Namespace, spec.KeySecret); err != nil {
		return nil, err
	}
	return gateway, e.Leaf.Apply(ctx, gateway)
}

// GatewayServerDiffers reports whether the gateway, which must exist, must be replaced. This is so if
// it differs from spec or is marked for deletion. It is also so if something is gone that Liqo
// created for it and does not create again.
//
// A missing or changed address is no reason: nodes come and go, and load balancers take their time.
func (e *End) GatewayServerDiffers(ctx context.Context, namespace string, spec GatewayServer) (bool, error) {
	found, err := e.Find(ctx)
	if err != nil {
		return false, err
	}
	gateway := found.GatewayServer
	wanted, err := e.forgeGatewayServer(gateway, namespace, spec)
	if err != nil {
		return false, err
	}
	if Leaving(gateway) || gateway.Namespace != namespace || !equality.Semantic.DeepEqual(gateway.Spec, wanted.Spec) {
		return true, nil
	}
	if lost, err := e.keysLost(ctx, gateway.Status.SecretRef, gateway.Spec.SecretRef); err != nil || lost {
		return lost, err
	}
	return e.ServiceLost(ctx, found)
}

// WaitForEndpoint waits for the endpoint of this leaf's gateway. Liqo reports it once the gateway's
// Service has an address.
func (e *End) WaitForEndpoint(ctx context.Context) (Endpoint, error) {
	var endpoint *Endpoint
	err := e.until(ctx, "the gateway's Service to get an address", func(found Objects) bool {
		endpoint = found.Endpoint()
		return endpoint != nil
	}, &networkingv1beta1.GatewayServer{})
	if err != nil {
		return Endpoint{}, err
	}
	return *endpoint, nil
}

// Endpoint returns the endpoint that the gateway reports, or nil if it reports none or does not
// exist. Liqo reports an empty address while a node has none.
func (o Objects) Endpoint() *Endpoint {
	status := o.EndpointStatus()
	if status == nil {
		return nil
	}
	return &Endpoint{
		Addresses: status.Addresses,
		Port:      status.Port,
		Protocol:  string(ptr.Deref(status.Protocol, corev1.Protocol(forge.DefaultProtocol))),
	}
}

// ObservedServer returns the settings of the gateway, or nil if there is none.
func (o Objects) ObservedServer() *GatewayServer {
	if o.GatewayServer == nil {
		return nil
	}
	spec := o.GatewayServer.Spec
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

// ServiceLost reports whether a gateway has no Service and will not get one. Liqo creates a gateway's
// Deployment and then its Service. If there is a Deployment but no Service, because someone deleted
// the Service or the API server refused it, Liqo's controller of WireGuard gateways stops before it
// creates one, and keeps the old address in the status. ServiceLost sends no request while the tunnel
// is up.
func (e *End) ServiceLost(ctx context.Context, found Objects) (bool, error) {
	technology := found.GatewayServer.Status.ServerRef
	if technology == nil || technology.Kind != networkingv1beta1.WgGatewayServerKind {
		return false, nil
	}
	if found.ConnectionStatus(found.GatewayServer) == networkingv1beta1.Connected {
		return false, nil
	}
	name := cluster.MadeForGateway(found.GatewayServer)
	if lost, err := e.Leaf.Gone(ctx, corev1.SchemeGroupVersion.WithKind("Service"), name); err != nil || !lost {
		return false, err
	}
	lost, err := e.Leaf.Gone(ctx, appsv1.SchemeGroupVersion.WithKind("Deployment"), name)
	return !lost, err
}
