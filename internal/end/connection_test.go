package end

import (
	"strings"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

func TestAWaitEndsWhenSomeoneElseDeletesTheGateway(t *testing.T) {
	gateway := clustertest.GatewayServer("rome", 51840)
	gateway.Status = networkingv1beta1.GatewayServerStatus{}
	for name, wait := range map[string]func(*End) error{
		"tunnel": func(milan *End) error { return milan.WaitForConnection(t.Context()) },
		"peer":   func(milan *End) error { return milan.WaitForPeer(t.Context()) },
		"address": func(milan *End) error {
			_, err := milan.WaitForEndpoint(t.Context(), EnsuredGateway{})
			return err
		},
		"keys": func(milan *End) error {
			_, err := milan.WaitForKey(t.Context(), EnsuredGateway{})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			milan := milansEnd(t, gateway.DeepCopy())
			ended, read := make(chan error), make(chan struct{}, 10)
			clustertest.OnCached(milan.Leaf, "list", func(call clustertest.Call[*networkingv1beta1.GatewayServerList]) error {
				err := call.Send()
				read <- struct{}{}
				return err
			})
			go func() { ended <- wait(milan) }()
			<-read
			must(t, milan.Leaf.Clients().Live.Delete(t.Context(), gateway.DeepCopy()))
			err := <-ended
			if err == nil || !strings.Contains(err.Error(), "another user has deleted the gateway") ||
				!strings.Contains(err.Error(), "GatewayServer liqo-tenant-rome/rome") {
				t.Errorf("got %v", err)
			}
		})
	}
}
