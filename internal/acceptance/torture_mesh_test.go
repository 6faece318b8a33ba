package acceptance

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// meshLeaves is the number of leaves of the full mesh that one apply makes, and fewMeshLeaves that of a short test.
const meshLeaves, fewMeshLeaves = 10, 3

// meshOptions returns the options of a lab with so many leaves, and their names.
func meshOptions(count int) (options, names []string) {
	for i := range count {
		name := fmt.Sprintf("leaf%d", i)
		names = append(names, name)
		options = append(options, fmt.Sprintf("--cluster=%s=10.%d.0.0/16", name, 202+i))
	}
	return options, names
}

func TestAccTortureByAMeshThatOneApplyMakes(t *testing.T) {
	count := meshLeaves
	if testing.Short() {
		count = fewMeshLeaves
	}
	options, names := meshOptions(count)
	lab := borrowLabOf(t, options)
	p := lab.newProject(t, t.TempDir())
	destroyAtLast(p)
	p.configure(fmt.Sprintf(`
		provider "liqo" {
		  config_path = "~/.kube/config"
		}

		resource "liqo_shortcut" "mesh" {
		  for_each       = provider::liqo::mesh(["%s"])
		  client         = each.value.client
		  server         = each.value.server
		  server_gateway = { service_type = "NodePort" }
		}`, strings.Join(names, `", "`)))
	p.run("init")
	for _, command := range [][]string{
		{"apply", "-auto-approve", "-parallelism=30"},
		{"plan", "-detailed-exitcode", "-parallelism=30"},
		{"destroy", "-auto-approve", "-parallelism=30"},
	} {
		end, began := p.attach(), time.Now()
		output := p.run(command...)
		took := time.Since(began)
		t.Logf("%s of %d shortcuts between %d leaves: %.1f s, at most %d MB of memory",
			command[0], count*(count-1)/2, count, took.Seconds(), end()>>20)
		says(t, output, map[string]string{
			"apply": fmt.Sprintf("%d added, 0 changed, 0 destroyed", count*(count-1)/2), "plan": "No changes",
			"destroy": fmt.Sprintf("%d destroyed", count*(count-1)/2),
		}[command[0]])
	}
}
