package liqo

import (
	"slices"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/forge"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

// Defaults of a [GatewayServer], as in liqoctl.
const (
	DefaultPort        = forge.DefaultGwServerPort
	DefaultServiceType = forge.DefaultGwServerServiceType
)

// GatewayServer is the settings of a leaf's gateway that the other leaf dials.
type GatewayServer struct {
	TunnelSettings

	ServiceType        corev1.ServiceType // LoadBalancer, NodePort or ClusterIP
	Port               int32              // UDP port that the Service listens on
	NodePort           int32              // port on the nodes; 0 lets Kubernetes choose
	LoadBalancerIP     string             // requested address of the load balancer; empty lets it choose
	ServiceAnnotations map[string]string  // added to the Service's, by key
	ServiceLabels      map[string]string  // added to the Service's, by key
	KeySecret          string             // Secret with its keys, in its namespace; empty lets Liqo create one
	Template           Template
	Pods               *PodSettings // nil if the template is taken as it is
}

// Endpoint is where a gateway can be reached.
type Endpoint struct {
	Addresses []string // IP addresses or DNS names
	Port      int32
	Protocol  string // UDP or TCP
}

// Observed returns the found gateway in terms of these settings. A field that these settings leave to Liqo stays empty
// while the gateway has Liqo's value. LiqoNamespace is the namespace of Liqo on this leaf.
func (g GatewayServer) Observed(gateway GatewayServer, liqoNamespace string) GatewayServer {
	gateway.Template = g.Template.observed(gateway.Template, DefaultServerTemplate(liqoNamespace))
	return gateway
}

// Endpoint returns the endpoint that the gateway reports, or nil if it reports none or does not exist. Liqo reports an
// empty address while a node has none.
func (o Objects) Endpoint() *Endpoint {
	if status := o.EndpointStatus(); status != nil {
		return endpointOf(status)
	}
	return nil
}

// endpointOf returns an endpoint of Liqo's. If it does not say its protocol, that is Liqo's default.
func endpointOf(status *networkingv1beta1.EndpointStatus) *Endpoint {
	return &Endpoint{
		Addresses: status.Addresses,
		Port:      status.Port,
		Protocol:  string(ptr.Deref(status.Protocol, corev1.Protocol(forge.DefaultProtocol))),
	}
}

// ObservedServer returns the settings of the gateway, or nil if there is none.
func (o Objects) ObservedServer() *GatewayServer {
	gateway := o.GatewayAs(ServerRole)
	if gateway == nil {
		return nil
	}
	spec := gateway.Server.Spec
	nodePort := ptr.Deref(spec.Endpoint.NodePort, 0)
	if reported := o.Endpoint(); reported != nil && nodePort != 0 {
		nodePort = reported.Port // it still has the one before if the API server refuses this one
	}
	template, pods := observedTemplate(gateway)
	return &GatewayServer{
		TunnelSettings:     o.TunnelSettings(),
		ServiceType:        spec.Endpoint.ServiceType,
		Port:               spec.Endpoint.Port,
		NodePort:           nodePort,
		LoadBalancerIP:     ptr.Deref(spec.Endpoint.LoadBalancerIP, ""),
		ServiceAnnotations: spec.ServiceAnnotations,
		ServiceLabels:      spec.ServiceLabels,
		KeySecret:          spec.SecretRef.Name,
		Template:           template,
		Pods:               pods,
	}
}

// Reaches reports whether an endpoint, as a gateway reports it, is that of the Service. Liqo reports the endpoint some
// time after a change of the Service.
func (e Endpoint) Reaches(service *corev1.Service) bool {
	if len(service.Spec.Ports) == 0 {
		return false
	}
	port := service.Spec.Ports[0]
	inCluster := slices.Equal(e.Addresses, service.Spec.ClusterIPs)
	switch service.Spec.Type {
	case corev1.ServiceTypeClusterIP:
		return inCluster && e.Port == port.Port
	case corev1.ServiceTypeNodePort:
		return !inCluster && e.Port == port.NodePort
	default:
		asked := service.Spec.LoadBalancerIP
		return !inCluster && e.Port == port.Port && (asked == "" || slices.Contains(e.Addresses, asked))
	}
}

// TemplateOn implements [GatewaySettings].
func (g GatewayServer) TemplateOn(liqoNamespace string) Template {
	return g.Template.Or(DefaultServerTemplate(liqoNamespace))
}

// Keys implements [GatewaySettings].
func (g GatewayServer) Keys() (secret, rotation string) { return g.KeySecret, g.KeyRotation }

// PodSettings implements [GatewaySettings].
func (g GatewayServer) PodSettings() *PodSettings { return g.Pods }
