package end

import (
	"context"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// The gateway itself creates its Connection. So there is nothing to forge, and the Connection goes with the gateway.

// WaitForConnection returns when this leaf's gateway reports the tunnel as up and the report is recent.
func (e *End) WaitForConnection(ctx context.Context) error {
	return e.waitForGateway(ctx, "the tunnel to come up", e.Observe, func(objects liqo.Objects) bool {
		return objects.Tunnel() == networkingv1beta1.Connected
	}, &networkingv1beta1.Connection{})
}

// WaitForPeer returns when this leaf's gateway has configured the other one as its peer, and has created its
// Connection. The other one may not have answered yet.
func (e *End) WaitForPeer(ctx context.Context) error {
	return e.waitForGateway(ctx, "the gateway to start", e.Find, func(objects liqo.Objects) bool {
		return objects.Tunnel() != ""
	}, &networkingv1beta1.Connection{})
}

// ConnectionLost reports whether someone has deleted the Connection of a gateway that has all it needs. The gateway
// creates another one only when it gets the other gateway's key again. A tunnel that was never up may not have had a
// Connection yet.
func ConnectionLost(o liqo.Objects) bool {
	return o.Connection == nil && o.PublicKey != nil && wasConnected(o)
}
