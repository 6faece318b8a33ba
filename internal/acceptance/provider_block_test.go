//go:build acceptance

package acceptance

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
)

// listing is a provider block on the lab's merged kubeconfig with these entries of `clusters`.
func listing(entries string) string {
	return fmt.Sprintf(`
		provider "liqo" {
		  config_path = %q
		  clusters    = { %s }
		}
		`, lab.Kubeconfig, entries)
}

func TestAnEmptyCredentialIsRefusedWhetherItIsKnownBeforeTheApplyOrNot(t *testing.T) {
	refusal := message("Empty value", `…clusters["rome"].config_content is empty. Give it a value, or leave it out.`)
	apply(t,
		resource.TestStep{Config: listing(`rome = { config_content = "" }`) + shortcutRomeMilan, PlanOnly: true, ExpectError: refusal},
		resource.TestStep{
			Config: `
				resource "terraform_data" "kubeconfig" {
				  input = ""
				}` + listing(`rome = { config_content = terraform_data.kubeconfig.output }`) + shortcutRomeMilan,
			ExpectError: refusal,
		},
	)
}

func TestAnEntryWithoutCredentialsIsTheContextOfItsOwnName(t *testing.T) {
	apply(t,
		resource.TestStep{
			Config: listing(`
				rome  = { liqo_namespace = "liqo" }
				milan = {}`) + shortcutRomeMilan,
			ConfigStateChecks: []statecheck.StateCheck{
				expect("status", connected), expect("client_cluster_id", knownvalue.StringExact("rome")),
				expect("server_cluster_id", knownvalue.StringExact("milan")),
			},
		},
		resource.TestStep{
			Config: listing(`turin = { liqo_namespace = "liqo" }`) + `
				data "liqo_cluster" "turin" {
				  name = "turin"
				}`,
			PlanOnly: true,
			ExpectError: message(`The cluster can't be read`,
				"…The entry \"turin\" of `clusters` does not say which cluster it is for. So it stands for the context of its own name, and kubeconfig … has no "+
					`context "turin"; it has "europe", "milan", "naples", "rome", "venice". Give the entry`),
		},
	)
}
