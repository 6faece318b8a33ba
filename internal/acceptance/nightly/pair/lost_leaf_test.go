package pair

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// importBlock imports the shortcut s from Rome to Milan.
const importBlock = `
	import {
	  to = liqo_shortcut.s
	  id = "rome/milan"
	}`

// imported returns a project that has imported a network which liqoctl made, with a command or with a block. It has
// changed nothing on the leaves yet.
func imported(t *testing.T, l *acctest.Lab, withBlock bool) *acctest.Project {
	t.Helper()
	l.JoinByHand(t, "rome", "milan")()
	before := configurations(t, l)
	p := l.StateIn(t, "imported", acctest.Joining("s", "rome", "milan", ""))
	if withBlock {
		p.Configure(acctest.Joining("s", "rome", "milan", "") + importBlock)
		acctest.Says(t, p.Run("apply", "-auto-approve"), "1 imported, 0 added, 0 changed, 0 destroyed")
	} else {
		p.Run("import", "liqo_shortcut.s", "rome/milan")
	}
	p.Unchanged()
	if after := configurations(t, l); strings.Join(after, "\n") != strings.Join(before, "\n") {
		t.Errorf("the import has changed\n%v\nto\n%v", before, after)
	}
	return p
}

// loses stops the API server of Milan, and lets the project give Milan up. The end of the test starts it again, too.
func loses(t *testing.T, l *acctest.Lab, p *acctest.Project, config string) {
	t.Helper()
	l.Command(t, "stop-apiserver", "milan")
	t.Cleanup(func() { l.Command(t, "start-apiserver", "milan") })
	p.Configure(config)
	acctest.Says(t, p.Run("apply", "-auto-approve"), `Warning: The API server can't be reached on leaf "milan"`,
		"The shortcut could not be refreshed. Its state stays unchanged.", "0 added, 1 changed, 0 destroyed")
	p.Unchanged()
}

func TestAccAnImportedShortcutGivesUpALostLeafBeforeItsFirstUpdate(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	forced := acctest.Joining("s", "rome", "milan", "force_destroy = true")
	for name, withBlock := range map[string]bool{"imported with a command": false, "imported with a block": true} {
		t.Run(name, func(t *testing.T) {
			lab.KeepsInventory(t)
			p := imported(t, lab, withBlock)
			loses(t, lab, p, forced)
			acctest.Says(t, p.Run("destroy", "-auto-approve"), "Warning: Only one leaf was cleaned",
				`Cluster "milan" (milan) is gone.`, "1 destroyed")
			var left networkingv1beta1.ConfigurationList
			if err := lab.Client(t, "rome").List(t.Context(), &left); err != nil || len(left.Items) > 0 {
				t.Errorf("Rome still has %v (%v)", left.Items, err)
			}
			lab.Command(t, "start-apiserver", "milan")
			// Only Milan still has objects. A new shortcut adopts them, and its destroy removes them.
			acctest.Apply(t, resource.TestStep{Config: lab.Between("milan", acctest.OverNodePort+"\nadopt_existing = true")})
		})
	}
}

func TestAccAnImportedShortcutIsAdoptedAfterALostLeafIsBack(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	p := imported(t, lab, false)
	acctest.DestroyAtLast(p)
	loses(t, lab, p, acctest.Joining("s", "rome", "milan", "force_destroy = true"))
	lab.Command(t, "start-apiserver", "milan")
	p.Unchanged()
	if now := strings.Join(configurations(t, lab), "\n"); strings.Contains(now, "terraform-provider-liqo") {
		t.Errorf("the network has been adopted without a change: %s", now)
	}
	p.Configure(acctest.Joining("s", "rome", "milan", "mtu = 1400"))
	acctest.Says(t, p.Run("apply", "-auto-approve"), "0 added, 1 changed, 0 destroyed")
	p.Unchanged()
	for _, one := range configurations(t, lab) {
		if !strings.Contains(one, "terraform-provider-liqo") {
			t.Errorf("the update has not adopted %s", one)
		}
	}
}

func TestAccALeafRemovedFromTheProviderBlockCanBeGivenUp(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	rome, milan := lab.Cluster(t, "rome").Kubeconfig, lab.Cluster(t, "milan").Kubeconfig
	p := lab.NewProject(t, t.TempDir())
	acctest.DestroyAtLast(p)
	write := func(milans, settings string) {
		p.Write("main.tf", acctest.Required+fmt.Sprintf(`
			provider "liqo" {
			  config_path = %q
			  clusters = {
			    rome = { config_path = %q }
			    %s
			  }
			}
			resource "liqo_shortcut" "rome_milan" {
			  client         = "rome"
			  server         = "milan"
			  server_gateway = { service_type = "NodePort" }
			  %s
			}`, rome, rome, milans, settings))
	}
	write(fmt.Sprintf("milan = { config_path = %q }", milan), "")
	p.Apply()
	write("", "")
	acctest.Says(t, p.Refused("destroy", "-auto-approve"), "Error: Unknown leaf milan")
	acctest.Says(t, p.Run("plan", "-detailed-exitcode"), "Warning: Unknown leaf milan")
	write("", "force_destroy = true")
	acctest.Says(t, p.Run("apply", "-auto-approve"), "Warning: Unknown leaf milan", "0 added, 1 changed, 0 destroyed")
	acctest.Says(
		t, p.Run("destroy", "-auto-approve"), "Warning: Only one leaf was cleaned", `Cluster "milan" (milan) is gone.`,
		"1 destroyed")
	// Only Milan still has objects. A new shortcut adopts them, and its destroy removes them.
	acctest.Apply(t, resource.TestStep{Config: lab.Between("milan", acctest.OverNodePort+"\nadopt_existing = true")})
}
