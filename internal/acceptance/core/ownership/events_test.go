package ownership

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// imports lets Terraform take over the network of two leaves, and manage it from then on.
func imports(config, id string) resource.TestStep {
	return resource.TestStep{
		Config: config, ResourceName: acctest.RomeMilan, ImportState: true, ImportStateId: id, ImportStatePersist: true,
	}
}

func TestAccANetworkMadeByLiqoctlIsImportedAndThenManaged(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	acctest.Apply(t,
		resource.TestStep{
			PreConfig: lab.JoinByHand(t, "rome", "milan"),
			Config:    lab.Contexts(acctest.ShortcutRomeMilan),
			ExpectError: acctest.Message(`A network with "…" exists already on leaf "…"`,
				"liqoctl or another program did. To manage it here, import it, with the address of this resource after `to`:",
				`import { to = liqo_shortcut.rome_milan id = "rome/milan" }`),
		},
		imports(lab.Contexts(acctest.ShortcutRomeMilan), "rome/milan"),
		resource.TestStep{
			Config:            lab.Contexts(acctest.ShortcutRomeMilan),
			ConfigPlanChecks:  resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			ConfigStateChecks: []statecheck.StateCheck{acctest.IsConnected},
		},
	)
}

func TestAccANetworkInTheOppositeDirectionIsImportedAsItIsAndThenTurnedAround(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	wanted := lab.Between("milan", acctest.OverNodePort)
	acctest.Apply(t,
		resource.TestStep{
			PreConfig: lab.JoinByHand(t, "milan", "rome"),
			Config:    wanted,
			ExpectError: acctest.Message(`A network with "…" exists already on leaf "…"`,
				"To manage it here, swap `client` and `server` of this resource, because \"milan\" dials \"rome\", and import it,",
				"with the address of this resource after `to`:", `import { to = liqo_shortcut.milan_rome id = "milan/rome" }`),
		},
		imports(lab.Contexts(acctest.FromTo("rome_milan", "milan", "rome", acctest.OverNodePort)), "milan/rome"),
		resource.TestStep{
			Config: wanted,
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(acctest.RomeMilan, plancheck.ResourceActionReplace),
			}},
			ConfigStateChecks: []statecheck.StateCheck{acctest.IsConnected},
		},
	)
}
