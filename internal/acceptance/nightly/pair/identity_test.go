package pair

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

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
