package acceptance

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The page whose runbooks these tests follow, with its own configurations and commands.
const operation = "templates/guides/operate.md.tmpl"

// likeThePage returns the sentences of an output on a page, without what differs from run to run.
func likeThePage(output string) []string {
	varies := regexp.MustCompile(`root@vm|\d{4}-\d\d-\d\dT[\d:]+Z|after \d+s|\[…\]|…`)
	var sentences []string
	for _, part := range varies.Split(unbroken(output), -1) {
		sentences = append(sentences, strings.Trim(part, " "))
	}
	return slices.DeleteFunc(sentences, func(s string) bool { return s == "" })
}

// planSays fails the test unless the project's plan changes that much.
func (p *project) planSays(changes string) {
	p.t.Helper()
	says(p.t, p.run("plan"), "Plan: "+changes)
}

func TestAccRunbookToAddALeafOnlyAddsAndToRemoveItOnlyRemoves(t *testing.T) {
	lab := borrowTopology(t)
	p := lab.example(t, "mesh")
	p.replaceIn("main.tf", `["rome", "milan", "naples"]`, `["rome", "milan"]`)
	p.apply()
	networks := lab.networks(t)
	leaves := `["rome", "milan"]`
	becomes := func(list string) {
		p.replaceIn("main.tf", leaves, list)
		leaves = list
	}
	for _, list := range []string{
		`["naples", "rome", "milan"]`, `["rome", "naples", "milan"]`, `["rome", "milan", "naples"]`,
	} {
		becomes(list)
		p.planSays("2 to add, 0 to change, 0 to destroy.")
	}
	becomes(`["milan", "rome", "naples"]`) // in another order
	p.planSays("3 to add, 0 to change, 1 to destroy.")
	becomes(`["rome", "milan", "naples"]`)
	says(t, p.run("apply", "-auto-approve"), "2 added, 0 changed, 0 destroyed")
	p.unchanged()
	larger := lab.networks(t)
	for _, line := range networks {
		if !slices.Contains(larger, line) {
			t.Errorf("it has changed or is gone: %s", line)
		}
	}
	becomes(`["rome", "milan"]`)
	says(t, p.run("apply", "-auto-approve"), "0 added, 0 changed, 2 destroyed")
	p.unchanged()
	lab.sameNetworks(t, networks)
}

func TestAccRunbookOfALostLeafGivesItUpInTwoApplies(t *testing.T) {
	lab := borrowLab(t)
	outputs := blocksOf(t, runbookOf(t, "Lose a leaf"), "text")
	p := lab.stateIn(t, "lost", shortcutRomeMilan)
	p.apply()
	lab.command(t, "stop-apiserver", "milan")
	p.configure(joining("rome_milan", "rome", "milan", "force_destroy = true"))
	says(t, p.run("apply", "-auto-approve"), likeThePage(outputs[0])...)
	p.configure(`provider "liqo" {}`)
	says(t, p.run("apply", "-auto-approve"), likeThePage(outputs[1])...)

	t.Log("It comes back after all.")
	lab.command(t, "start-apiserver", "milan")
	p.configure(joining("rome_milan", "rome", "milan", "adopt_existing = true"))
	p.apply()
	p.run("destroy", "-auto-approve")
}

func TestAccRunbookOfARingConnectsEachLeafWithItsNeighbors(t *testing.T) {
	lab := borrowTopology(t)
	ring := blockOf(t, sectionOf(t, "templates/guides/many-leaves.md.tmpl", "A full mesh"), "terraform")
	p := lab.stateIn(t, "ring", strings.NewReplacer("turin", "naples", "genoa", "europe").Replace(ring))
	says(t, p.run("plan"), `liqo_shortcut.ring["rome-milan"] will be`, `liqo_shortcut.ring["milan-naples"] will be`,
		`liqo_shortcut.ring["naples-europe"] will be`, `liqo_shortcut.ring["europe-rome"] will be`, "Plan: 4 to add")
}

func TestAccRunbookOfAServerOnEKSSetsTheAnnotations(t *testing.T) {
	lab := borrowLab(t)
	block := blockOf(t, sectionOf(t, operation, "Clouds and NAT"), "terraform")
	p := lab.stateIn(t, "eks", block)
	destroyAtLast(p)
	p.apply()
	service := &corev1.Service{}
	name := client.ObjectKey{Namespace: "liqo-tenant-rome", Name: "gw-rome"}
	if err := lab.client(t, "milan").Get(t.Context(), name, service); err != nil {
		t.Fatal(err)
	}
	for _, line := range regexp.MustCompile(`"(service.beta[^"]*)" *= "(.*)"`).FindAllStringSubmatch(block, -1) {
		if value := service.Annotations[line[1]]; value != line[2] {
			t.Errorf("%s is %q, expected %q", line[1], value, line[2])
		}
	}
}
