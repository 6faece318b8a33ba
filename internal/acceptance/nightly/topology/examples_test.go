package topology

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccExamplesOfDataSourcesAndFunctionsAreAppliedWithAProviderBlock(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	dataSources, err := filepath.Glob(acctest.Root + "/examples/data-sources/*")
	functions, err2 := filepath.Glob(acctest.Root + "/examples/functions/*")
	acctest.Must(t, errors.Join(err, err2))
	for _, folder := range append(dataSources, functions...) {
		name := strings.TrimPrefix(folder, acctest.Root+"/examples/")
		t.Run(name, func(t *testing.T) {
			p := lab.Example(t, name)
			p.Write("provider.tf", acctest.TextOf(t, "examples/provider/provider.tf"))
			p.Run("init")
			p.Run("apply", "-auto-approve")
		})
	}
}

func TestAccExamplesOfCredentialsReachTheLeaves(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	leaves := lab.ReachedAsAdministrator(t, "rome", "milan")
	rome := leaves["rome"]
	for name, prepare := range map[string]func(*acctest.Project){
		"provider":          func(*acctest.Project) {},
		"credentials/files": func(*acctest.Project) {},
		"credentials/token": func(p *acctest.Project) {
			p.SetJSON("TF_VAR_leaves", leaves)
		},
		"credentials/exec": func(p *acctest.Project) {
			p.SetJSON("TF_VAR_rome", map[string]string{"host": rome.Host, "cluster_ca_certificate": rome.ClusterCACertificate})
			p.WithProgram("aws", fmt.Sprintf("#!/bin/sh\n"+
				`[ "$AWS_PROFILE $*" = "rome eks get-token --cluster-name rome --output json" ] || exit 1`+"\n"+
				`echo '{"apiVersion":"client.authentication.k8s.io/v1beta1","kind":"ExecCredential",`+
				`"status":{"token":"%s"}}'`+"\n", rome.Token))
		},
	} {
		t.Run(name, func(t *testing.T) {
			lab.KeepsInventory(t)
			p := lab.Example(t, name)
			prepare(p)
			p.Write("shortcut.tf", acctest.ShortcutRomeMilan)
			p.Apply()
			p.IsConnected()
			if strings.Contains(p.Read("terraform.tfstate"), rome.Token) {
				t.Error("the token is in the state")
			}
		})
	}
}

func TestAccTheExampleOfEverySettingOfTheGateways(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	for _, leaf := range []string{"rome", "milan"} {
		lab.Have(t, leaf, acctest.NamespaceNamed("shortcuts"))
		lab.Have(t, leaf, acctest.WireguardKeys(t, "shortcuts", "gateway-keys"))
	}
	p := lab.Example(t, "gateways")
	p.Set("TF_VAR_router", lab.NodeAddress(t, "europe"))
	p.Apply()
	acctest.Says(t, p.Run("state", "show", acctest.RomeMilan), `status = "Connected"`,
		`addresses = [ "203.0.113.10", ]`, `port = 51850`)
	acctest.Says(t, p.Run("state", "show", "liqo_shortcut.rome_europe"), `status = "Connected"`)
}

func TestAccTheExampleOfAnImportTakesOverANetworkMadeByLiqoctl(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	lab.TakesTenantNamespaces(t)
	p := lab.Example(t, "import")
	lab.JoinByHand(t, "rome", "milan")
	p.Run("init")
	acctest.Says(t, p.Run("apply", "-auto-approve"), "1 imported, 0 added, 0 changed, 0 destroyed")
	p.Unchanged()
}

func TestAccTheExampleOfAReplacedClusterNeedsOneApply(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	left := lab.Written(t, lab.Between("milan", acctest.OverNodePort)+acctest.ImportRomeMilan)
	p := lab.Example(t, "replaced-cluster")
	acctest.Must(t, os.Mkdir(p.Dir+"/cluster", 0o700))
	p.Write("cluster/main.tf", `
		resource "terraform_data" "cluster" {
		  triggers_replace = file("${path.module}/name")
		  input            = file("${path.module}/name")
		}
		output "id" {
		  value = terraform_data.cluster.id
		}
		output "kubeconfig" {
		  value     = file(pathexpand("~/.kube/${terraform_data.cluster.output}.yaml"))
		  sensitive = true
		}`)
	p.Write("cluster/name", "milan")
	p.Apply()
	p.Write("cluster/name", "naples") // which has the name Milan for the provider
	replaced := p.Again()
	acctest.Says(t, replaced, "Warning: The plan has not looked at a leaf", `The credentials of "milan" are known only`,
		"liqo_shortcut.rome_milan will be replaced due to changes in replace_triggered_by",
		"Warning: Only one leaf was cleaned", "2 added, 1 changed, 2 destroyed")
	acctest.Says(t, p.Run("state", "show", acctest.RomeMilan), `id = "rome/naples"`, `status = "Connected"`)
	left.Run("apply", "-auto-approve") // takes over what is left on the cluster that was replaced, and is not gone here
}

func TestAccTheExampleOfAPictureIsWrittenToAFile(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	joined := lab.Example(t, "first-shortcut")
	joined.Apply()
	p := lab.Example(t, "picture")
	p.Apply()
	acctest.Says(t, p.Run("output", "-raw", "mermaid"), "flowchart LR", "rome", "==>", "milan")
}

func TestAccTheExampleOfATestSucceedsAndLeavesNothingBehind(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	p := lab.Example(t, "test")
	p.Run("init")
	acctest.Says(t, p.Run("test"), "3 passed, 0 failed")
}

func TestAccTheExampleOfACheckWarnsOfABrokenTunnel(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	p := lab.Example(t, "checks")
	p.Run("init")
	acctest.DoesNotSay(t, p.Run("apply", "-auto-approve"), "Check block assertion failed")
	lab.Set(t, "naples", "connect=false")
	acctest.Await(t, lab, "rome", &networkingv1beta1.ConnectionList{}, "gw-naples", acctest.Failed)
	acctest.Says(t, p.Run("plan"), "Check block assertion failed", "The shortcut from Rome to Naples is Error.")
}

func TestAccTheExampleOfWhatMayCross(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	p := lab.Example(t, "allowed-traffic")
	p.Apply()
	acctest.Says(t, p.Run("state", "show", "-no-color", acctest.RomeMilan), `status = "Connected"`, `end_port = 8080`)
}

func TestAccTheExampleOfAHubKeepsTheStateInEurope(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	lab.Have(t, "europe", acctest.NamespaceNamed("terraform"))
	state := acctest.Named(&corev1.Secret{}, "terraform", "tfstate-default-liqo")
	europe := lab.Client(t, "europe")
	// Terraform keeps the Secret when the state is empty.
	acctest.Finally(t, func() error { return europe.Delete(context.WithoutCancel(t.Context()), state) })
	p := lab.Example(t, "backend")
	p.Apply()
	acctest.Says(t, p.Run("output"), `"europe-milan" = "Connected"`, `"europe-rome" = "Connected"`,
		`"rome-milan" = "Connected"`)

	acctest.Must(t, europe.Get(t.Context(), client.ObjectKeyFromObject(state), state))
	if state.Labels["app.kubernetes.io/managed-by"] != "terraform" || len(state.Data["tfstate"]) == 0 {
		t.Errorf("the Secret has labels %v but no Terraform state", state.Labels)
	}
}

// What the page of the list resource says, with its own query. Package protocol has other filters.
func TestAccANetworkMadeByLiqoctlIsFoundByAQueryAndThenGenerated(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	lab.TakesTenantNamespaces(t)
	p := lab.NewProject(t, t.TempDir()).OnTerraform114()
	acctest.DestroyAtLast(p)
	p.Write("main.tf", lab.Contexts(""))
	page := acctest.SectionOf(t, "templates/list-resources/shortcut.md", "Example Usage")
	p.Write("fleet.tfquery.hcl", acctest.BlockOf(t, page, "text"))
	p.Run("init")
	lab.JoinByHand(t, "rome", "milan")

	acctest.Says(t, p.Run("query", "-json"), `"display_name":"rome → milan"`)
	p.Run("query", "-generate-config-out=shortcuts.tf")
	acctest.Says(t, p.Run("apply", "-auto-approve"), "1 imported, 0 added, 0 changed, 0 destroyed")
	p.Unchanged()
}

// Older versions of Terraform have no queries.
func TestAccANetworkMadeByLiqoctlIsGeneratedFromTheExampleOfADataSource(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	lab.TakesTenantNamespaces(t)
	page := acctest.SectionOf(t, "templates/guides/from-liqoctl.md.tmpl", "Import many networks")
	p := lab.Written(t, lab.Contexts(acctest.BlockOf(t, page, "terraform")))
	lab.JoinByHand(t, "rome", "milan")
	acctest.Says(t, p.Shell(acctest.BlockOf(t, page, "shell")), "1 imported, 0 added, 0 changed, 0 destroyed")
	p.IsConnected()
	p.Unchanged()
}
