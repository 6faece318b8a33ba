package acceptance

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// runbookOf returns the text of one of the runbooks.
func runbookOf(t *testing.T, title string) string {
	t.Helper()
	_, runbook, found := strings.Cut(sectionOf(t, "templates/guides/operate.md.tmpl", "Runbooks"), "\n### "+title+"\n")
	if !found {
		t.Fatalf("there is no runbook %q", title)
	}
	runbook, _, _ = strings.Cut(runbook, "\n### ")
	return runbook
}

// shell runs the commands of a page, which must succeed. It approves what they apply, and returns their output.
func (p *project) shell(commands string) string {
	p.t.Helper()
	return p.job(commands, 0)
}

// job is like shell, for commands that end with this exit status.
func (p *project) job(commands string, status int) string {
	p.t.Helper()
	p.withProgram("terraform", fmt.Sprintf("#!/bin/sh\nexec '%s' \"$@\"\n", p.cli))
	p.set("TF_CLI_ARGS_apply", "-auto-approve")
	command := exec.CommandContext(p.t.Context(), "sh", "-ec", commands)
	command.Dir, command.Env = p.dir, p.env
	output, err := command.CombinedOutput()
	if command.ProcessState == nil || command.ProcessState.ExitCode() != status {
		p.t.Fatalf("%s: %v, expected the exit status %d\n%s", commands, err, status, output)
	}
	return string(output)
}

// loseState removes everything that Terraform has written.
func (p *project) loseState() {
	p.t.Helper()
	states, err := filepath.Glob(filepath.Join(p.dir, "terraform.tfstate*"))
	if err != nil || len(states) == 0 {
		p.t.Fatalf("there is no state (%v)", err)
	}
	for _, state := range states {
		if err := os.Remove(state); err != nil {
			p.t.Fatal(err)
		}
	}
}

func TestAccALostStateIsImportedWithTheConfiguration(t *testing.T) {
	lab := borrowTopology(t)
	// The first block of the runbook has both. The shortcuts get a setting that is not the default.
	imports, mesh, found := strings.Cut(blockOf(t, strings.ReplaceAll(runbookOf(t, "Lost state"), "\n   ", "\n"),
		"terraform"), "\nresource ")
	if !found || !strings.HasPrefix(imports, "import {") {
		t.Fatalf("the runbook begins with\n%s\n%s", imports, mesh)
	}
	mesh = "resource " + strings.Replace(mesh, "client = each", "mtu = 1400\n  client = each", 1)
	p := lab.stateIn(t, "network", mesh)
	destroyAtLast(p)
	p.apply()
	networks := lab.networks(t)
	p.loseState()
	says(t, p.refused("apply", "-auto-approve"), "exists already on leaf", "in folder network, workspace default")

	p.configure(imports + mesh)
	says(t, p.run("plan"), "Plan: 3 to import, 0 to add, 0 to change, 0 to destroy.")
	says(t, p.run("apply", "-auto-approve"), "Warning: Another Terraform state may have this",
		"The import takes it over and changes nothing.", "3 imported, 0 added, 0 changed, 0 destroyed")
	p.configure(mesh)
	p.unchanged()
	lab.sameNetworks(t, networks)
}

func TestAccALostStateIsImportedWithoutTheConfiguration(t *testing.T) {
	lab := borrowTopology(t)
	lost := lab.stateIn(t, "network", joining("s", "rome", "milan", "mtu = 1400"))
	other := lab.stateIn(t, "other", joining("s", "rome", "naples", ""))
	rescue := lab.stateIn(t, "rescue", "")
	destroyAtLast(rescue, other)
	lost.apply()
	other.apply()
	networks := lab.networks(t)
	lost.loseState()

	runbook := runbookOf(t, "Lost state")
	_, runbook, found := strings.Cut(runbook, "\nIf the configuration is lost, too")
	if !found {
		t.Fatal("the runbook does not say what to do without the configuration")
	}
	rescue.configure("provider \"liqo\" {}\n" + blockOf(t, runbook, "terraform"))
	says(t, rescue.run("apply", "-auto-approve"), `"rome/milan" = {`, `"rome/naples" = {`)
	output := rescue.shell(blockOf(t, runbook, "shell"))
	says(t, output, "Warning: Another Terraform state may have this", "made by", "in folder network, workspace default",
		"1 to import, 0 to add, 0 to change, 0 to destroy", "1 imported, 0 added, 0 changed, 0 destroyed")
	doesNotSay(t, output, "in folder other")
	if err := os.Remove(filepath.Join(rescue.dir, "import.tf")); err != nil {
		t.Fatal(err)
	}
	if all := rescue.resources(); !strings.Contains(all, romeMilan) || strings.Contains(all, "naples") {
		t.Errorf("the state has %s", all)
	}
	rescue.unchanged()
	other.unchanged()
	lab.sameNetworks(t, networks)

	says(t, rescue.run("destroy", "-auto-approve"), "1 destroyed")
	other.unchanged()
}
