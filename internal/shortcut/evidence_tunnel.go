package shortcut

import (
	"context"
	"fmt"
	"strings"
	"time"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/forge"
	fcutils "github.com/liqotech/liqo/pkg/utils/foreigncluster"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// tunnelFinding tells how far the tunnel is, as this leaf sees it, when nothing is wrong with the gateway itself.
func (s *side) tunnelFinding(ctx context.Context, found objects) (finding, error) {
	gateway := found.gateway()
	switch {
	case found.server != nil && endpointOf(found.server) == nil:
		return finding{
			rank: rankUnknown, summary: "the gateway has no address",
			evidence: []string{s.leaf.Describe(gateway) + " has no address in its status, though its pod runs and its Service is there."},
			advice:   fmt.Sprintf("Check that the nodes of leaf %q have addresses, and the log of Liqo's controllers.", s.leaf.Name),
		}, nil
	case found.publicKey == nil:
		return finding{
			rank: rankUnknown, summary: fmt.Sprintf("the key of %q is missing", s.remote.Name),
			evidence: []string{fmt.Sprintf("%s runs, and has not been told the key of %q yet.", s.leaf.Describe(gateway), s.remote.Name)},
			advice:   fmt.Sprintf("See why the gateway of %q has made no key.", s.remote.Name),
		}, nil
	case found.connection == nil:
		return finding{
			rank: rankUnknown, summary: "the gateway reports no connection",
			evidence: []string{s.leaf.Describe(gateway) + " runs, and its pod has made no Connection."},
			advice: fmt.Sprintf("Its log says more:\n\n  kubectl -n %s logs deployment/%s --all-containers",
				gateway.GetNamespace(), madeName(gateway).Name),
		}, nil
	}
	report, err := s.report(ctx, found)
	return s.handshakeFinding(found, report), err
}

// handshakeFinding is of two gateways that are both in place and do not reach each other. Report is what this leaf says of it.
func (s *side) handshakeFinding(found objects, report string) finding {
	if found.client == nil {
		endpoint := endpointOf(found.server)
		return finding{
			rank: rankListening, ofPair: true, summary: noTunnel(s.remote.Name, s.leaf.Name), evidence: []string{report},
			advice: reachable(s.remote.Name, s.leaf.Name, *endpoint),
		}
	}
	endpoint, answer := dials(found.client), ", and gets no answer"
	if found.connected(found.client) == networkingv1beta1.Connected {
		answer = ""
	}
	return finding{
		rank: rankDialling, ofPair: true, summary: noTunnel(s.leaf.Name, s.remote.Name),
		evidence: []string{
			fmt.Sprintf("Both gateways are in place. The one of %q dials %s%s.", s.leaf.Name, where(endpoint), answer),
			report,
		},
		advice: reachable(s.leaf.Name, s.remote.Name, endpoint),
	}
}

// report is a sentence on what this end says of the tunnel and, where Liqo has noted that, since when.
func (s *side) report(ctx context.Context, found objects) (string, error) {
	if found.connection == nil {
		return fmt.Sprintf("On leaf %q, there is no Connection.", s.leaf.Name), nil
	}
	value := found.connected(found.gateway())
	if value == "" {
		return fmt.Sprintf("On leaf %q, %s has no status yet.", s.leaf.Name, s.leaf.Describe(found.connection)), nil
	}
	report := fmt.Sprintf("On leaf %q, %s says %q", s.leaf.Name, s.leaf.Describe(found.connection), value)
	since, err := s.since(ctx, value)
	if !since.IsZero() {
		report += ", since " + since.UTC().Format(time.RFC3339)
	}
	return report + ".", err
}

// since is when Liqo on this leaf has noted that the tunnel is as it is now, zero where it has not. A Connection does not say: a gateway writes no time for a tunnel
// that is down.
func (s *side) since(ctx context.Context, value networkingv1beta1.ConnectionStatusValue) (time.Time, error) {
	foreign, err := fcutils.GetForeignClusterByID(ctx, s.leaf.Live, s.remote.ID)
	if err != nil {
		return time.Time{}, s.leaf.Explain(client.IgnoreNotFound(err))
	}
	noted := map[networkingv1beta1.ConnectionStatusValue]liqov1beta1.ConditionStatusType{
		networkingv1beta1.Connected: liqov1beta1.ConditionStatusEstablished, networkingv1beta1.Connecting: liqov1beta1.ConditionStatusPending,
		networkingv1beta1.ConnectionError: liqov1beta1.ConditionStatusError,
	}[value]
	for _, condition := range foreign.Status.Modules.Networking.Conditions {
		if condition.Type == liqov1beta1.NetworkConnectionStatusCondition && condition.Status == noted {
			return condition.LastTransitionTime.Time, nil
		}
	}
	return time.Time{}, nil
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
