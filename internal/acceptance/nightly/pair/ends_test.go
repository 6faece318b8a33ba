package pair

import (
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccAResourceOfOneEndMovesBackToTheTenantNamespace(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	lab.Have(t, "milan", acctest.NamespaceNamed("shortcuts"))
	key := func(more string) string {
		return acctest.BothLeaves + `
			resource "liqo_public_key" "turin" {
			  cluster           = "milan"
			  remote_cluster_id = "turin"
			  public_key        = "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
			  ` + more + `
			}`
	}
	p := lab.StateIn(t, "moved", key(`namespace = "shortcuts"`))
	acctest.DestroyAtLast(p)
	p.Apply()
	p.Configure(key(""))
	acctest.Says(t, p.Again(), `namespace = "shortcuts" -> (known after apply) # forces replacement`,
		"1 added, 0 changed, 1 destroyed")
	acctest.Says(t, p.Run("state", "show", "liqo_public_key.turin"), `namespace = "liqo-tenant-turin"`)
}

func TestAccAGatewayWhoseCreateFailsSaysHowToContinueAndContinues(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	lab.Command(t, "set", "milan", "load-balancer=false")
	t.Cleanup(func() { lab.Command(t, "set", "milan", "load-balancer=true") })
	p := lab.StateIn(t, "slow", acctest.BothLeaves+`
		resource "liqo_gateway_server" "rome" {
		  cluster           = "milan"
		  remote_cluster_id = "rome"
		  timeouts          = { create = "`+acctest.Ample+`", update = "5m" }
		}`)
	acctest.DestroyAtLast(p)
	acctest.Says(t, p.Refused("apply", "-auto-approve"), "The load balancer gives no address",
		"set `service_type = \"NodePort\"` in the `liqo_gateway_server`", "The resource is tainted")
	gateway := lab.GatewayServer(t)
	lab.Command(t, "set", "milan", "load-balancer=true")
	p.Run("untaint", "liqo_gateway_server.rome")
	p.Run("apply", "-auto-approve")
	p.Unchanged()
	if now := lab.GatewayServer(t); now != gateway {
		t.Error("the gateway was replaced")
	}
}
