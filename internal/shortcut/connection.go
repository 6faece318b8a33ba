package shortcut

import (
	"context"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// waitForConnection returns once this leaf's gateway says that the tunnel is up.
func (s *side) waitForConnection(ctx context.Context) error {
	return s.until(ctx, "the tunnel to come up", func(found objects) bool {
		gateway := found.gateway()
		return gateway != nil && found.connected(gateway) == networkingv1beta1.Connected
	}, &networkingv1beta1.Connection{})
}

// gateway is the leaf's end of the tunnel; nil where there is none.
func (o objects) gateway() client.Object {
	switch {
	case o.server != nil:
		return o.server
	case o.client != nil:
		return o.client
	default:
		return nil
	}
}
