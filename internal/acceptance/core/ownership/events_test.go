package ownership

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccANetworkMadeByLiqoctlIsImportedAndThenManaged(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	acctest.Apply(t,
		resource.TestStep{
			PreConfig: lab.JoinByHand(t, "rome", "milan"),
			Config:    lab.Contexts(acctest.ShortcutRomeMilan), ResourceName: acctest.RomeMilan, ImportState: true,
			ImportStateId: "rome/milan", ImportStatePersist: true,
		},
		resource.TestStep{
			Config:            lab.Contexts(acctest.ShortcutRomeMilan),
			ConfigPlanChecks:  resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			ConfigStateChecks: []statecheck.StateCheck{acctest.IsConnected},
		},
	)
}

func TestAccANetworkThatSomeoneElseMadeIsNotTakenOverByDefault(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	acctest.Apply(t,
		resource.TestStep{
			PreConfig: lab.JoinByHand(t, "rome", "milan"),
			Config:    lab.Contexts(acctest.ShortcutRomeMilan),
			ExpectError: regexp.MustCompile(
				`(?s)A network with "(rome|milan)" exists already on leaf.*liqoctl.*adopt_existing`,
			),
		},
		resource.TestStep{
			Config:            lab.Between("milan", acctest.OverNodePort+"\nadopt_existing = true"),
			ConfigStateChecks: []statecheck.StateCheck{acctest.IsConnected},
		},
	)
}

func TestAccANetworkInTheOppositeDirectionIsReversedIfAdopted(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	acctest.Apply(t, resource.TestStep{
		PreConfig:         lab.JoinByHand(t, "milan", "rome"),
		Config:            lab.Between("milan", acctest.OverNodePort+"\nadopt_existing = true"),
		ConfigStateChecks: []statecheck.StateCheck{acctest.IsConnected},
	})
}

func TestAccALeafThatIsGoneCanBeGivenUp(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	p := lab.NewProject(t, t.TempDir())
	p.Write("main.tf", lab.Between("milan", acctest.OverNodePort+acctest.InDefault))
	p.Apply()
	lab.Command(t, "stop-apiserver", "milan")
	p.Write("main.tf", lab.Between("milan", acctest.OverNodePort+acctest.InDefault+"\nforce_destroy = true"))
	acctest.Says(t, p.Run("apply", "-auto-approve"), `Warning: The API server can't be reached on leaf "milan"`,
		"The shortcut could not be refreshed. Its state stays unchanged.",
		"~ abandon_lost_cluster = false -> true", "0 added, 1 changed, 0 destroyed")
	acctest.Says(
		t, p.Run("destroy", "-auto-approve"), "Warning: Only one leaf was cleaned", `Cluster "milan" (milan) is gone.`,
		"1 destroyed")
	lab.Command(t, "start-apiserver", "milan")
	// Only Milan still has objects. A new shortcut adopts them, and its destroy removes them.
	acctest.Apply(t, resource.TestStep{
		Config: lab.Between("milan", acctest.OverNodePort+acctest.InDefault+"\nadopt_existing = true"),
	})
}
