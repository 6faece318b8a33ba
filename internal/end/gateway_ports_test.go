package end

import (
	"fmt"
	"strings"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

func TestOnlyALiqoWithListsOfPortsHasSeveralTunnels(t *testing.T) {
	for resource, attribute := range map[owner.Resource]string{
		"": "Remove `tunnels`, or", owner.GatewayServerResource: "Remove `tunnels`, or",
		owner.GatewayClientResource: "Remove `ports` from `server_endpoint`, or",
	} {
		milan := milansEnd(t)
		milan.Owner.Resource = resource
		if err := milan.CheckTunnels(t.Context(), 1); err != nil {
			t.Errorf("%q: one tunnel: %v", resource, err)
		}
		if err := milan.CheckTunnels(t.Context(), 2); !strings.Contains(fmt.Sprint(err), attribute) {
			t.Errorf("%q: it says %v", resource, err)
		}
	}
	next := milansEnd(t)
	clustertest.NextLiqo(next.Leaf)
	if err := next.CheckTunnels(t.Context(), 2); err != nil {
		t.Errorf("the next Liqo: %v", err)
	}
}
