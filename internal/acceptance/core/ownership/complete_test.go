package ownership

import (
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccAGatewayWhoseCreateFailedBelongsToTheStateThatHasIt(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	t.Cleanup(func() { lab.Command(t, "set", "milan", "load-balancer=true") })
	lab.Command(t, "set", "milan", "load-balancer=false")
	first := lab.StateIn(t, "first", acctest.ServerOf(`timeouts = { create = "10s", update = "5m" }`))
	second := lab.StateIn(t, "second", acctest.ServerOf(`service_type = "NodePort"`))
	acctest.DestroyAtLast(first, second)
	acctest.Says(t, first.Refused("apply", "-auto-approve"), "The load balancer gives no address",
		"set `service_type = \"NodePort\"` in the `liqo_gateway_server`", "The resource is tainted")
	gateway := lab.GatewayServer(t)
	acctest.Says(t, second.Refused("apply", "-auto-approve"), "exists already on leaf",
		"in folder first, workspace default")
	if left := second.Resources(); left != "" {
		t.Errorf("the refused create is in the state: %s", left)
	}
	lab.Command(t, "set", "milan", "load-balancer=true")
	first.Run("untaint", "liqo_gateway_server.turin")
	first.Again()
	if now := lab.GatewayServer(t); now != gateway {
		t.Error("the gateway was replaced")
	}
	first.Run("taint", "liqo_gateway_server.turin")
	acctest.Says(t, first.Again(), "1 added, 0 changed, 1 destroyed")
}
