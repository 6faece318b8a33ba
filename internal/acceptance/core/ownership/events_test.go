package ownership

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

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

func TestAccADestroyCleansTheOtherLeafIfOneIsGone(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	acctest.Apply(t,
		resource.TestStep{Config: lab.Between("milan", acctest.OverNodePort+acctest.InDefault+"\nforce_destroy = true")},
		resource.TestStep{
			PreConfig: func() { lab.Command(t, "stop-apiserver", "milan") },
			Config:    lab.Contexts(""),
		},
	)
	lab.Command(t, "start-apiserver", "milan")
	// Only Milan still has objects. A new shortcut adopts them, and its destroy removes them.
	acctest.Apply(t, resource.TestStep{
		Config: lab.Between("milan", acctest.OverNodePort+acctest.InDefault+"\nadopt_existing = true"),
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
		"~ force_destroy = false -> true", "0 added, 1 changed, 0 destroyed")
	acctest.Says(
		t, p.Run("destroy", "-auto-approve"), "Warning: Only one leaf was cleaned", `Cluster "milan" (milan) is gone.`,
		"1 destroyed")
	lab.Command(t, "start-apiserver", "milan")
	// Only Milan still has objects. A new shortcut adopts them, and its destroy removes them.
	acctest.Apply(t, resource.TestStep{
		Config: lab.Between("milan", acctest.OverNodePort+acctest.InDefault+"\nadopt_existing = true"),
	})
}

func TestAccHalfANetworkIsImportedAndTheNextApplyCompletesIt(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	acctest.Apply(t,
		resource.TestStep{
			PreConfig: func() {
				lab.JoinByHand(t, "rome", "milan")()
				for _, kind := range []client.Object{
					&networkingv1beta1.PublicKey{}, &networkingv1beta1.GatewayServer{}, &networkingv1beta1.Configuration{},
				} {
					lab.DeleteFromTenant(t, "milan", kind)
				}
			},
			Config: lab.Contexts(acctest.ShortcutRomeMilan), ResourceName: acctest.RomeMilan, ImportState: true,
			ImportStateId: "rome/milan", ImportStatePersist: true,
		},
		resource.TestStep{
			Config: lab.Contexts(acctest.ShortcutRomeMilan), ConfigPlanChecks: acctest.InPlace(),
			ConfigStateChecks: []statecheck.StateCheck{
				acctest.IsConnected, acctest.Expect("server_namespace", knownvalue.StringExact("liqo-tenant-rome")),
				lab.AsLiqoSays(t, acctest.RomeMilan, "rome", "milan"),
			},
		},
	)
}
