package torture

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// meshLeaves is the number of leaves of the full mesh that one apply makes, and fewMeshLeaves that of a short test.
const meshLeaves, fewMeshLeaves = 10, 3

func TestAccTortureByAMeshThatOneApplyMakes(t *testing.T) {
	count := meshLeaves
	if testing.Short() {
		count = fewMeshLeaves
	}
	var options, names []string
	for i := range count {
		names = append(names, fmt.Sprintf("leaf%d", i))
		options = append(options, fmt.Sprintf("--cluster=leaf%d=10.%d.0.0/16", i, 202+i))
	}
	lab := acctest.Borrow(t, options)
	p := lab.NewProject(t, t.TempDir())
	acctest.DestroyAtLast(p)
	p.Configure(fmt.Sprintf(`
		provider "liqo" {
		  config_path = "~/.kube/config"
		}

		resource "liqo_shortcut" "mesh" {
		  for_each       = provider::liqo::mesh(["%s"])
		  client         = each.value.client
		  server         = each.value.server
		  server_gateway = { service_type = "NodePort" }
		}`, strings.Join(names, `", "`)))
	p.Run("init")
	for _, command := range [][]string{
		{"apply", "-auto-approve", "-parallelism=30"},
		{"plan", "-detailed-exitcode", "-parallelism=30"},
		{"destroy", "-auto-approve", "-parallelism=30"},
	} {
		end, began := attach(p), time.Now()
		output := p.Run(command...)
		took := time.Since(began)
		t.Logf("%s of %d shortcuts between %d leaves: %.1f s, at most %d MB of memory",
			command[0], count*(count-1)/2, count, took.Seconds(), end()>>20)
		acctest.Says(t, output, map[string]string{
			"apply": fmt.Sprintf("%d added, 0 changed, 0 destroyed", count*(count-1)/2), "plan": "No changes",
			"destroy": fmt.Sprintf("%d destroyed", count*(count-1)/2),
		}[command[0]])
	}
}
