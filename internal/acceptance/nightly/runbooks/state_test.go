package runbooks

import (
	"strings"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccALostStateIsImportedWithTheConfiguration(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	lab.TakesTenantNamespaces(t)
	// The first block of the runbook has both. The shortcuts get a setting that is not the default.
	runbook := strings.ReplaceAll(acctest.SectionOf(t, runbooks, "Lost state"), "\n   ", "\n")
	imports, mesh, found := strings.Cut(acctest.BlockOf(t, runbook, "terraform"), "\nresource ")
	if !found || !strings.HasPrefix(imports, "import {") {
		t.Fatalf("the runbook begins with\n%s\n%s", imports, mesh)
	}
	mesh = "resource " + strings.Replace(mesh, "client = each", "mtu = 1400\n  client = each", 1)
	p := lab.StateIn(t, "network", mesh)
	p.Apply()
	networks := lab.Networks(t)
	p.Remove("terraform.tfstate*")
	acctest.Says(t, p.Refused("apply", "-auto-approve"), "exists already on leaf",
		"in directory network, workspace default")

	p.Configure(imports + mesh)
	acctest.Says(t, p.Run("plan"), "Plan: 3 to import, 0 to add, 0 to change, 0 to destroy.")
	acctest.Says(t, p.Run("apply", "-auto-approve"), "Warning: Another Terraform state may have this",
		"The import takes it over and changes nothing.", "3 imported, 0 added, 0 changed, 0 destroyed")
	p.Configure(mesh)
	p.Unchanged()
	lab.SameNetworks(t, networks)
}

func TestAccALostStateIsImportedWithoutTheConfiguration(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	lab.TakesTenantNamespaces(t)
	lost := lab.StateIn(t, "network", acctest.Joining("s", "rome", "milan", "mtu = 1400"))
	other := lab.StateIn(t, "other", acctest.Joining("s", "rome", "naples", ""))
	rescue := lab.StateIn(t, "rescue", "")
	lost.Apply()
	other.Apply()
	networks := lab.Networks(t)
	lost.Remove("terraform.tfstate*")

	runbook := acctest.SectionOf(t, runbooks, "Lost state")
	_, runbook, found := strings.Cut(runbook, "\nIf the configuration is lost, too")
	if !found {
		t.Fatal("the runbook does not say what to do without the configuration")
	}
	rescue.Configure("provider \"liqo\" {}\n" + acctest.BlockOf(t, runbook, "terraform"))
	acctest.Says(t, rescue.Run("apply", "-auto-approve"), `"rome/milan" = `, `"rome/naples" = `)
	output := rescue.Shell(acctest.BlockOf(t, runbook, "shell"))
	acctest.Says(t, output, "Warning: Another Terraform state may have this", "made by",
		"in directory network, workspace default", "1 to import, 0 to add, 0 to change, 0 to destroy",
		"1 imported, 0 added, 0 changed, 0 destroyed")
	acctest.DoesNotSay(t, output, "in directory other")
	rescue.Remove("import.tf")
	if all := rescue.Resources(); !strings.Contains(all, acctest.RomeMilan) || strings.Contains(all, "naples") {
		t.Errorf("the state has %s", all)
	}
	rescue.Unchanged()
	other.Unchanged()
	lab.SameNetworks(t, networks)

	acctest.Says(t, rescue.Run("destroy", "-auto-approve"), "1 destroyed")
	other.Unchanged()
}

func TestAccRunbookToMoveAShortcutToAnotherStateChangesNothing(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	lab.TakesTenantNamespaces(t)
	page := acctest.SectionOf(t, runbooks, "Move a shortcut to another state")
	blocks := acctest.BlocksOf(t, page, "terraform")
	former := lab.StateIn(t, "former", acctest.ShortcutRomeMilan)
	latter := lab.StateIn(t, "latter", acctest.ShortcutRomeMilan+"\n"+blocks[1])
	former.Apply()
	networks := lab.Networks(t)
	former.Configure(blocks[0])
	acctest.Says(t, former.Run("apply", "-auto-approve"), acctest.Nothing)
	former.HasNoState()
	const expected = "1 to import, 0 to add, 0 to change, 0 to destroy"
	if !strings.Contains(page, "`"+expected+"`") {
		t.Errorf("the page does not expect %q", expected)
	}
	acctest.Says(t, latter.Run("plan"), "Plan: "+expected)
	acctest.Says(t, latter.Run("apply", "-auto-approve"), "1 imported, 0 added, 0 changed, 0 destroyed")
	latter.Unchanged()
	lab.SameNetworks(t, networks)
}

// What is left after liqoctl are the tenant namespaces and ForeignClusters.
func TestAccRunbookToLeaveTheProviderKeepsNetworksThatLiqoctlRemoves(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	lab.TakesTenantNamespaces(t)
	others := lab.Networks(t)
	p := lab.StateIn(t, "leaving", acctest.ShortcutRomeMilan)
	p.Apply()
	networks := lab.Networks(t)
	p.Configure(acctest.BlockOf(t, acctest.SectionOf(t, runbooks, "Move a shortcut to another state"), "terraform"))
	acctest.Says(t, p.Run("apply", "-auto-approve"), acctest.Nothing)
	p.HasNoState()
	lab.SameNetworks(t, networks)

	var gone []<-chan struct{}
	for _, leaf := range []string{"rome", "milan"} {
		for _, kind := range []client.ObjectList{
			&networkingv1beta1.ConfigurationList{}, &networkingv1beta1.PublicKeyList{}, &networkingv1beta1.ConnectionList{},
		} {
			gone = append(gone, lab.Gone(t, leaf, kind))
		}
	}
	lab.Liqoctl(t, "rome", "milan", "network", "reset")
	for _, one := range gone {
		<-one
	}
	lab.SameNetworks(t, others)
}
