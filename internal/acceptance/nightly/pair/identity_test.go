package pair

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccALeafCanBeRenamed(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	calls := func(rome string) string {
		return lab.Known(map[string]string{rome: acctest.Entry("rome"), "milan": acctest.Entry("milan")})
	}
	writes := writesSince{lab: lab}
	acctest.Apply(t,
		resource.TestStep{
			Config: calls(
				"uno",
			) + acctest.From(
				"uno",
			), ConfigStateChecks: []statecheck.StateCheck{acctest.IsConnected},
		},
		resource.TestStep{
			Config: calls("due") + acctest.From("uno"), PlanOnly: true,
			ExpectError: acctest.Message("Unknown leaf uno", `…client = "uno" There is no leaf with the name "uno". `+
				`Cluster "rome", the client of this resource, has the name "due" now. `+
				"Set `client = \"due\"`. This changes nothing on any leaf."),
		},
		resource.TestStep{
			Config: calls("due") + acctest.From("due"),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(acctest.RomeMilan, plancheck.ResourceActionUpdate),
				lab.RequestsAre(func(counts map[string]int) { writes.before = counts }),
			}},
			ConfigStateChecks: []statecheck.StateCheck{
				acctest.Expect("client",
					knownvalue.StringExact("due")), acctest.Expect("id", knownvalue.StringExact("rome/milan")),
				acctest.IsConnected, writes.none(),
			},
		},
		resource.TestStep{ // a name that no cluster can confirm
			PreConfig: func() { lab.Command(t, "stop-apiserver", "rome") },
			Config: calls(
				"tre",
			) + acctest.From(
				"tre",
			), ExpectError: acctest.Message(`The API server can't be reached on leaf "tre"`),
		},
		resource.TestStep{
			PreConfig: func() { lab.Command(t, "start-apiserver", "rome") },
			Config:    calls("tre") + acctest.From("tre"), ConfigPlanChecks: acctest.InPlace(),
		},
	)
}

// writesSince compares the number of writes to the clusters by users of the common kubeconfig with the number before.
type writesSince struct {
	lab    *acctest.Lab
	before map[string]int // as counted by [Lab.requests]
}

func (w *writesSince) none() statecheck.StateCheck {
	return acctest.StateCheck(
		func(ctx context.Context, _ statecheck.CheckStateRequest, resp *statecheck.CheckStateResponse) {
			now, err := w.lab.Requests(ctx)
			if err != nil {
				resp.Error = err
				return
			}
			for request, count := range now {
				verb := strings.Fields(request)[1]
				if isRead := verb == "get" || verb == "list" || verb == "watch"; !isRead && count > w.before[request] {
					resp.Error = fmt.Errorf("unexpected request: %s", request)
				}
			}
		},
	)
}

func TestAccALostLeafBlocksNothingElseAndIsGivenUpOnlyByForce(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	otherAuthority := lab.Credentials(t, "rome").CA
	lost := map[string]struct{ milan, says string }{
		"its name": {"", "Unknown leaf milan"},
		"its Liqo": {
			acctest.Entry("milan") + `, liqo_namespace = "default"`,
			`No Liqo in namespace "default" on leaf "milan"`,
		},
		"its address": {
			acctest.Entry("milan") + fmt.Sprintf(`, cluster_ca_certificate = %q`, otherAuthority),
			`The API server's certificate is not trusted on leaf "milan"`,
		},
	}
	for name, test := range lost {
		t.Run(name, func(t *testing.T) {
			lab.KeepsInventory(t)
			entries := map[string]string{"rome": acctest.Entry("rome"), "milan": test.milan}
			if test.milan == "" {
				delete(entries, "milan")
			}
			p := lab.NewProject(t, t.TempDir())
			p.Set("KUBECONFIG", "/dev/null")
			p.Write("main.tf", lab.Contexts(acctest.ShortcutRomeMilan))
			p.Apply()
			state := p.Run("state", "show", acctest.RomeMilan)

			const somethingElse = `
				resource "terraform_data" "something_else" {
				}`
			p.Write("main.tf", lab.Known(entries)+acctest.ShortcutRomeMilan+somethingElse)
			acctest.Says(t, p.Run("apply", "-auto-approve"), "Warning: "+test.says,
				"The shortcut could not be refreshed. Its state stays unchanged.",
				"1 added, 0 changed, 0 destroyed")
			if after := p.Run("state", "show", acctest.RomeMilan); after != state {
				t.Errorf("the state has changed from:\n%s\nto:\n%s", state, after)
			}
			acctest.Says(t, p.Refused("destroy", "-auto-approve"), "Error: "+test.says,
				"If this leaf is gone for good, apply `force_destroy = true`, then destroy")

			forced := strings.Replace(acctest.ShortcutRomeMilan, acctest.OverNodePort,
				acctest.OverNodePort+"\nforce_destroy = true", 1)
			p.Write("main.tf", lab.Known(entries)+forced)
			acctest.Says(t, p.Run("apply", "-auto-approve"), "1 changed")
			acctest.Says(
				t, p.Run("destroy", "-auto-approve"), "Warning: Only one leaf was cleaned", `Cluster "milan" (milan) is gone.`,
				"1 destroyed")

			// Only Milan still has objects, of the state that has given it up. A new shortcut adopts them, and its destroy
			// removes them.
			acctest.Apply(t, resource.TestStep{Config: lab.Between("milan", acctest.OverNodePort+"\nadopt_existing = true")})
		})
	}
}
