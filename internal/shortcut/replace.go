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
			return s.replacesClient(spec.Client)(ctx, n.client.Namespace())
		},
		func(ctx context.Context) (bool, error) {
			return s.replacesServer(spec.Server)(ctx, n.server.Namespace())
		})
}

// replacesServer returns a step that reports whether the gateway of the server must be removed first: if it can't be
// changed in place, if it is gone and may have left something behind, or if it dials.
func (s *Shortcut) replacesServer(spec liqo.GatewayServer) func(ctx context.Context, namespace string) (bool, error) {
	return func(ctx context.Context, namespace string) (bool, error) {
		n, err := s.find(ctx)
		switch {
		case err != nil:
			return false, err
		case n.server.GatewayAs(liqo.ClientRole) != nil:
			return true, nil
		case n.server.Gateway == nil:
			return n.client.GatewayAs(liqo.ClientRole) != nil, nil
		default:
			return s.Server.ReplacesGatewayServer(ctx, namespace, spec)
		}
	}
}

// replacesClient does so for the client: if its gateway can't be changed in place, or if it does not dial.
func (s *Shortcut) replacesClient(spec liqo.GatewayClient) func(ctx context.Context, namespace string) (bool, error) {
	return func(ctx context.Context, namespace string) (bool, error) {
		objects, err := s.Client.Find(ctx)
		switch {
		case err != nil:
			return false, err
		case objects.GatewayAs(liqo.ServerRole) != nil:
			return true, nil
		default:
			return s.Client.ReplacesGatewayClient(ctx, namespace, spec)
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
