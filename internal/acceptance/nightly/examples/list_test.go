package examples

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// What the page of the list resource says, with its own query. The other lists have other filters.
func TestAccANetworkMadeByLiqoctlIsFoundByAQueryAndThenGenerated(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	p := lab.NewProject(t, t.TempDir()).OnTerraform114()
	acctest.DestroyAtLast(p)
	p.Write("main.tf", lab.Contexts(""))
	page := acctest.SectionOf(t, "templates/list-resources/shortcut.md", "Example Usage")
	p.Write("fleet.tfquery.hcl", acctest.BlockOf(t, page, "text"))
	p.Write("others.tfquery.hcl", `
		list "liqo_shortcut" "of_peerings" {
		  provider = liqo
		  config {
		    made_by = "peering"
		  }
		}
		list "liqo_shortcut" "of_milan" {
		  provider = liqo
		  config {
		    leaf   = "milan"
		    status = "Connected"
		  }
		}`)
	p.Run("init")
	lab.JoinByHand(t, "rome", "milan")()

	listed := query(p)
	for list, names := range map[string][]string{
		"by_hand": {"rome → milan"}, "of_peerings": nil, "of_milan": {"rome → milan"},
	} {
		var found []string
		for _, network := range listed["list.liqo_shortcut."+list] {
			found = append(found, network.Name)
		}
		if !reflect.DeepEqual(found, names) {
			t.Errorf("the query %s finds %v", list, found)
		}
	}

	p.Write("others.tfquery.hcl", "")
	p.Run("query", "-generate-config-out=shortcuts.tf")
	acctest.Says(t, p.Run("apply", "-auto-approve"), "1 imported, 0 added, 0 changed, 0 destroyed")
	p.Run("plan", "-detailed-exitcode")
	imported := resource(p, "liqo_shortcut.by_hand_0")
	delete(imported, "owner_id") // an import makes a new one
	for _, network := range listed["list.liqo_shortcut.by_hand"] {
		delete(network.Resource, "owner_id")
		if !reflect.DeepEqual(network.Resource, imported) {
			t.Errorf("listed as %v, and imported as %v", network.Resource, imported)
		}
	}
}

// Older versions of Terraform have no queries.
func TestAccANetworkMadeByLiqoctlIsGeneratedFromTheImportBlocksOfADataSource(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	p := lab.Written(t, lab.Contexts(`
		data "liqo_shortcuts" "all" {}
		output "import_blocks" {
		  value = data.liqo_shortcuts.all.import_blocks
		}`))
	lab.JoinByHand(t, "rome", "milan")()
	p.Run("apply", "-auto-approve")
	p.Write("import.tf", p.Run("output", "-raw", "import_blocks"))
	p.Run("plan", "-generate-config-out=generated.tf")
	acctest.Says(t, p.Run("apply", "-auto-approve"), "1 imported, 0 added, 0 changed, 0 destroyed")
	acctest.Says(t, p.Run("state", "show", acctest.RomeMilan), `status = "Connected"`)
	p.Run("plan", "-detailed-exitcode")
}

// listedResource is what a query finds.
type listedResource struct {
	Address  string
	Name     string         `json:"display_name"`
	Resource map[string]any `json:"resource_object"`
}

// query runs `terraform query` and returns what each list block finds, by the address of the block.
func query(p *acctest.Project) map[string][]listedResource {
	p.T.Helper()
	found := map[string][]listedResource{}
	for line := range strings.Lines(p.Run("query", "-json")) {
		var message struct {
			Found *listedResource `json:"list_resource_found"`
		}
		if err := json.Unmarshal([]byte(line), &message); err != nil {
			p.T.Fatalf("%v:\n%s", err, line)
		}
		if resource := message.Found; resource != nil {
			found[resource.Address] = append(found[resource.Address], *resource)
		}
	}
	return found
}

// resource returns the attributes that the state has for a resource.
func resource(p *acctest.Project, address string) map[string]any {
	p.T.Helper()
	var state struct {
		Values struct {
			Root struct {
				Resources []struct {
					Address string
					Values  map[string]any
				}
			} `json:"root_module"`
		}
	}
	if err := json.Unmarshal([]byte(p.Run("show", "-json")), &state); err != nil {
		p.T.Fatal(err)
	}
	for _, resource := range state.Values.Root.Resources {
		if resource.Address == address {
			return resource.Values
		}
	}
	p.T.Fatalf("there is no %s in the state: %+v", address, state)
	return nil
}
