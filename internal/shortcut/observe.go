package shortcut

import (
	"context"
	"fmt"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	enutils "github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/external-network/utils"
	networkingutils "github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/utils"
	fcutils "github.com/liqotech/liqo/pkg/utils/foreigncluster"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/ptr"
)

// Observe tells how the shortcut is, from the leaves' caches alone, so that it costs the API servers nothing however often it is called. Only to be certain
// that nothing at all is left it asks them. With keysByOthers, a missing PublicKey is no reason to call it disconnected.
func (s *Shortcut) Observe(ctx context.Context, keysByOthers bool) (State, error) {
	client, err := s.client.find(ctx)
	if err != nil {
		return State{}, err
	}
	server, err := s.server.find(ctx)
	if err != nil {
		return State{}, err
	}
	state := s.state(client, server, keysByOthers)
	if !state.Exists {
		state.Exists, err = s.remainsLeft(ctx)
	}
	return state, err
}

// state tells how the shortcut is from what there is of it at the client's and at the server's end.
func (s *Shortcut) state(client, server objects, keysByOthers bool) State {
	state := State{
		Exists:         client.ours(s.client.owner) || server.ours(s.server.owner),
		Joined:         len(client.made())+len(server.made()) > 0,
		Duplicates:     append(s.client.duplicates(client), s.server.duplicates(server)...),
		Status:         deriveStatus(client, server, keysByOthers),
		Client:         s.client.end(client, networkOf(server.configuration)),
		Server:         s.server.end(server, networkOf(client.configuration)),
		ServerGateway:  serverGatewayOf(server.server),
		ServerEndpoint: endpointOf(server.server),
		ClientGateway:  clientGatewayOf(client.client),
	}
	if client.client != nil {
		state.Client.MTU = client.client.Spec.MTU
	}
	if server.server != nil {
		state.Server.MTU = server.server.Spec.MTU
	}
	return state
}

// remainsLeft reports whether a leaf still has what a removal deletes last: Liqo's record of the other cluster, the tenant namespace that was made for this
// shortcut, or the lease of an operation that was killed. While one of them is there, an interrupted removal has to go on.
func (s *Shortcut) remainsLeft(ctx context.Context) (bool, error) {
	for _, on := range s.sides() {
		namespace, err := on.tenantNamespace(ctx)
		if err != nil {
			return false, err
		}
		if namespace != nil && !on.owner.mayRemove(namespace) {
			continue // whoever made it has the record, too
		}
		if namespace != nil {
			return true, nil
		}
		foreign, err := fcutils.GetForeignClusterByID(ctx, on.leaf.Live, on.remote.ID)
		if err != nil && !apierrors.IsNotFound(err) {
			return false, on.leaf.Explain(err)
		}
		if err == nil && !peered(foreign) {
			return true, nil
		}
	}
	return s.first().leaseLeft(ctx)
}

// duplicates name the further objects on this leaf that are not the owner's.
func (s *side) duplicates(found objects) []string {
	var names []string
	for _, object := range found.extra {
		if !s.owner.owns(object) {
			names = append(names, fmt.Sprintf("%s on leaf %q", s.leaf.Describe(object), s.leaf.Name))
		}
	}
	return names
}

func (s *side) end(found objects, network Network) End {
	return End{ClusterID: s.leaf.ID, LiqoNamespace: s.leaf.LiqoNamespace, Namespace: found.namespace(), Network: network}
}

// networkOf is what a Configuration says of the cluster that it describes, which is the one at the other end.
func networkOf(configuration *networkingv1beta1.Configuration) Network {
	if configuration == nil {
		return Network{}
	}
	told := configuration.Spec.Remote.CIDR
	network := Network{PodCIDRs: cidrStrings(told.Pod), ExternalCIDR: firstCIDR(told.External)}
	if networkingutils.AreConfigurationNetworkCIDRsConfigured(configuration) && configuration.Status.Remote != nil {
		remapped := configuration.Status.Remote.CIDR
		network.RemappedPodCIDRs, network.RemappedExternalCIDR = cidrStrings(remapped.Pod), firstCIDR(remapped.External)
	}
	return network
}

func cidrStrings(cidrs []networkingv1beta1.CIDR) []string {
	texts := make([]string, len(cidrs))
	for i, cidr := range cidrs {
		texts[i] = cidr.String()
	}
	return texts
}

func firstCIDR(cidrs []networkingv1beta1.CIDR) string {
	if len(cidrs) == 0 {
		return ""
	}
	return cidrs[0].String()
}

// serverGatewayOf is how a gateway is exposed; nil where there is no gateway.
func serverGatewayOf(gateway *networkingv1beta1.GatewayServer) *ServerGateway {
	if gateway == nil {
		return nil
	}
	spec := gateway.Spec
	return &ServerGateway{
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

// clientGatewayOf is where and how a gateway dials; nil where there is no gateway.
func clientGatewayOf(gateway *networkingv1beta1.GatewayClient) *ClientGateway {
	if gateway == nil {
		return nil
	}
	found := &ClientGateway{
		ConnectPort: gateway.Spec.Endpoint.Port,
		KeySecret:   gateway.Spec.SecretRef.Name,
		Template:    templateOf(gateway.Spec.ClientTemplateRef),
	}
	if addresses := gateway.Spec.Endpoint.Addresses; len(addresses) > 0 {
		found.ConnectAddress = addresses[0]
	}
	return found
}

// templateOf turns Liqo's reference, which has a kind, into the resource that liqoctl's flags have.
func templateOf(reference corev1.ObjectReference) Template {
	return Template{
		Name: reference.Name, Namespace: reference.Namespace,
		Resource: reference.APIVersion + "/" + enutils.KindToResource(reference.Kind),
	}
}
