package shortcut

import (
	"fmt"
	"strings"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/forge"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

// tunnelFinding tells how far the tunnel is, as this leaf sees it, when nothing is wrong with the gateway itself.
func (s *side) tunnelFinding(found objects) finding {
	gateway := found.gateway()
	switch {
	case found.server != nil && endpointOf(found.server) == nil:
		return finding{
			rank: rankUnknown, summary: "the gateway has no address",
			evidence: []string{s.leaf.Describe(gateway) + " has no address in its status, though its pod runs and its Service is there."},
			advice:   fmt.Sprintf("Check that the nodes of leaf %q have addresses, and the log of Liqo's controllers.", s.leaf.Name),
		}
	case found.publicKey == nil:
		return finding{
			rank: rankUnknown, summary: fmt.Sprintf("the key of %q is missing", s.remote.Name),
			evidence: []string{fmt.Sprintf("%s runs, and has not been told the key of %q yet.", s.leaf.Describe(gateway), s.remote.Name)},
			advice:   fmt.Sprintf("See why the gateway of %q has made no key.", s.remote.Name),
		}
	case found.connection == nil:
		return finding{
			rank: rankUnknown, summary: "the gateway reports no connection",
			evidence: []string{s.leaf.Describe(gateway) + " runs, and its pod has made no Connection."},
			advice: fmt.Sprintf("Its log says more:\n\n  kubectl -n %s logs deployment/%s --all-containers",
				gateway.GetNamespace(), madeName(gateway).Name),
		}
	}
	return s.handshakeFinding(found)
}

// handshakeFinding is of two gateways that are both in place and do not reach each other.
func (s *side) handshakeFinding(found objects) finding {
	says := "has no status yet"
	if value := found.connected(found.gateway()); value != "" {
		says = fmt.Sprintf("says %q", value)
	}
	status := fmt.Sprintf("On leaf %q, %s %s.", s.leaf.Name, s.leaf.Describe(found.connection), says)
	if found.client == nil {
		endpoint := endpointOf(found.server)
		return finding{
			rank: rankListening, ofPair: true, summary: noTunnel(s.remote.Name, s.leaf.Name), evidence: []string{status},
			advice: reachable(s.remote.Name, s.leaf.Name, *endpoint),
		}
	}
	endpoint := dials(found.client)
	return finding{
		rank: rankDialling, ofPair: true, summary: noTunnel(s.leaf.Name, s.remote.Name),
		evidence: []string{
			fmt.Sprintf("Both gateways are in place. The one of %q dials %s, and gets no answer.", s.leaf.Name, where(endpoint)),
			status,
		},
		advice: reachable(s.leaf.Name, s.remote.Name, endpoint),
	}
}

// dials is where a gateway dials.
func dials(gateway *networkingv1beta1.GatewayClient) Endpoint {
	endpoint := gateway.Spec.Endpoint
	return Endpoint{
		Addresses: endpoint.Addresses, Port: endpoint.Port,
		Protocol: string(ptr.Deref(endpoint.Protocol, corev1.Protocol(forge.DefaultProtocol))),
	}
}

func noTunnel(client, server string) string {
	return fmt.Sprintf("the tunnel from %q to %q does not come up", client, server)
}

// where names an endpoint for people.
func where(endpoint Endpoint) string {
	return fmt.Sprintf("%s, %s port %d", strings.Join(endpoint.Addresses, " or "), endpoint.Protocol, endpoint.Port)
}

func reachable(client, server string, endpoint Endpoint) string {
	return fmt.Sprintf("Check that the nodes of %q can reach %s, and that no firewall or security group drops %s on the way, at either end. "+
		"If they reach %q at another address, set `connect_address` and `connect_port` in `client_gateway`.",
		client, where(endpoint), endpoint.Protocol, server)
}
