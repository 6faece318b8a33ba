package acceptance

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// One program has two versions here. So this test shows what Terraform does with versions, and not what a version of
// the provider does with the state of another one: there is no release yet.
func TestAccRunbookOfAnotherVersionOfTheProviderAndTheWayBack(t *testing.T) {
	lab := borrowLab(t)
	p := lab.newProject(t, t.TempDir())
	built, err := builtProvider()
	if err != nil {
		t.Fatal(err)
	}
	mirror := t.TempDir()
	program := onlyFile(t, filepath.Join(built, terraformRegistry, "leafmesh", "liqo", "*", "*", "*"))
	for _, version := range []string{"0.1.0", "0.2.0"} {
		if err := mirrorProvider(mirror, program, version); err != nil {
			t.Fatal(err)
		}
	}
	p.installFrom(mirror)
	section, _, _ := strings.Cut(sectionOf(t, "docs/guides/operate.md", "Upgrade"), "\n## ")
	commands := blocksOf(t, section, "shell")
	save, install, restore := commands[0], commands[1], commands[2]
	uses := func(version string) {
		p.write("main.tf", fmt.Sprintf(`
			terraform {
			  required_providers {
			    liqo = { source = "leafmesh/liqo", version = %q }
			  }
			}
			provider "liqo" {
			  config_path = "~/.kube/config"
			}`, version)+shortcutRomeMilan)
	}

	uses("0.1.0")
	destroyAtLast(p)
	p.apply()
	p.shell(save)
	uses("0.2.0")
	says(t, p.shell(install), "Installed leafmesh/liqo v0.2.0", "No changes.")
	uses("0.1.0")
	says(t, p.shell(install), "Installed leafmesh/liqo v0.1.0", "No changes.")

	p.writtenInNewerFormat()
	says(t, p.job("terraform plan", 1), strings.TrimPrefix(strings.TrimSpace(blockOf(t, section, "text")), "Error: "))
	says(t, p.shell(restore), "No changes.")
}

// writtenInNewerFormat changes the state as if a later version of the provider had written it.
func (p *project) writtenInNewerFormat() {
	p.t.Helper()
	state := p.read("terraform.tfstate")
	state = regexp.MustCompile(`"schema_version": \d+`).ReplaceAllString(state, `"schema_version": 1000`)
	state = regexp.MustCompile(`"serial": \d+`).ReplaceAllStringFunc(state, func(serial string) string {
		number, _ := strconv.Atoi(strings.TrimPrefix(serial, `"serial": `))
		return fmt.Sprintf(`"serial": %d`, number+1)
	})
	p.write("terraform.tfstate", state)
}
