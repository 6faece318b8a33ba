package runbooks

import (
	"strings"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccRunbookToMoveAShortcutToAnotherStateChangesNothing(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	page := runbookOf(t, "Move a shortcut to another state")
	blocks := acctest.BlocksOf(t, page, "terraform")
	former := lab.StateIn(t, "former", acctest.ShortcutRomeMilan)
	latter := lab.StateIn(t, "latter", acctest.ShortcutRomeMilan+"\n"+blocks[1])
	acctest.DestroyAtLast(former, latter)
	former.Apply()
	networks := lab.Networks(t)
	former.Configure(blocks[0])
	acctest.Says(t, former.Run("apply", "-auto-approve"), "0 added, 0 changed, 0 destroyed")
	if left := former.Resources(); left != "" {
		t.Errorf("the former state has %s", left)
	}
	const expected = "1 to import, 0 to add, 0 to change, 0 to destroy"
	if !strings.Contains(page, "`"+expected+"`") {
		t.Errorf("the page does not expect %q", expected)
	}
	planSays(latter, expected)
	acctest.Says(t, latter.Run("apply", "-auto-approve"), "1 imported, 0 added, 0 changed, 0 destroyed")
	latter.Unchanged()
	lab.SameNetworks(t, networks)
}
