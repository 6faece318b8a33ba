package explain

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// dialling explains, from the client's end, a tunnel that does not come up although all objects are in place.
func dialling(ctx context.Context, s Subject, view view) ([]trouble.Problem, error) {
	if !view.IsInPlace() || view.Gateway.Role != liqo.ClientRole {
		return nil, nil
	}
	endpoint, answer := *view.Dialled(), ", and gets no answer"
	if view.Tunnel() == networkingv1beta1.Connected || !view.SilentSince.IsZero() {
		answer = ""
	}
	report, err := s.report(ctx, view)
	doubt, doubtErr := s.doubt(ctx, view.Gateway, endpoint.Addresses[0])
	return []trouble.Problem{{
		ID: "tunnel-not-connected", Summary: noTunnel(s.Leaf.Name, s.RemoteName),
		Evidence: []string{
			fmt.Sprintf("Both gateways are in place. The gateway of %q dials %s%s.", s.Leaf.Name, where(endpoint),
				answer),
			report,
		},
		Advice: trouble.Paragraphs(doubt,
			s.reachable(s.Leaf.Name, s.RemoteName, endpoint, "set `server_address` in the liqo_gateway_client")),
	}}, errors.Join(err, doubtErr)
}

// listening explains the same from the server's end.
func listening(ctx context.Context, s Subject, view view) ([]trouble.Problem, error) {
	if !view.IsInPlace() || view.Gateway.Role != liqo.ServerRole {
		return nil, nil
	}
	report, err := s.report(ctx, view)
	others, othersErr := s.otherAddresses(ctx, view)
	return []trouble.Problem{{
		ID: "tunnel-not-connected", Summary: noTunnel(s.RemoteName, s.Leaf.Name),
		Evidence: append([]string{report}, others...),
		Advice: s.reachable(s.RemoteName, s.Leaf.Name, *view.Endpoint(), fmt.Sprintf(
			"the administrators of %q must set it as `server_address` in their liqo_gateway_client", s.RemoteName)),
	}}, errors.Join(err, othersErr)
}

// unfinished explains what a tunnel still lacks whose gateway runs.
func unfinished(_ context.Context, s Subject, view view) ([]trouble.Problem, error) {
	gateway := view.Handled()
	if gateway == nil || view.IsInPlace() {
		return nil, nil
	}
	name := s.Leaf.Describe(gateway.Object)
	switch {
	case gateway.Role == liqo.ServerRole && view.Endpoint() == nil:
		return []trouble.Problem{{
			ID:       "gateway-without-address",
			Summary:  "the gateway has no address",
			Evidence: []string{name + " has no address in its status, although its pod runs and its Service exists."},
			Advice: fmt.Sprintf("Liqo gives none if the node of the gateway's pod is not ready or has no address, or if "+
				"several active pods of gateways run in namespace %[1]s. Check this:\n\n"+
				"  kubectl -n %[1]s get pods -l networking.liqo.io/component=gateway -o wide\n\n"+
				"The log of Liqo's controllers shows more:\n\n%[2]s", gateway.GetNamespace(), controllersLog(s.Leaf)),
		}}, nil
	case gateway.Role == liqo.ClientRole && view.Dialled() == nil:
		return []trouble.Problem{{
			ID:       "server-address-missing",
			Summary:  "the gateway has no address to dial",
			Evidence: []string{"Another user has removed `spec.endpoint.addresses` of " + name + "."},
			Advice:   "Apply again.",
		}}, nil
	case view.PublicKey == nil:
		return []trouble.Problem{{
			ID:       "gateway-key-missing",
			Summary:  fmt.Sprintf("the key of %q is missing", s.RemoteName),
			Evidence: []string{fmt.Sprintf("%s runs, but does not have the key of %q yet.", name, s.RemoteName)},
			Advice:   fmt.Sprintf("Check why the gateway of %q has not created a key.", s.RemoteName),
		}}, nil
	default:
		return []trouble.Problem{{
			ID:       "gateway-without-connection",
			Summary:  "the gateway reports no connection",
			Evidence: []string{name + " runs, but its pod has not created a Connection."},
			Advice: fmt.Sprintf("Its log shows more:\n\n  kubectl -n %s logs deployment/%s --all-containers",
				gateway.GetNamespace(), liqo.MadeForGateway(gateway).Name),
		}}, nil
	}
}

// report returns a sentence about what this end reports about the tunnel, and since when, if Liqo has recorded the
// time.
func (s Subject) report(ctx context.Context, view view) (string, error) {
	if view.Connection == nil {
		return fmt.Sprintf("On leaf %q, there is no Connection.", s.Leaf.Name), nil
	}
	if view.Tunnel() == "" {
		return fmt.Sprintf("On leaf %q, %s has no status yet.", s.Leaf.Name, s.Leaf.Describe(view.Connection)), nil
	}
	if !view.SilentSince.IsZero() {
		return fmt.Sprintf("On leaf %q, the gateway has reported nothing since %s, though %s still says %q.",
			s.Leaf.Name, view.SilentSince.Format(time.RFC3339),
			s.Leaf.Describe(view.Connection), view.Connection.Status.Value), nil
	}
	report := fmt.Sprintf("On leaf %q, %s says %q", s.Leaf.Name, s.Leaf.Describe(view.Connection), view.Tunnel())
	since, err := s.since(ctx, view.Tunnel())
	if !since.IsZero() {
		report += ", since " + since.UTC().Format(time.RFC3339)
	}
	return report + ".", err
}

// since returns the time at which Liqo recorded the current status of the tunnel on this leaf, or zero if it has not. A
// Connection does not have this time: a gateway writes no time for a tunnel that is down.
func (s Subject) since(ctx context.Context, value networkingv1beta1.ConnectionStatusValue) (time.Time, error) {
	foreign, err := liqo.ForeignCluster(ctx, s.Leaf.List, s.RemoteID)
	if foreign == nil {
		return time.Time{}, err
	}
	noted := map[networkingv1beta1.ConnectionStatusValue]liqov1beta1.ConditionStatusType{
		networkingv1beta1.Connected:       liqov1beta1.ConditionStatusEstablished,
		networkingv1beta1.Connecting:      liqov1beta1.ConditionStatusPending,
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

// reachable returns advice about the path from the client to the server. Alone says what to do about another address of
// the server if the user has resources for this end only.
func (s Subject) reachable(client, server string, endpoint liqo.Endpoint, alone string) string {
	return fmt.Sprintf("Check that the nodes of %q can reach %s, and that no firewall or security group at either end "+
		"drops %s. If they reach %q at another address, %s.",
		client, where(endpoint), endpoint.Protocol, server, s.elsewhere(alone))
}

// elsewhere returns what to do so that the client dials another address of the server. Alone is what to do if the user
// has resources for this end only.
func (s Subject) elsewhere(alone string) string {
	if s.Alone {
		return alone
	}
	return "set `server_address` and `server_port` in `client_gateway`, or another `service_type` in `server_gateway`"
}

// where returns the text for an endpoint.
func where(endpoint liqo.Endpoint) string {
	return fmt.Sprintf("%s, %s port %d", strings.Join(endpoint.Addresses, " or "), endpoint.Protocol, endpoint.Port)
}
