package shortcut

import (
	"context"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// ChangesGateways reports whether [Shortcut.Connect] makes, changes or replaces a gateway. Then the other one may have
// to follow: a server that is made again may get another address. It asks the leaves only if the settings change
// nothing.
func (s *Shortcut) ChangesGateways(ctx context.Context, spec Spec) (bool, error) {
	spec = spec.shareSettings()
	for _, each := range []struct {
		end      *end.End
		settings liqo.GatewaySettings
	}{{s.Client, spec.Client}, {s.Server, spec.Server}} {
		if changes, err := each.end.ChangesGateway(ctx, each.settings); err != nil || changes {
			return changes, err
		}
	}
	n, err := s.find(ctx)
	if err != nil {
		return false, err
	}
	return anyOf(ctx,
		func(ctx context.Context) (bool, error) {
			return s.replaces(spec.Client)(ctx, n.client.Namespace())
		},
		func(ctx context.Context) (bool, error) {
			return s.replaces(spec.Server)(ctx, n.server.Namespace())
		})
}

// replaces returns a step that reports whether the gateway of an end must be removed first: if it can't be changed in
// place, if it has the other role, or if that of a server is gone and may have left something behind.
func (s *Shortcut) replaces(settings liqo.GatewaySettings) func(ctx context.Context, namespace string) (bool, error) {
	return func(ctx context.Context, namespace string) (bool, error) {
		n, err := s.find(ctx)
		e, gateway := s.Server, n.server.Gateway
		if settings.Role == liqo.ClientRole {
			e, gateway = s.Client, n.client.Gateway
		}
		switch {
		case err != nil:
			return false, err
		case gateway != nil && gateway.Role != settings.Role:
			return true, nil
		case gateway == nil && settings.Role == liqo.ServerRole:
			return n.client.GatewayAs(liqo.ClientRole) != nil, nil
		default:
			return e.ReplacesGateway(ctx, namespace, settings)
		}
	}
}

// repeatHandshake lets the client's gateway shake hands again if the server's has restarted, or has forgotten its
// session because its PublicKey was written. Only the client can begin, and it would notice only after 15 seconds
// without an answer. A new client's gateway begins anyway, unless the server's was not ready yet. Two new ones need
// nothing: their first packet comes later. The result reports whether it was necessary.
func (s *Shortcut) repeatHandshake(
	ctx context.Context, client, server end.EnsuredGateway, forgotten bool,
) (bool, error) {
	if client.New && (server.New || !server.Restarts) || !forgotten && !server.Reconnects() {
		return false, nil
	}
	for _, e := range s.Ends() {
		if err := e.WaitForPeer(ctx); err != nil {
			return false, err
		}
	}
	return true, s.Client.RepeatHandshake(ctx)
}
