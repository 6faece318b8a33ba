package acceptance

import (
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
)

func TestAccRunbookOfDriftTellsAChangedLeafFromABrokenTunnel(t *testing.T) {
	lab := borrowLab(t)
	p := lab.stateIn(t, "drift", shortcutRomeMilan)
	destroyAtLast(p)
	p.apply()
	page := sectionOf(t, operation, "Drift")
	script := blockOf(t, page, "shell")
	p.write("check.tf", blockOf(t, page, "terraform"))
	const drifted, failure = "A leaf differs from the configuration. An apply repairs it.", "The plan failed."
	p.job(script, 0)

	lab.patchInTenant(t, "rome", &networkingv1beta1.GatewayClient{}, `{"spec":{"mtu":1200}}`)
	says(t, p.job(script, 2), drifted)
	says(t, p.run("plan", "-refresh-only"), "Objects have changed outside of", "- mtu = 1340 -> null")
	says(t, p.run("apply", "-auto-approve"), "0 added, 1 changed, 0 destroyed")
	p.job(script, 0)

	t.Cleanup(func() { lab.command(t, "set", "milan", "connect=true") })
	lab.command(t, "set", "milan", "connect=false")
	await(t, lab, "rome", &networkingv1beta1.ConnectionList{}, "gw-milan", failed)
	says(t, p.job(script, 0), `Warning: The tunnel from "rome" to "milan" is down`,
		"Check block assertion failed", "The shortcut from Rome to Milan is Error.")
	lab.command(t, "set", "milan", "connect=true")
	lab.comesUp(t)

	lab.command(t, "stop-apiserver", "milan")
	says(t, p.job(script, 0), `Warning: The API server can't be reached on leaf "milan"`)
	lab.command(t, "start-apiserver", "milan")

	p.write("wrong.tf", `resource "liqo_shortcut" "without_leaves" {}`)
	says(t, p.job(script, 1), failure)
	p.remove("wrong.tf")

	t.Log("A check with data is read again in each apply.")
	page = sectionOf(t, "templates/guides/many-leaves.md.tmpl", "See the whole topology")
	p.write("check.tf", blockOf(t, page, "terraform"))
	output := p.job(script, 2)
	says(t, output, "config will be reloaded to verify a check block", "0 to add, 0 to change, 0 to destroy")
	doesNotSay(t, output, "Check block assertion failed")
}
