package acceptance

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// What the page of the list resource says, with its own query. The other lists have other filters.
func TestAccANetworkMadeByLiqoctlIsFoundByAQueryAndThenGenerated(t *testing.T) {
	lab := borrowLab(t)
	p := lab.newProject(t, t.TempDir()).onTerraform114()
	destroyAtLast(p)
	p.write("main.tf", lab.contexts(""))
	page := sectionOf(t, "templates/list-resources/shortcut.md", "Example Usage")
	p.write("fleet.tfquery.hcl", blockOf(t, page, "text"))
	p.write("others.tfquery.hcl", `
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
	p.run("init")
	lab.joinByHand(t, "rome", "milan")()

	listed := p.query()
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

	p.write("others.tfquery.hcl", "")
	p.run("query", "-generate-config-out=shortcuts.tf")
	says(t, p.run("apply", "-auto-approve"), "1 imported, 0 added, 0 changed, 0 destroyed")
	p.run("plan", "-detailed-exitcode")
	imported := p.resource("liqo_shortcut.by_hand_0")
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
	lab := borrowLab(t)
	p := lab.shownBy(t, `
		data "liqo_shortcuts" "all" {}
		output "import_blocks" {
		  value = data.liqo_shortcuts.all.import_blocks
		}`)
	destroyAtLast(p)
	lab.joinByHand(t, "rome", "milan")()
	p.run("apply", "-auto-approve")
	p.write("import.tf", p.run("output", "-raw", "import_blocks"))
	p.run("plan", "-generate-config-out=generated.tf")
	says(t, p.run("apply", "-auto-approve"), "1 imported, 0 added, 0 changed, 0 destroyed")
	says(t, p.run("state", "show", romeMilan), `status = "Connected"`)
	p.run("plan", "-detailed-exitcode")
}

// listedResource is what a query finds.
type listedResource struct {
	Address  string
	Name     string         `json:"display_name"`
	Resource map[string]any `json:"resource_object"`
}

// query runs `terraform query` and returns what each list block finds, by the address of the block.
func (p *project) query() map[string][]listedResource {
	p.t.Helper()
	found := map[string][]listedResource{}
	for line := range strings.Lines(p.run("query", "-json")) {
		var message struct {
			Found *listedResource `json:"list_resource_found"`
		}
		if err := json.Unmarshal([]byte(line), &message); err != nil {
			p.t.Fatalf("%v:\n%s", err, line)
		}
		if resource := message.Found; resource != nil {
			found[resource.Address] = append(found[resource.Address], *resource)
		}
	}
	return found
}

// resource returns the attributes that the state has for a resource.
func (p *project) resource(address string) map[string]any {
	p.t.Helper()
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
	if err := json.Unmarshal([]byte(p.run("show", "-json")), &state); err != nil {
		p.t.Fatal(err)
	}
	for _, resource := range state.Values.Root.Resources {
		if resource.Address == address {
			return resource.Values
		}
	}
	p.t.Fatalf("there is no %s in the state: %+v", address, state)
	return nil
}
