package topology

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
	lab.TakesTenantNamespaces(t)
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
		    cluster = "milan"
		    status  = "Connected"
		  }
		}`)
	p.Run("init")
	lab.JoinByHand(t, "rome", "milan")

	type network struct {
		Address  string
		Name     string         `json:"display_name"`
		Resource map[string]any `json:"resource_object"`
	}
	listed := map[string][]*network{} // by the address of the list block
	for line := range strings.Lines(p.Run("query", "-json")) {
		var message struct {
			Found *network `json:"list_resource_found"`
		}
		if err := json.Unmarshal([]byte(line), &message); err != nil {
			t.Fatalf("%v:\n%s", err, line)
		}
		if found := message.Found; found != nil {
			listed[found.Address] = append(listed[found.Address], found)
		}
	}
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
	p.Unchanged()
	imported := p.Values(p.Resources())
	delete(imported, "owner_id") // an import makes a new one
	for _, network := range listed["list.liqo_shortcut.by_hand"] {
		delete(network.Resource, "owner_id")
		if !reflect.DeepEqual(network.Resource, imported) {
			t.Errorf("listed as %v, and imported as %v", network.Resource, imported)
		}
	}
}

// Older versions of Terraform have no queries.
func TestAccANetworkMadeByLiqoctlIsGeneratedFromTheExampleOfADataSource(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	lab.TakesTenantNamespaces(t)
	page := acctest.SectionOf(t, "templates/guides/from-liqoctl.md.tmpl", "Import many networks")
	p := lab.Written(t, lab.Contexts(acctest.BlockOf(t, page, "terraform")))
	lab.JoinByHand(t, "rome", "milan")
	acctest.Says(t, p.Shell(acctest.BlockOf(t, page, "shell")), "1 imported, 0 added, 0 changed, 0 destroyed")
	p.IsConnected()
	p.Unchanged()
}
