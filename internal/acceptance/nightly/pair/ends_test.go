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
