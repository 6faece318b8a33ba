package acceptance

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
)

// from returns a shortcut to Milan from the leaf with this name.
func from(client string) string {
	return fmt.Sprintf(`
		resource "liqo_shortcut" "rome_milan" {
		  client         = %q
		  server         = "milan"
		  server_gateway = { service_type = "NodePort" }
		}`, client)
}

func TestAccALeafCanBeRenamed(t *testing.T) {
	lab := borrowLab(t)
	calls := func(rome string) string {
		return lab.known(map[string]string{rome: entry("rome"), "milan": entry("milan")})
	}
	writes := writesSince{lab: lab}
	apply(t,
		resource.TestStep{
			Config: calls("uno") + from("uno"), ConfigStateChecks: []statecheck.StateCheck{expect("status", connected)},
		},
		resource.TestStep{
			Config: calls("due") + from("uno"), PlanOnly: true,
			ExpectError: message("Unknown leaf uno", `…client = "uno" There is no leaf with the name "uno". `+
				`Cluster "rome", the client of this resource, has the name "due" now. `+
				"Set `client = \"due\"`. This changes nothing on any leaf."),
		},
		resource.TestStep{
			Config: calls("due") + from("due"),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(romeMilan, plancheck.ResourceActionUpdate),
				lab.requestsAre(func(counts map[string]int) { writes.before = counts }),
			}},
			ConfigStateChecks: []statecheck.StateCheck{
				expect("client", knownvalue.StringExact("due")), expect("id", knownvalue.StringExact("rome/milan")),
				expect("status", connected), writes.none(),
			},
		},
		resource.TestStep{ // a name that no cluster can confirm
			PreConfig: func() { lab.command(t, "stop-apiserver", "rome") },
			Config:    calls("tre") + from("tre"), ExpectError: message(`The API server can't be reached on leaf "tre"`),
		},
		resource.TestStep{
			PreConfig: func() { lab.command(t, "start-apiserver", "rome") },
			Config:    calls("tre") + from("tre"), ConfigPlanChecks: inPlace(),
		},
	)
}

// writesSince compares the number of writes to the clusters by users of the common kubeconfig with the number before.
type writesSince struct {
	lab    *Lab
	before map[string]int // as counted by [Lab.requests]
}

func (w *writesSince) none() statecheck.StateCheck {
	return stateCheck(func(ctx context.Context, _ statecheck.CheckStateRequest, resp *statecheck.CheckStateResponse) {
		now, err := w.lab.requests(ctx)
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
	})
}

func TestAccARecordedClusterIsFoundAlthoughItsNameRefersToAnother(t *testing.T) {
	lab := borrowTopology(t)
	before := lab.known(map[string]string{"uno": entry("rome"), "milan": entry("milan")})
	after := lab.known(map[string]string{"uno": entry("europe"), "due": entry("rome"), "milan": entry("milan")})
	apply(t,
		resource.TestStep{Config: before + from("uno")},
		resource.TestStep{
			Config: after + from("uno"), PlanOnly: true,
			ExpectError: message("Another cluster", `The name "uno" refers to cluster "europe" … That cluster has the name `+
				"\"due\" now. Nothing is changed. To keep the resource, set `client = \"due\"`. To move it to the other "+
				"cluster, destroy it first."),
		},
		resource.TestStep{
			Config: after + from("due"), ConfigPlanChecks: inPlace(),
			ConfigStateChecks: []statecheck.StateCheck{
				expect("status", connected), expect("client_cluster_id", knownvalue.StringExact("rome")),
			},
		},
		// The destroy at the end is with the former names.
		resource.TestStep{Config: before + from("uno"), ConfigPlanChecks: inPlace()},
	)
}

func TestAccALostLeafBlocksNothingElseAndIsGivenUpOnlyByForce(t *testing.T) {
	lab := borrowLab(t)
	otherAuthority := lab.credentials(t, "rome").ca
	lost := map[string]struct{ milan, says string }{
		"its name": {"", "Unknown leaf milan"},
		"its Liqo": {entry("milan") + `, liqo_namespace = "default"`, `No Liqo in namespace "default" on leaf "milan"`},
		"its address": {
			entry("milan") + fmt.Sprintf(`, cluster_ca_certificate = %q`, otherAuthority),
			`The API server's certificate is not trusted on leaf "milan"`,
		},
	}
	for name, test := range lost {
		t.Run(name, func(t *testing.T) {
			lab.keepsInventory(t)
			entries := map[string]string{"rome": entry("rome"), "milan": test.milan}
			if test.milan == "" {
				delete(entries, "milan")
			}
			p := lab.newProject(t, t.TempDir())
			p.set("KUBECONFIG", "/dev/null")
			p.write("main.tf", lab.contexts(shortcutRomeMilan))
			p.apply()
			state := p.run("state", "show", romeMilan)

			const somethingElse = `
				resource "terraform_data" "something_else" {
				}`
			p.write("main.tf", lab.known(entries)+shortcutRomeMilan+somethingElse)
			says(t, p.run("apply", "-auto-approve"), "Warning: "+test.says,
				"The shortcut could not be refreshed. Its state stays unchanged.",
				"1 added, 0 changed, 0 destroyed")
			if after := p.run("state", "show", romeMilan); after != state {
				t.Errorf("the state has changed from:\n%s\nto:\n%s", state, after)
			}
			says(
				t, p.refused("destroy", "-auto-approve"), "Error: "+test.says,
				"If this leaf is gone for good, apply `force_destroy = true`, then destroy",
			)

			forced := strings.Replace(shortcutRomeMilan, overNodePort, overNodePort+"\nforce_destroy = true", 1)
			p.write("main.tf", lab.known(entries)+forced)
			says(t, p.run("apply", "-auto-approve"), "1 changed")
			says(
				t, p.run("destroy", "-auto-approve"), "Warning: Only one leaf was cleaned", `Cluster "milan" (milan) is gone.`,
				"1 destroyed",
			)

			// Only Milan still has objects, of the state that has given it up. A new shortcut adopts them, and its destroy
			// removes them.
			apply(t, resource.TestStep{Config: lab.between("milan", overNodePort+"\nadopt_existing = true")})
		})
	}
}
