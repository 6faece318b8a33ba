package pair

import (
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccAWorkspaceHasItsOwnShortcuts(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	p := lab.StateIn(t, "workspaces", acctest.Joining("s", "rome", "milan", ""))
	p.Apply()
	networks := lab.Networks(t)
	p.Run("workspace", "new", "staging")
	acctest.Says(t, p.Refused("apply", "-auto-approve"), "exists already on leaf",
		"in directory workspaces, workspace default")
	p.Run("destroy", "-auto-approve")
	p.Run("workspace", "select", "default")
	lab.SameNetworks(t, networks)
	p.Unchanged()
}
