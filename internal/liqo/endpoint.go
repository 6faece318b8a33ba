package liqo

import (
	"context"
	"slices"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/forge"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// Endpoint is where a gateway can be reached.
type Endpoint struct {
	Addresses []string `tfsdk:"addresses"` // IP addresses or DNS names
	Port      int32    `tfsdk:"port"`
	Protocol  string   `tfsdk:"protocol"` // UDP or TCP
}

// Endpoint returns the endpoint that the gateway server reports, or nil if nobody can dial it yet. Liqo reports an
// empty address while a node has none.
func (o Objects) Endpoint() *Endpoint {
	server := o.GatewayAs(ServerRole)
	if server == nil || server.Endpoint == nil {
		return nil
	}
	endpoint := endpointOf(server.Endpoint)
	if endpoint.Port == 0 || len(endpoint.Addresses) == 0 || endpoint.Addresses[0] == "" {
		return nil
	}
	return endpoint
}

// endpointOf returns an endpoint of Liqo's. If it does not say its protocol, that is Liqo's default.
func endpointOf(status *networkingv1beta1.EndpointStatus) *Endpoint {
	return &Endpoint{
		Addresses: status.Addresses,
		Port:      status.Port,
		Protocol:  string(ptr.Deref(status.Protocol, corev1.Protocol(forge.DefaultProtocol))),
	}
}

// Dialled returns the endpoint that the gateway dials, or nil if there is no gateway, or someone has removed its
// addresses.
func (o Objects) Dialled() *Endpoint {
	client := o.GatewayAs(ClientRole)
	if client == nil || len(client.Endpoint.Addresses) == 0 {
		return nil
	}
	return endpointOf(client.Endpoint)
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

// PortHolder finds another Service of type LoadBalancer that has an address and the UDP port of a gateway. The Service
// of the gateway has the name own. The result is nil if there is none. Shared means that the leaf's load balancer gives
// several Services the same address, as k3s' ServiceLB does with the addresses of the nodes. Then only one of them can
// have a port. PortHolder asks the API server.
func PortHolder(
	ctx context.Context, leaf *cluster.Leaf, own string, port int32,
) (holder *corev1.Service, shared bool, err error) {
	var services corev1.ServiceList
	err = leaf.List(ctx, &services, client.MatchingFieldsSelector{
		Selector: fields.OneTermEqualSelector("spec.type", string(corev1.ServiceTypeLoadBalancer)),
	})
	if err != nil {
		return nil, false, err
	}
	addresses := map[string]bool{}
	for i := range services.Items {
		service := &services.Items[i]
		for _, ingress := range service.Status.LoadBalancer.Ingress {
			address := ingress.IP + ingress.Hostname
			shared = shared || addresses[address]
			addresses[address] = true
		}
		if service.Name != own && len(service.Status.LoadBalancer.Ingress) > 0 && listensAt(service, port) {
			holder = service
		}
	}
	return holder, shared, nil
}

func listensAt(service *corev1.Service, port int32) bool {
	return slices.ContainsFunc(service.Spec.Ports, func(one corev1.ServicePort) bool {
		return one.Port == port && one.Protocol == corev1.ProtocolUDP
	})
}
