package runbooks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// runbookOf returns the text of one of the runbooks.
func runbookOf(t *testing.T, title string) string {
	t.Helper()
	_, runbook, found := strings.Cut(acctest.SectionOf(t, "templates/guides/operate.md.tmpl", "Runbooks"),
		"\n### "+title+"\n")
	if !found {
		t.Fatalf("there is no runbook %q", title)
	}
	runbook, _, _ = strings.Cut(runbook, "\n### ")
	return runbook
}

// loseState removes everything that Terraform has written.
func loseState(p *acctest.Project) {
	p.T.Helper()
	states, err := filepath.Glob(filepath.Join(p.Dir, "terraform.tfstate*"))
	if err != nil || len(states) == 0 {
		p.T.Fatalf("there is no state (%v)", err)
	}
	for _, state := range states {
		if err := os.Remove(state); err != nil {
			p.T.Fatal(err)
		}
	}
}

func TestAccALostStateIsImportedWithTheConfiguration(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	// The first block of the runbook has both. The shortcuts get a setting that is not the default.
	imports, mesh, found := strings.Cut(acctest.BlockOf(t, strings.ReplaceAll(runbookOf(t, "Lost state"), "\n   ", "\n"),
		"terraform"), "\nresource ")
	if !found || !strings.HasPrefix(imports, "import {") {
		t.Fatalf("the runbook begins with\n%s\n%s", imports, mesh)
	}
	mesh = "resource " + strings.Replace(mesh, "client = each", "mtu = 1400\n  client = each", 1)
	p := lab.StateIn(t, "network", mesh)
	acctest.DestroyAtLast(p)
	p.Apply()
	networks := lab.Networks(t)
	loseState(p)
	acctest.Says(t, p.Refused("apply", "-auto-approve"), "exists already on leaf", "in folder network, workspace default")

	p.Configure(imports + mesh)
	acctest.Says(t, p.Run("plan"), "Plan: 3 to import, 0 to add, 0 to change, 0 to destroy.")
	acctest.Says(t, p.Run("apply", "-auto-approve"), "Warning: Another Terraform state may have this",
		"The import takes it over and changes nothing.", "3 imported, 0 added, 0 changed, 0 destroyed")
	p.Configure(mesh)
	p.Unchanged()
	lab.SameNetworks(t, networks)
}

func TestAccALostStateIsImportedWithoutTheConfiguration(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	lost := lab.StateIn(t, "network", acctest.Joining("s", "rome", "milan", "mtu = 1400"))
	other := lab.StateIn(t, "other", acctest.Joining("s", "rome", "naples", ""))
	rescue := lab.StateIn(t, "rescue", "")
	acctest.DestroyAtLast(rescue, other)
	lost.Apply()
	other.Apply()
	networks := lab.Networks(t)
	loseState(lost)

	runbook := runbookOf(t, "Lost state")
	_, runbook, found := strings.Cut(runbook, "\nIf the configuration is lost, too")
	if !found {
		t.Fatal("the runbook does not say what to do without the configuration")
	}
	rescue.Configure("provider \"liqo\" {}\n" + acctest.BlockOf(t, runbook, "terraform"))
	acctest.Says(t, rescue.Run("apply", "-auto-approve"), `"rome/milan" = {`, `"rome/naples" = {`)
	output := rescue.Shell(acctest.BlockOf(t, runbook, "shell"))
	acctest.Says(t, output, "Warning: Another Terraform state may have this", "made by",
		"in folder network, workspace default", "1 to import, 0 to add, 0 to change, 0 to destroy",
		"1 imported, 0 added, 0 changed, 0 destroyed")
	acctest.DoesNotSay(t, output, "in folder other")
	if err := os.Remove(filepath.Join(rescue.Dir, "import.tf")); err != nil {
		t.Fatal(err)
	}
	if all := rescue.Resources(); !strings.Contains(all, acctest.RomeMilan) || strings.Contains(all, "naples") {
		t.Errorf("the state has %s", all)
	}
	rescue.Unchanged()
	other.Unchanged()
	lab.SameNetworks(t, networks)

	acctest.Says(t, rescue.Run("destroy", "-auto-approve"), "1 destroyed")
	other.Unchanged()
}
