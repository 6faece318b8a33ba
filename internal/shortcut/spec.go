package shortcut

import (
	"cmp"

	"github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/forge"
	corev1 "k8s.io/api/core/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// Defaults of a [Spec], as liqoctl has them.
const (
	DefaultMTU         = forge.DefaultMTU
	DefaultPort        = forge.DefaultGwServerPort
	DefaultServiceType = forge.DefaultGwServerServiceType

	DefaultServerTemplateName     = forge.DefaultGwServerTemplateName
	DefaultServerTemplateResource = forge.DefaultGwServerType
	DefaultClientTemplateName     = forge.DefaultGwClientTemplateName
	DefaultClientTemplateResource = forge.DefaultGwClientType
)

// Spec is how a shortcut shall be.
type Spec struct {
	MTU    int // of the tunnel, in bytes, at both ends
	Server ServerGateway
	Client ClientGateway

	ServerEnd, ClientEnd EndSpec

	// ForbidRemapping makes [Shortcut.Connect] fail, before any gateway exists, if a leaf would reach the other's pods at other addresses than their own.
	ForbidRemapping bool
	// KeysByOthers leaves it to somebody else to tell each gateway the other's public key. Nothing is waited for then that needs the keys.
	KeysByOthers bool
	// Adopt takes over a network of the pair that somebody else made.
	Adopt bool
	// WaitForConnection makes [Shortcut.Connect] return only once both ends report the tunnel as up.
	WaitForConnection bool
}

// waits reports whether both ends have reported the tunnel as up when [Shortcut.Connect] returns.
func (s Spec) waits() bool { return s.WaitForConnection && !s.KeysByOthers }

// removal takes apart what could not be made.
func (s Spec) removal() Removal {
	return Removal{
		ClientKeySecret: KeySecret{Namespace: s.ClientEnd.Namespace, Name: s.Client.KeySecret},
		ServerKeySecret: KeySecret{Namespace: s.ServerEnd.Namespace, Name: s.Server.KeySecret},
	}
}

// EndSpec is how one leaf's part of a shortcut shall be. The zero value leaves everything as the leaf has it.
type EndSpec struct {
	Namespace string // where the leaf keeps the objects; its tenant namespace for the other leaf where empty

	// FormerKeySecret is what earlier settings have given to the gateway. If these do not, it loses the labels that Liqo has given it.
	FormerKeySecret KeySecret

	// What the other leaf is told of this one's address ranges, in CIDR notation, instead of what the leaf has.
	PodCIDRs     []string
	ExternalCIDR string
}

// Announced is what the other leaf is told, given what the leaf has.
func (e EndSpec) Announced(own cluster.Networks) cluster.Networks {
	if len(e.PodCIDRs) > 0 {
		own.PodCIDRs = e.PodCIDRs
	}
	own.ExternalCIDR = cmp.Or(e.ExternalCIDR, own.ExternalCIDR)
	return own
}

// ServerGateway is how the server exposes its gateway.
type ServerGateway struct {
	ServiceType        corev1.ServiceType // LoadBalancer, NodePort or ClusterIP
	Port               int32              // UDP port that the Service listens on
	NodePort           int32              // port on the nodes; 0 lets Kubernetes choose
	LoadBalancerIP     string             // address asked of the load balancer; empty lets it choose
	ServiceAnnotations map[string]string  // added to the Service's, by key
	ServiceLabels      map[string]string  // added to the Service's, by key
	KeySecret          string             // name of a Secret with the gateway's keys, in its namespace; empty lets Liqo make one
	Template           Template
}

// ClientGateway is where the client dials, if not where the server's gateway says it is, and how.
type ClientGateway struct {
	ConnectAddress string // IP address or DNS name; empty for the server's own
	ConnectPort    int32  // 0 for the server's own
	KeySecret      string // as in ServerGateway
	Template       Template
}

// Template names the object that Liqo makes a gateway from. Empty fields stand for Liqo's own WireGuard template.
type Template struct {
	Name      string
	Namespace string // the leaf's Liqo namespace where empty
	Resource  string // group/version/resource, as in liqoctl's --gw-server-type
}

// or fills what is empty.
func (t Template) or(name, namespace, resource string) Template {
	return Template{
		Name: cmp.Or(t.Name, name), Namespace: cmp.Or(t.Namespace, namespace), Resource: cmp.Or(t.Resource, resource),
	}
}
