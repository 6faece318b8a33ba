package topology

import (
	"fmt"
	"strings"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccASilentLeafUnderAnotherNameIsNotGone(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	shortcut := acctest.Joining("s", "uno", "due", "")
	first := lab.Listing(
		fmt.Sprintf("uno = { %s }, due = { %s }", acctest.Entry("rome"), acctest.Entry("milan")),
	) + shortcut
	renamed := lab.Listing(fmt.Sprintf("uno = { %s }, due = { %s }, tre = { %s }",
		acctest.Entry("europe"), acctest.Entry("milan"), acctest.Entry("rome"))) + shortcut
	p := lab.StateIn(t, "renamed", first)
	acctest.DestroyAtLast(p)
	p.Apply()
	p.Configure(renamed)
	acctest.Says(t, p.Refused("apply", "-auto-approve"), "Error: Another cluster",
		"That cluster has the name \"tre\" now. Nothing is changed. To keep the resource, set `client = \"tre\"`.")
	lab.Command(t, "stop-apiserver", "rome")
	restarted := false
	t.Cleanup(func() {
		if !restarted {
			lab.Command(t, "start-apiserver", "rome")
		}
	})
	acctest.Says(t, p.Refused("destroy", "-auto-approve"), "Error: Another cluster",
		`It may be one of the leaves that did not answer: ["tre" "rome"].`)
	if left := p.Resources(); left != "liqo_shortcut.s" {
		t.Errorf("the state has %q", left)
	}
	lab.Command(t, "start-apiserver", "rome")
	restarted = true
	p.Configure(strings.Replace(renamed, `"uno"`, `"tre"`, 1))
	acctest.Says(t, p.Run("apply", "-auto-approve"), "0 added, 1 changed, 0 destroyed")
	p.Unchanged()
}

func TestAccAForcedDestroyGivesUpOneLeafNotBoth(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	forced := acctest.Joining("s", "rome", "milan", "force_destroy = true")
	p := lab.StateIn(t, "lost", lab.Behind("rome", "milan")+forced)
	p.Apply()
	p.Configure(lab.Behind("venice", "europe") + forced) // one has no Liqo, the other is not peered with Rome
	acctest.Says(t, p.Refused("destroy", "-auto-approve"), "Neither leaf can be cleaned.", "`terraform state rm`")
	acctest.Says(t, p.Refused("apply", "-auto-approve"), "Neither leaf can be cleaned.")
	if left := p.Resources(); left != "liqo_shortcut.s" {
		t.Errorf("the state has %q", left)
	}
	p.Configure(lab.Behind("rome", "milan") + forced)
	p.Run("destroy", "-auto-approve")
}
