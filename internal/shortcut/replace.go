package shortcut

import (
	"context"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
)

// replacesServer reports whether the server's gateway must be replaced: it is gone, differs from spec,
// or is marked for deletion. The client's gateway is replaced with it.
//
// Otherwise the keys and the status of the Connections would belong to a tunnel that no longer exists.
// Liqo also reports no generation in a gateway's status. So the status would not show whether Liqo
// has already seen a change.
func (s *Shortcut) replacesServer(ctx context.Context, namespace string, spec end.GatewayServer) (bool, error) {
	found, err := s.look(ctx)
	switch {
	case err != nil:
		return false, err
	case found.client.GatewayServer != nil || found.server.GatewayClient != nil:
		return true, nil // they have the opposite direction
	case found.server.GatewayServer == nil:
		return found.client.GatewayClient != nil, nil
	default:
		return s.Server.GatewayServerDiffers(ctx, namespace, spec)
	}
}

// makeRoom removes the gateway at one end if the server's gateway is replaced. Otherwise, it only
// releases a Secret that the gateway no longer uses.
func makeRoom(on *end.End, spec EndSpec) func(context.Context, bool) error {
	return func(ctx context.Context, replace bool) error {
		if replace {
			return on.RemoveGateways(ctx, spec.FormerKeySecret)
		}
		return on.ReleaseKeySecret(ctx, spec.FormerKeySecret)
	}
}

// hangUp removes the client's gateway if it differs from spec or dials another endpoint. The server's
// gateway keeps its keys, Service and address.
func (s *Shortcut) hangUp(ctx context.Context, namespace string, server end.Endpoint, spec end.GatewayClient) error {
	if differs, err := s.Client.GatewayClientDiffers(ctx, namespace, server, spec); err != nil || !differs {
		return err
	}
	return s.Client.RemoveGateways(ctx)
}
