package acceptance

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
)

func TestAccAnotherNameForTheSameClusterIsNoReplacement(t *testing.T) {
	lab := borrowLab(t)
	named := func(client string) string {
		return fmt.Sprintf(`
			provider "liqo" {
			  config_path = %q
			  clusters    = { roma = { config_context = "rome" } }
			}
			resource "liqo_shortcut" "rome_milan" {
			  client         = %q
			  server         = "milan"
			  server_gateway = { service_type = "NodePort" }
			}`, lab.Kubeconfig, client)
	}
	apply(t,
		resource.TestStep{Config: named("rome"), ConfigStateChecks: []statecheck.StateCheck{expect("status", connected)}},
		resource.TestStep{Config: named("roma"), ConfigPlanChecks: inPlace()},
	)
}

func TestAccAnotherClusterIsAReplacement(t *testing.T) {
	lab := borrowTopology(t)
	between := func(server string) string {
		return lab.contexts(fmt.Sprintf(`
			resource "liqo_shortcut" "rome_milan" {
			  client         = "rome"
			  server         = %q
			  server_gateway = { service_type = "NodePort" }
			}`, server))
	}
	apply(t,
		resource.TestStep{Config: between("milan")},
		resource.TestStep{
			Config: between("europe"),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(romeMilan, plancheck.ResourceActionReplace),
			}},
			ConfigStateChecks: []statecheck.StateCheck{expect("status", connected)},
		},
	)
}

func TestAccAPlanFails(t *testing.T) {
	lab := borrowTopology(t)
	provider := fmt.Sprintf(
		"provider \"liqo\" {\n  config_path = %q\n  clusters = { roma = { config_context = \"rome\" } }\n}\n",
		lab.Kubeconfig,
	)
	for name, test := range map[string]struct{ config, message string }{
		"for a name that is neither a cluster nor a context": {
			provider + `resource "liqo_shortcut" "x" {
			  client = "rome"
			  server = "turin"
			}`,
			`(?s)Unknown leaf turin.*"roma".*"europe",\s+"milan",\s+"naples",\s+"rome",\s+"venice".*#leaf-unknown\s`,
		},
		"for one cluster under two names": {
			provider + `resource "liqo_shortcut" "x" {
			  client = "rome"
			  server = "roma"
			}`,
			`(?s)The same leaf twice.*both\s+refer\s+to\s+cluster\s+"rome".*#leaf-same-twice\s`,
		},
		"for a cluster without Liqo": {
			provider + `resource "liqo_shortcut" "x" {
			  client = "rome"
			  server = "venice"
			}`,
			`(?s)No Liqo in namespace "liqo" on leaf "venice".*Install Liqo.*#liqo-missing\s`,
		},
		"for a kubeconfig that does not exist": {
			`provider "liqo" { config_path = "/nowhere/kubeconfig" }
			resource "liqo_shortcut" "x" {
			  client = "rome"
			  server = "milan"
			}`,
			`(?si)kubeconfig\s+/nowhere/kubeconfig\s+can't\s+be\s+read`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			apply(t, resource.TestStep{Config: test.config, PlanOnly: true, ExpectError: regexp.MustCompile(test.message)})
		})
	}
}
