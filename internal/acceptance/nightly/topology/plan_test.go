package topology

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccAPlanWarnsOfAShortcutOfAnotherState(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	lab.Have(t, "rome", acctest.NamespaceNamed("shortcuts"))
	const inNamespace = acctest.OverNodePort + "\n" + `client_namespace = "shortcuts"`
	first := lab.Written(t, lab.Between("milan", inNamespace))
	first.Apply()

	second := lab.Written(t, lab.Between("milan", acctest.OverNodePort))
	acctest.Says(t, second.Run("plan"), "1 to add", `Warning: A shortcut with "milan" exists already on `+
		`leaf "rome"`, "Another liqo_shortcut owns it",
		"This is only a warning, because the same apply may destroy the other resource")
	acctest.Says(t, second.Refused("apply", "-auto-approve"),
		`Error: A shortcut with "milan" exists already on leaf "rome"`)
	second.Write("main.tf", lab.Between("naples", inNamespace))
	acctest.Says(
		t, second.Refused("plan"), `Error: Namespace shortcuts has a gateway for another cluster on leaf "rome"`,
		"with liqo_shortcut.rome_milan")
	second.Write("main.tf", lab.Contexts(""))

	first.Write("main.tf", lab.Contexts(`
		resource "liqo_shortcut" "renamed" {
		  client           = "rome"
		  server           = "milan"
		  server_gateway   = { service_type = "NodePort" }
		  client_namespace = "shortcuts"
		}`))
	acctest.Says(t, first.Run("plan"), "1 to add", "1 to destroy", "Warning: A shortcut with")
}

func TestAccAPlanFindsANamespaceOfTwoShortcuts(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	lab.Have(t, "rome", acctest.NamespaceNamed("shortcuts"))
	acctest.Apply(t, resource.TestStep{
		Config: lab.Between("milan", acctest.OverNodePort+"\n"+`client_namespace = "shortcuts"`) + `
			resource "liqo_shortcut" "naples_rome" {
			  client           = "naples"
			  server           = "rome"
			  server_namespace = "shortcuts"
			}`,
		PlanOnly: true,
		ExpectError: acctest.Message("The same namespace twice", "with liqo_shortcut.…",
			`…Another liqo_shortcut of this configuration already has namespace "shortcuts" of leaf "rome".`),
	})
}
