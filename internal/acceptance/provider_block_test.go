package acceptance

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
)

// listing returns a provider block with the lab's merged kubeconfig and these entries of `clusters`.
func (l *Lab) listing(entries string) string {
	return fmt.Sprintf(`
		provider "liqo" {
		  config_path = %q
		  clusters    = { %s }
		}
		`, l.Kubeconfig, entries)
}

// known returns a provider block with only these leaves. Each name has the attributes of its entry, without the
// kubeconfig.
func (l *Lab) known(entries map[string]string) string {
	var clusters strings.Builder
	for name, attributes := range entries {
		fmt.Fprintf(&clusters, "%q = { config_path = %q, %s }\n", name, l.Kubeconfig, attributes)
	}
	return required + fmt.Sprintf("provider \"liqo\" {\n  clusters = {\n%s}\n}\n", clusters.String())
}

// entry returns the entry of `clusters` that refers to a cluster.
func entry(context string) string { return fmt.Sprintf("config_context = %q", context) }

// required is the `required_providers` block of a provider that HashiCorp does not publish.
const required = `
	terraform {
	  required_providers {
	    liqo = { source = "leafmesh/liqo" }
	  }
	}
	`

func TestAccAnEmptyCredentialIsRejectedBeforeAndDuringTheApply(t *testing.T) {
	lab := borrowLab(t)
	refusal := message("Empty value", `…clusters["rome"].config_content is empty. Set a value, or remove the attribute.`)
	apply(t,
		resource.TestStep{
			Config: lab.listing(`rome = { config_content = "" }`) + shortcutRomeMilan, PlanOnly: true, ExpectError: refusal,
		},
		resource.TestStep{
			Config: `
				resource "terraform_data" "kubeconfig" {
				  input = ""
				}` + lab.listing(`rome = { config_content = terraform_data.kubeconfig.output }`) + shortcutRomeMilan,
			ExpectError: refusal,
		},
	)
}

func TestAccAnEntryWithoutCredentialsIsTheContextWithItsName(t *testing.T) {
	lab := borrowTopology(t)
	apply(t,
		resource.TestStep{
			Config: lab.listing(`
				rome  = { liqo_namespace = "liqo" }
				milan = {}`) + shortcutRomeMilan,
			ConfigStateChecks: []statecheck.StateCheck{
				expect("status", connected), expect("client_cluster_id", knownvalue.StringExact("rome")),
				expect("server_cluster_id", knownvalue.StringExact("milan")),
			},
		},
		resource.TestStep{
			Config: lab.listing(`turin = { liqo_namespace = "liqo" }`) + `
				data "liqo_cluster" "turin" {
				  name = "turin"
				}`,
			PlanOnly: true,
			ExpectError: message(`Credentials can't be used on leaf "turin"`,
				"…The entry \"turin\" of `clusters` does not say which cluster it is for. "+
					"By default it is for the context with its name, but kubeconfig … has no context \"turin\"; "+
					`it has "europe", "milan", "naples", "rome", "venice". Set`),
		},
	)
}
