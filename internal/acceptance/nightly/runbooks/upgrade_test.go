package runbooks

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// One program has two versions here. So this test shows what Terraform does with versions, and not what a version of
// the provider does with the state of another one: there is no release yet.
func TestAccRunbookOfAnotherVersionOfTheProviderAndTheWayBack(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	p := lab.NewProject(t, t.TempDir())
	mirror := t.TempDir()
	for _, version := range []string{"0.1.0", "0.2.0"} {
		acctest.Must(t, acctest.MirrorProvider(mirror, acctest.ProviderProgram, version))
	}
	p.InstallFrom(mirror)
	section, _, _ := strings.Cut(acctest.SectionOf(t, "docs/guides/operations.md", "Upgrade"), "\n## ")
	commands := acctest.BlocksOf(t, section, "shell")
	save, install, restore := commands[0], commands[1], commands[2]
	uses := func(version string) {
		p.Write("main.tf", fmt.Sprintf(`
			terraform {
			  required_providers {
			    liqo = { source = "leafmesh/liqo", version = %q }
			  }
			}
			provider "liqo" {
			  config_path = "~/.kube/config"
			}`, version)+acctest.ShortcutRomeMilan)
	}

	uses("0.1.0")
	acctest.DestroyAtLast(p)
	p.Apply()
	p.Shell(save)
	uses("0.2.0")
	acctest.Says(t, p.Shell(install), "Installed leafmesh/liqo v0.2.0", "No changes.")
	uses("0.1.0")
	acctest.Says(t, p.Shell(install), "Installed leafmesh/liqo v0.1.0", "No changes.")

	// A later version of the provider writes the state.
	state := p.Read("terraform.tfstate")
	state = regexp.MustCompile(`"schema_version": \d+`).ReplaceAllString(state, `"schema_version": 1000`)
	state = regexp.MustCompile(`"serial": \d+`).ReplaceAllStringFunc(state, func(serial string) string {
		number, _ := strconv.Atoi(strings.TrimPrefix(serial, `"serial": `))
		return fmt.Sprintf(`"serial": %d`, number+1)
	})
	p.Write("terraform.tfstate", state)
	acctest.Says(t, p.Job("terraform plan", 1),
		strings.TrimPrefix(strings.TrimSpace(acctest.BlockOf(t, section, "text")), "Error: "))
	acctest.Says(t, p.Shell(restore), "No changes.")
}
