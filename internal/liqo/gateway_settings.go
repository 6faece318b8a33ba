package liqo

import (
	"github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/forge"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

// Defaults of the settings of a server, as in liqoctl.
const (
	DefaultPort        = forge.DefaultGwServerPort
	DefaultServiceType = forge.DefaultGwServerServiceType
)

// GatewaySettings is the settings of a leaf's gateway.
type GatewaySettings struct {
	TunnelSettings

	Role      GatewayRole
	KeySecret string       `tfsdk:"key_secret_name"` // with its keys, in its namespace; empty lets Liqo create one
	Template  Template     `tfsdk:"template"`
	Pods      *PodSettings `tfsdk:"pods"` // nil if the template is taken as it is

	// Those of a server, which the other leaf dials.
	ServiceType        corev1.ServiceType `tfsdk:"service_type"`        // LoadBalancer, NodePort or ClusterIP
	Port               int32              `tfsdk:"port"`                // UDP port that the Service listens on
	NodePort           int32              `tfsdk:"node_port"`           // port on the nodes; 0 lets Kubernetes choose
	LoadBalancerIP     string             `tfsdk:"load_balancer_ip"`    // requested address; empty lets it choose
	ServiceAnnotations map[string]string  `tfsdk:"service_annotations"` // added to the Service's, by key
	ServiceLabels      map[string]string  `tfsdk:"service_labels"`      // added to the Service's, by key

	// Those of a client, which dials the other leaf's gateway.
	ServerAddress string `tfsdk:"server_address"` // IP address or DNS name; empty for the server's own
	ServerPort    int32  `tfsdk:"server_port"`    // 0 for the server's own
}

// Dials returns the endpoint that a client with these settings dials, given the server's endpoint.
func (g GatewaySettings) Dials(server Endpoint) Endpoint {
	if g.ServerAddress != "" {
		server.Addresses = []string{g.ServerAddress}
	}
	if g.ServerPort != 0 {
		server.Port = g.ServerPort
	}
	return server
}

// TemplateOn returns the template of the gateway on a leaf with this Liqo namespace. No field is empty.
func (g GatewaySettings) TemplateOn(liqoNamespace string) Template {
	return g.Template.Or(DefaultTemplate(g.Role, liqoNamespace))
}

// Observed returns the found gateway in terms of these settings. A field that these settings leave to the server or to
// Liqo stays empty while the gateway has the server's or Liqo's value. Server is the endpoint of the server's gateway
// for a client. It is nil while the endpoint is unknown; then the found endpoint counts as the server's. LiqoNamespace
// is the namespace of Liqo on this leaf.
func (g GatewaySettings) Observed(gateway GatewaySettings, server *Endpoint, liqoNamespace string) GatewaySettings {
	said := Endpoint{Addresses: []string{gateway.ServerAddress}, Port: gateway.ServerPort}
	if server != nil {
		said = *server
	}
	expected := g.Dials(said)
	if gateway.ServerAddress == expected.Addresses[0] {
		gateway.ServerAddress = g.ServerAddress
	}
	if gateway.ServerPort == expected.Port {
		gateway.ServerPort = g.ServerPort
	}
	gateway.Template = g.Template.observed(gateway.Template, DefaultTemplate(gateway.Role, liqoNamespace))
	gateway.ServiceAnnotations = orEmpty(gateway.ServiceAnnotations, g.ServiceAnnotations)
	gateway.ServiceLabels = orEmpty(gateway.ServiceLabels, g.ServiceLabels)
	return gateway
}

// orEmpty returns the found map. Where there is none, it is empty if one was set, and nil otherwise.
func orEmpty(found, set map[string]string) map[string]string {
	switch {
	case len(found) > 0:
		return found
	case set == nil:
		return nil
	default:
		return map[string]string{}
	}
}

// ObservedGateway returns the settings of the leaf's gateway, or nil if there is none of this role. The address and
// port of a client are those that it dials, whether they are set or the server's.
func (o Objects) ObservedGateway(role GatewayRole) *GatewaySettings {
	gateway := o.GatewayAs(role)
	if gateway == nil {
		return nil
	}
	observed := &GatewaySettings{TunnelSettings: o.TunnelSettings(), Role: role, KeySecret: gateway.Secret.Name}
	observed.Template, observed.Pods = observedTemplate(gateway)
	if role == ClientRole {
		observed.ServerPort = gateway.Endpoint.Port
		if len(gateway.Endpoint.Addresses) > 0 {
			observed.ServerAddress = gateway.Endpoint.Addresses[0]
		}
		return observed
	}
	spec := gateway.Server.Spec
	observed.ServiceType, observed.Port = spec.Endpoint.ServiceType, spec.Endpoint.Port
	observed.LoadBalancerIP = ptr.Deref(spec.Endpoint.LoadBalancerIP, "")
	observed.ServiceAnnotations, observed.ServiceLabels = spec.ServiceAnnotations, spec.ServiceLabels
	observed.NodePort = ptr.Deref(spec.Endpoint.NodePort, 0)
	if reported := o.Endpoint(); reported != nil && observed.NodePort != 0 {
		observed.NodePort = reported.Port // it still has the one before if the API server refuses this one
	}
	return observed
}
