package explain

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

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// isInPlace reports whether this end of the tunnel has all that it needs to reach the other one.
func (o Objects) isInPlace() bool {
	return o.gateway() != nil && (o.Server == nil || o.Endpoint != nil) && o.PublicKey != nil && o.Connection != nil
}

// dialling explains a tunnel that does not come up though all is in place, as the end sees it that dials.
func dialling(ctx context.Context, s Subject, found Objects) ([]cause, error) {
	if !found.isInPlace() || found.Client == nil {
		return nil, nil
	}
	endpoint, answer := found.Client.Spec.Endpoint, ", and gets no answer"
	if found.Tunnel == networkingv1beta1.Connected || !found.SilentSince.IsZero() {
		answer = ""
	}
	report, err := s.report(ctx, found)
	return []cause{{
		ofPair: true, summary: noTunnel(s.Leaf.Name, s.RemoteName),
		evidence: []string{
			fmt.Sprintf("Both gateways are in place. The one of %q dials %s%s.", s.Leaf.Name, where(endpoint), answer),
			report,
		},
		advice: reachable(s.Leaf.Name, s.RemoteName, endpoint),
	}}, err
}

// listening explains the same as the end sees it that is dialled.
func listening(ctx context.Context, s Subject, found Objects) ([]cause, error) {
	if !found.isInPlace() || found.Client != nil {
		return nil, nil
	}
	report, err := s.report(ctx, found)
	return []cause{{
		ofPair: true, summary: noTunnel(s.RemoteName, s.Leaf.Name), evidence: []string{report},
		advice: reachable(s.RemoteName, s.Leaf.Name, *found.Endpoint),
	}}, err
}

// unfinished explains what is missing of a tunnel whose gateway runs.
func unfinished(_ context.Context, s Subject, found Objects) ([]cause, error) {
	gateway := found.gateway()
	if gateway == nil || found.isInPlace() {
		return nil, nil
	}
	name := s.Leaf.Describe(gateway)
	switch {
	case found.Server != nil && found.Endpoint == nil:
		return []cause{{
			summary:  "the gateway has no address",
			evidence: []string{name + " has no address in its status, though its pod runs and its Service is there."},
			advice:   fmt.Sprintf("Check that the nodes of leaf %q have addresses, and the log of Liqo's controllers.", s.Leaf.Name),
		}}, nil
	case found.PublicKey == nil:
		return []cause{{
			summary:  fmt.Sprintf("the key of %q is missing", s.RemoteName),
			evidence: []string{fmt.Sprintf("%s runs, and has not been told the key of %q yet.", name, s.RemoteName)},
			advice:   fmt.Sprintf("See why the gateway of %q has made no key.", s.RemoteName),
		}}, nil
	default:
		return []cause{{
			summary:  "the gateway reports no connection",
			evidence: []string{name + " runs, and its pod has made no Connection."},
			advice: fmt.Sprintf("Its log says more:\n\n  kubectl -n %s logs deployment/%s --all-containers",
				gateway.GetNamespace(), cluster.MadeForGateway(gateway).Name),
		}}, nil
	}
}

// report is a sentence on what this end says of the tunnel and, where Liqo has noted that, since when.
func (s Subject) report(ctx context.Context, found Objects) (string, error) {
	if found.Connection == nil {
		return fmt.Sprintf("On leaf %q, there is no Connection.", s.Leaf.Name), nil
	}
	if found.Tunnel == "" {
		return fmt.Sprintf("On leaf %q, %s has no status yet.", s.Leaf.Name, s.Leaf.Describe(found.Connection)), nil
	}
	if !found.SilentSince.IsZero() {
		return fmt.Sprintf("On leaf %q, the gateway has reported nothing since %s, though %s still says %q.",
			s.Leaf.Name, found.SilentSince.Format(time.RFC3339),
			s.Leaf.Describe(found.Connection), found.Connection.Status.Value), nil
	}
	report := fmt.Sprintf("On leaf %q, %s says %q", s.Leaf.Name, s.Leaf.Describe(found.Connection), found.Tunnel)
	since, err := s.since(ctx, found.Tunnel)
	if !since.IsZero() {
		report += ", since " + since.UTC().Format(time.RFC3339)
	}
	return report + ".", err
}

// since is when Liqo on this leaf has noted that the tunnel is as it is now, zero where it has not. A Connection does not say: a gateway writes no time for a tunnel
// that is down.
func (s Subject) since(ctx context.Context, value networkingv1beta1.ConnectionStatusValue) (time.Time, error) {
	foreign, err := fcutils.GetForeignClusterByID(ctx, s.Leaf.Live, s.RemoteID)
	if err != nil {
		return time.Time{}, s.Leaf.Explain(client.IgnoreNotFound(err))
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

func noTunnel(client, server string) string {
	return fmt.Sprintf("the tunnel from %q to %q does not come up", client, server)
}

func reachable(client, server string, endpoint networkingv1beta1.EndpointStatus) string {
	return fmt.Sprintf("Check that the nodes of %q can reach %s, and that no firewall or security group drops %s on the way, at either end. "+
		"If they reach %q at another address, set `connect_address` and `connect_port` in `client_gateway`.",
		client, where(endpoint), protocol(endpoint), server)
}

// where names an endpoint for people.
func where(endpoint networkingv1beta1.EndpointStatus) string {
	return fmt.Sprintf("%s, %s port %d", strings.Join(endpoint.Addresses, " or "), protocol(endpoint), endpoint.Port)
}

// protocol is UDP or TCP; Liqo's own where the endpoint does not say.
func protocol(endpoint networkingv1beta1.EndpointStatus) corev1.Protocol {
	return ptr.Deref(endpoint.Protocol, corev1.Protocol(forge.DefaultProtocol))
}
