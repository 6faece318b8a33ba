package acceptance

import (
	"strings"
	"testing"
)

func TestAccRunbookToMoveAShortcutToAnotherStateChangesNothing(t *testing.T) {
	lab := borrowLab(t)
	page := runbookOf(t, "Move a shortcut to another state")
	blocks := blocksOf(t, page, "terraform")
	former := lab.stateIn(t, "former", shortcutRomeMilan)
	latter := lab.stateIn(t, "latter", shortcutRomeMilan+"\n"+blocks[1])
	destroyAtLast(former, latter)
	former.apply()
	networks := lab.networks(t)
	former.configure(blocks[0])
	says(t, former.run("apply", "-auto-approve"), "0 added, 0 changed, 0 destroyed")
	if left := former.resources(); left != "" {
		t.Errorf("the former state has %s", left)
	}
	const expected = "1 to import, 0 to add, 0 to change, 0 to destroy"
	if !strings.Contains(page, "`"+expected+"`") {
		t.Errorf("the page does not expect %q", expected)
	}
	latter.planSays(expected)
	says(t, latter.run("apply", "-auto-approve"), "1 imported, 0 added, 0 changed, 0 destroyed")
	latter.unchanged()
	lab.sameNetworks(t, networks)
}
