package runbooks

import (
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// checkWithData has data of its own, unlike the check of the page.
const checkWithData = `
	check "rome_milan" {` + acctest.DataRomeMilan + `
	  assert {
	    condition     = data.liqo_shortcut.rome_milan.status == "Connected"
	    error_message = "The shortcut is ${data.liqo_shortcut.rome_milan.status}."
	  }
	}`

func TestAccRunbookOfDriftTellsAChangedLeafFromABrokenTunnel(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	p := lab.StateIn(t, "drift", acctest.ShortcutRomeMilan)
	p.Apply()
	page := acctest.SectionOf(t, operations, "Drift")
	script := acctest.BlockOf(t, page, "shell")
	p.Write("check.tf", acctest.BlockOf(t, page, "terraform"))
	const drifted, failure = "A leaf differs from the configuration. An apply repairs it.", "The plan failed."
	p.Job(script, 0)

	lab.PatchInTenant(t, "rome", &networkingv1beta1.GatewayClient{}, `{"spec":{"mtu":1200}}`)
	acctest.Says(t, p.Job(script, 2), drifted)
	acctest.Says(t, p.Run("plan", "-refresh-only"), "Objects have changed outside of", "- mtu = 1340 -> null")
	acctest.Says(t, p.Run("apply", "-auto-approve"), acctest.InPlace)
	p.Job(script, 0)

	lab.Set(t, "milan", "connect=false")
	lab.GoesDown(t)
	acctest.Says(t, p.Job(script, 0), `Warning: The tunnel from "rome" to "milan" is down`,
		"Check block assertion failed", "The shortcut from Rome to Milan is Error.")
	lab.Set(t, "milan", "connect=true")
	lab.ComesUp(t)

	lab.Command(t, "stop-apiserver", "milan")
	acctest.Says(t, p.Job(script, 0), `Warning: The API server can't be reached on leaf "milan"`)
	lab.Command(t, "start-apiserver", "milan")

	p.Write("wrong.tf", `resource "liqo_shortcut" "without_leaves" {}`)
	acctest.Says(t, p.Job(script, 1), failure)
	p.Remove("wrong.tf")

	t.Log("A check with data is read again in each apply.")
	p.Write("check.tf", checkWithData)
	output := p.Job(script, 2)
	acctest.Says(t, output, "config will be reloaded to verify a check block", "0 to add, 0 to change, 0 to destroy")
	acctest.DoesNotSay(t, output, "Check block assertion failed")
}

func TestAccRunbookToLookWithoutRepairingSaysWhatIgnoreChangesDoes(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	lab.TakesTenantNamespaces(t)
	p := lab.StateIn(t, "look", acctest.ShortcutRomeMilan)
	p.Write("mtu_override.tf", `resource "liqo_shortcut" "rome_milan" { mtu = 1380 }`)
	p.Apply()
	p.Write("mtu_override.tf", `
		resource "liqo_shortcut" "rome_milan" {
		  mtu = 1300
		  lifecycle { ignore_changes = all }
		}`)
	p.Unchanged()
	const edit = `{"spec":{"mtu":1200}}`
	lab.PatchInTenant(t, "rome", &networkingv1beta1.GatewayClient{}, edit)
	acctest.Says(t, p.Job("terraform plan -detailed-exitcode", 2), "+ mtu = 1340")
	lab.PatchInTenant(t, "milan", &networkingv1beta1.GatewayServer{}, edit)
	p.Unchanged()

	t.Log("A gateway is missing, and nothing but an apply of the shortcut makes it again.")
	lab.DeleteFromTenant(t, "rome", &networkingv1beta1.GatewayClient{})
	acctest.Says(t, p.Job("terraform plan -detailed-exitcode", 2), "updated in-place", `"Disconnected" -> (known after`)
	for _, looks := range [][]string{{"plan", "-refresh-only"}, {"apply", "-refresh-only", "-auto-approve"}} {
		output := p.Run(looks...)
		acctest.Says(t, output, `"Connected" -> "Disconnected"`)
		acctest.DoesNotSay(t, output, "updated in-place")
	}
	p.Write("other.tf", `resource "terraform_data" "other" {}`)
	acctest.Says(t, p.Run("apply", "-auto-approve", "-target=terraform_data.other"), "1 added, 0 changed")
	watching := lab.StateIn(t, "watching", checkWithData)
	acctest.Says(t, watching.Job("terraform plan -detailed-exitcode", 2), "Check block assertion failed",
		"The shortcut is Disconnected.")
	acctest.Says(t, watching.Run("apply", "-auto-approve"), acctest.Nothing)
	acctest.Says(t, p.Run("apply", "-auto-approve"), acctest.InPlace)
	acctest.DoesNotSay(t, watching.Job("terraform plan -detailed-exitcode", 2), "Check block assertion failed")

	t.Log("A shortcut that is forgotten stays.")
	p.Remove("mtu_override.tf")
	p.Remove("other.tf")
	p.Forget(acctest.RomeMilan)
	acctest.DoesNotSay(t, watching.Job("terraform plan -detailed-exitcode", 2), "Check block assertion failed")
	p.Configure(acctest.ShortcutRomeMilan)
	p.Run("import", acctest.RomeMilan, "rome/milan") // for the destroy
}
