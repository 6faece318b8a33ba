package runbooks

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestMain(m *testing.M) { acctest.Main(m, acctest.WithTenantNamespaces) }

// The pages that these tests follow, with their own configurations and commands.
const (
	operations = "templates/guides/operations.md.tmpl"
	runbooks   = "templates/guides/runbooks.md.tmpl"
)

func TestAccRunbookToAddALeafOnlyAddsAndToRemoveItOnlyRemoves(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	p := lab.Example(t, "mesh")
	p.ReplaceIn("main.tf", `["rome", "milan", "naples"]`, `["rome", "milan"]`)
	p.Apply()
	networks := lab.Networks(t)
	leaves := `["rome", "milan"]`
	becomes := func(list string) {
		p.ReplaceIn("main.tf", leaves, list)
		leaves = list
	}
	for _, list := range []string{`["naples", "milan", "rome"]`, `["rome", "milan", "naples"]`} {
		becomes(list)
		acctest.Says(t, p.Run("plan"), "Plan: 2 to add, 0 to change, 0 to destroy.")
	}
	acctest.Says(t, p.Run("apply", "-auto-approve"), "2 added, 0 changed, 0 destroyed")
	p.Unchanged()
	larger := lab.Networks(t)
	for _, line := range networks {
		if !slices.Contains(larger, line) {
			t.Errorf("it has changed or is gone: %s", line)
		}
	}
	becomes(`["rome", "milan"]`)
	acctest.Says(t, p.Run("apply", "-auto-approve"), "0 added, 0 changed, 2 destroyed")
	p.Unchanged()
	lab.SameNetworks(t, networks)
}

func TestAccRunbookOfALostLeafGivesItUpInTwoApplies(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	lab.TakesTenantNamespaces(t)
	page := acctest.SectionOf(t, runbooks, "Lose a leaf")
	outputs := acctest.BlocksOf(t, page, "text")
	varies := regexp.MustCompile(`root@vm|\d{4}-\d\d-\d\dT[\d:]+Z|after \d+s|\[…\]|…`)
	likeThePage := func(output string) (sentences []string) { // without what differs from run to run
		for _, part := range varies.Split(acctest.Unbroken(output), -1) {
			sentences = append(sentences, strings.Trim(part, " "))
		}
		return sentences
	}
	p := lab.StateIn(t, "lost", acctest.ShortcutRomeMilan)
	p.Apply()
	lab.Command(t, "stop-apiserver", "milan")
	p.Configure(acctest.Joining("rome_milan", "rome", "milan", "abandon_lost_cluster = true"))
	acctest.Says(t, p.Run("apply", "-auto-approve"), likeThePage(outputs[0])...)
	p.Configure(`provider "liqo" {}`)
	acctest.Says(t, p.Run("apply", "-auto-approve"), likeThePage(outputs[1])...)

	t.Log("It comes back after all.")
	lab.Command(t, "start-apiserver", "milan")
	p.Configure(acctest.ShortcutRomeMilan + "\n" + acctest.BlockOf(t, page, "terraform"))
	acctest.Says(t, p.Again(), "1 imported, 0 added, 1 changed, 0 destroyed")
	p.Run("destroy", "-auto-approve")
}

func TestAccRunbookOfARingConnectsEachLeafWithItsNeighbors(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	ring := acctest.BlockOf(t, acctest.SectionOf(t, "templates/guides/performance.md.tmpl", "A full mesh"), "terraform")
	p := lab.StateIn(t, "ring", strings.NewReplacer("turin", "naples", "genoa", "europe").Replace(ring))
	acctest.Says(t, p.Run("plan"), `liqo_shortcut.ring["rome-milan"] will be`,
		`liqo_shortcut.ring["milan-naples"] will be`, `liqo_shortcut.ring["naples-europe"] will be`,
		`liqo_shortcut.ring["europe-rome"] will be`, "Plan: 4 to add")
}

// The leaves have no AWS, so the test takes only the shortcut of the example.
func TestAccTheExampleForEKSSetsTheAnnotations(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	_, block, _ := strings.Cut(acctest.TextOf(t, "examples/eks/main.tf"), "\nresource ")
	p := lab.StateIn(t, "eks", "resource "+block)
	p.Apply()
	service := acctest.Get[corev1.Service](t, lab, "milan", "liqo-tenant-rome", "gw-rome")
	for _, line := range regexp.MustCompile(`"(service.beta[^"]*)" *= "(.*)"`).FindAllStringSubmatch(block, -1) {
		if value := service.Annotations[line[1]]; value != line[2] {
			t.Errorf("%s is %q, expected %q", line[1], value, line[2])
		}
	}
}

func TestAccRunbookOfAnotherAddressOfAnAPIServerHasAnEmptyPlan(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	milan := lab.ReachedAsAdministrator(t, "milan")["milan"]
	kubeconfig, err := os.ReadFile(lab.Kubeconfig)
	acctest.Must(t, err)
	elsewhere := "https://" + acctest.NewRelay(t, milan.Host, 1).Address
	p := lab.StateIn(t, "address", `provider "liqo" { config_path = "kubeconfig" }`+acctest.ShortcutRomeMilan)
	p.Write("kubeconfig", string(kubeconfig))
	p.Apply()
	networks := lab.Networks(t)

	p.ReplaceIn("kubeconfig", milan.Host, elsewhere)
	p.Unchanged()

	for _, host := range []string{milan.Host, elsewhere} {
		milan.Host = host
		p.Configure(lab.Listing("milan = "+milan.Entry()) + acctest.ShortcutRomeMilan)
		p.Unchanged()
	}
	lab.SameNetworks(t, networks)
}

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
