package shortcut

import (
	"context"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
)

// replacesServer reports whether the server's gateway is made anew, be it that it is gone, not as spec wants it, or on
// its way out. The client's goes at once with it.
//
// Their keys and their Connections' status would otherwise speak of a tunnel that is no more; and Liqo reports no
// generation in a gateway's status, so a changed gateway could not be told from one that Liqo has not looked at yet.
func (s *Shortcut) replacesServer(ctx context.Context, namespace string, spec end.GatewayServer) (bool, error) {
	found, err := s.look(ctx)
	switch {
	case err != nil:
		return false, err
	case found.client.GatewayServer != nil || found.server.GatewayClient != nil:
		return true, nil // they run in the opposite direction
	case found.server.GatewayServer == nil:
		return found.client.GatewayClient != nil, nil
	default:
		return s.Server.GatewayServerDiffers(ctx, namespace, spec)
	}
}

// makeRoom removes the gateway at one end if the server's is replaced. Else only a Secret that this one uses no more is
// released.
func makeRoom(on *end.End, spec EndSpec) func(context.Context, bool) error {
	return func(ctx context.Context, replace bool) error {
		if replace {
			return on.RemoveGateways(ctx, spec.FormerKeySecret)
		}
		return on.ReleaseKeySecret(ctx, spec.FormerKeySecret)
	}
}

// hangUp removes the client's gateway if there is one that is not as spec wants it, or dials elsewhere. The server's
// keeps its keys, Service and address.
func (s *Shortcut) hangUp(ctx context.Context, namespace string, server end.Endpoint, spec end.GatewayClient) error {
	if differs, err := s.Client.GatewayClientDiffers(ctx, namespace, server, spec); err != nil || !differs {
		return err
	}
	return s.Client.RemoveGateways(ctx)
}
