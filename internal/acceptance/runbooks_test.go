package acceptance

import (
	"slices"
	"testing"
)

// The page whose runbooks these tests follow, with its own configurations and commands.
const operation = "templates/guides/operate.md.tmpl"

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
