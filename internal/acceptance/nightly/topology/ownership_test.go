package topology

import (
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccLookingAtAShortcutChangesNothing(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	p := lab.StateIn(t, "looking",
		acctest.Joining("s", "rome", "milan", "")+acctest.Joining("other", "rome", "naples", ""))
	acctest.DestroyAtLast(p)
	acctest.Says(t, p.Run("apply", "-auto-approve", "-target=liqo_shortcut.s"), "1 added, 0 changed, 0 destroyed")
	networks := lab.Networks(t)
	p.Run("apply", "-auto-approve", "-refresh-only")
	p.Run("apply", "-auto-approve", "-target=liqo_shortcut.s")
	p.Run("plan", "-refresh=false", "-target=liqo_shortcut.s", "-detailed-exitcode")
	lab.SameNetworks(t, networks)
}
