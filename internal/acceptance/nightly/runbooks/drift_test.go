package runbooks

import (
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccRunbookOfDriftTellsAChangedLeafFromABrokenTunnel(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	p := lab.StateIn(t, "drift", acctest.ShortcutRomeMilan)
	acctest.DestroyAtLast(p)
	p.Apply()
	page := acctest.SectionOf(t, operation, "Drift")
	script := acctest.BlockOf(t, page, "shell")
	p.Write("check.tf", acctest.BlockOf(t, page, "terraform"))
	const drifted, failure = "A leaf differs from the configuration. An apply repairs it.", "The plan failed."
	p.Job(script, 0)

	lab.PatchInTenant(t, "rome", &networkingv1beta1.GatewayClient{}, `{"spec":{"mtu":1200}}`)
	acctest.Says(t, p.Job(script, 2), drifted)
	acctest.Says(t, p.Run("plan", "-refresh-only"), "Objects have changed outside of", "- mtu = 1340 -> null")
	acctest.Says(t, p.Run("apply", "-auto-approve"), "0 added, 1 changed, 0 destroyed")
	p.Job(script, 0)

	t.Cleanup(func() { lab.Command(t, "set", "milan", "connect=true") })
	lab.Command(t, "set", "milan", "connect=false")
	acctest.Await(t, lab, "rome", &networkingv1beta1.ConnectionList{}, "gw-milan", acctest.Failed)
	acctest.Says(t, p.Job(script, 0), `Warning: The tunnel from "rome" to "milan" is down`,
		"Check block assertion failed", "The shortcut from Rome to Milan is Error.")
	lab.Command(t, "set", "milan", "connect=true")
	lab.ComesUp(t)

	lab.Command(t, "stop-apiserver", "milan")
	acctest.Says(t, p.Job(script, 0), `Warning: The API server can't be reached on leaf "milan"`)
	lab.Command(t, "start-apiserver", "milan")

	p.Write("wrong.tf", `resource "liqo_shortcut" "without_leaves" {}`)
	acctest.Says(t, p.Job(script, 1), failure)
	p.Remove("wrong.tf")

	t.Log("A check with data is read again in each apply.")
	page = acctest.SectionOf(t, "templates/guides/many-leaves.md.tmpl", "See the whole topology")
	p.Write("check.tf", acctest.BlockOf(t, page, "terraform"))
	output := p.Job(script, 2)
	acctest.Says(t, output, "config will be reloaded to verify a check block", "0 to add, 0 to change, 0 to destroy")
	acctest.DoesNotSay(t, output, "Check block assertion failed")
}
