package pair

import (
	"fmt"
	"slices"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccAShortcutWithANewAddressExistsAfterTheApply(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	for _, parallelism := range []string{"10", "2"} {
		t.Run("parallelism "+parallelism, func(t *testing.T) {
			lab.KeepsInventory(t)
			p := lab.StateIn(t, "renamed", acctest.Joining("before", "rome", "milan", ""))
			acctest.DestroyAtLast(p)
			p.Apply()
			p.Configure(acctest.Joining("after", "rome", "milan", ""))
			acctest.Says(t, p.Run("apply", "-auto-approve", "-parallelism="+parallelism), "1 added, 0 changed, 1 destroyed")
			p.Unchanged()
			lab.GatewayServer(t)
		})
	}
}

func TestAccAShortcutThatIsCreatedBeforeItIsDestroyedStays(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	lab.AdoptsTenantNamespaces(t)
	const first = "lifecycle { create_before_destroy = true }"
	p := lab.StateIn(t, "cbd", acctest.Joining("s", "rome", "milan", first))
	acctest.DestroyAtLast(p)
	p.Apply()
	networks := lab.Networks(t)
	acctest.Says(t, p.Refused("apply", "-auto-approve", "-replace=liqo_shortcut.s"), "exists already on leaf",
		"`create_before_destroy`")
	lab.SameNetworks(t, networks)
	p.Unchanged()

	gateway := lab.GatewayServer(t)
	p.Configure(acctest.Joining("s", "rome", "milan", "adopt_existing = true\n"+first))
	acctest.Says(t, p.Run("apply", "-auto-approve", "-replace=liqo_shortcut.s"), "1 added, 0 changed, 1 destroyed")
	p.Unchanged()
	if now := lab.GatewayServer(t); now != gateway {
		t.Error("the gateway was replaced")
	}
}

func TestAccAnAdoptionThatFailsGivesTheNetworkBack(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	lab.AdoptsTenantNamespaces(t)
	p := lab.StateIn(t, "adopting", acctest.Joining("s", "rome", "milan", `
		adopt_existing = true
		mtu            = 1400
		timeouts       = { create = "`+acctest.Ample+`" }`))
	acctest.DestroyAtLast(p)
	lab.JoinByHand(t, "rome", "milan")()
	configurations := func() (lines []string) { // with their labels and annotations
		for _, name := range []string{"rome", "milan"} {
			var list networkingv1beta1.ConfigurationList
			if err := lab.Client(t, name).List(t.Context(), &list); err != nil {
				t.Fatal(err)
			}
			for _, one := range list.Items {
				lines = append(lines, fmt.Sprintf("%s %s %s %v %v", name, one.Name, one.UID, one.Labels, one.Annotations))
			}
		}
		return lines
	}
	before := configurations()
	lab.Command(t, "set", "milan", "connect=false")
	t.Cleanup(func() { lab.Command(t, "set", "milan", "connect=true") })
	p.Refused("apply", "-auto-approve")
	if left := p.Resources(); left != "" {
		t.Errorf("the failed adoption is in the state: %s", left)
	}
	if now := configurations(); !slices.Equal(now, before) {
		t.Errorf("the Configurations have changed from\n%v\nto\n%v", before, now)
	}
	lab.Command(t, "set", "milan", "connect=true")
	p.Run("apply", "-auto-approve")
	p.Unchanged()
}

func TestAccAShortcutThatTerraformForgetsKeepsItsNetworkUntilItIsImportedAgain(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	lab.AdoptsTenantNamespaces(t)
	first, second := lab.StateIn(t, "first", acctest.Joining("s", "rome", "milan", "")), lab.StateIn(
		t, "second", acctest.Joining("s", "rome", "milan", ""),
	)
	acctest.DestroyAtLast(first, second)
	first.Apply()
	networks := lab.Networks(t)
	first.Configure(
		"provider \"liqo\" {}\nremoved {\n  from = liqo_shortcut.s\n  lifecycle {\n    destroy = false\n  }\n}",
	)
	first.Run("apply", "-auto-approve")
	acctest.Says(t, second.Refused("apply", "-auto-approve"), "exists already on leaf", "in folder first")
	second.Run("import", "liqo_shortcut.s", "rome/milan")
	second.Unchanged()
	lab.SameNetworks(t, networks)
}

func TestAccAWorkspaceHasItsOwnShortcuts(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	p := lab.StateIn(t, "workspaces", acctest.Joining("s", "rome", "milan", ""))
	acctest.DestroyAtLast(p)
	p.Apply()
	networks := lab.Networks(t)
	p.Run("workspace", "new", "staging")
	acctest.Says(t, p.Refused("apply", "-auto-approve"), "exists already on leaf",
		"in folder workspaces, workspace default")
	p.Run("destroy", "-auto-approve")
	p.Run("workspace", "select", "default")
	lab.SameNetworks(t, networks)
	p.Unchanged()
}

func TestAccACompleteShortcutStaysItsOwnersWithoutItsGateways(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	first := lab.StateIn(t, "first", acctest.Joining("s", "rome", "milan", ""))
	second := lab.StateIn(t, "second", acctest.Joining("s", "rome", "milan", ""))
	acctest.DestroyAtLast(first, second)
	first.Apply()
	for name, loses := range map[string]func(){
		"after liqoctl network disconnect": func() { lab.Liqoctl(t, "rome", "milan", "network", "disconnect") },
		"after both gateways were deleted": func() {
			lab.DeleteFromTenant(t, "rome", &networkingv1beta1.GatewayClient{})
			lab.DeleteFromTenant(t, "milan", &networkingv1beta1.GatewayServer{})
		},
	} {
		t.Log(name)
		loses()
		acctest.Says(t, second.Refused("apply", "-auto-approve"), "exists already on leaf",
			"in folder first, workspace default")
		if left := second.Resources(); left != "" {
			t.Errorf("the refused create is in the state: %s", left)
		}
		acctest.Says(t, first.Again(), "0 added, 1 changed, 0 destroyed")
	}
}

func TestAccAGatewayThatStillWaitsForItsAddressIsNobodyElses(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	t.Cleanup(func() { lab.Command(t, "set", "milan", "load-balancer=true") })
	lab.Command(t, "set", "milan", "load-balancer=false")
	first := lab.StateIn(t, "first", acctest.ServerOf(""))
	second := lab.StateIn(t, "second", acctest.ServerOf(`service_type = "NodePort"
		timeouts = { create = "20s" }`))
	acctest.DestroyAtLast(first, second)

	added := lab.Happens(t, "milan", &networkingv1beta1.GatewayServerList{}, watch.Added)
	waiting := first.Begin("apply", "-auto-approve")
	<-added
	t.Log("While the first one waits, the second one waits for it, and fails.")
	acctest.Says(t, second.Refused("apply", "-auto-approve"),
		`nother operation on the gateway for cluster "turin" has not ended`)
	if left := second.Resources(); left != "" {
		t.Errorf("the refused create is in the state: %s", left)
	}
	lab.Command(t, "set", "milan", "load-balancer=true")
	if output, err := waiting.Wait(); err != nil {
		t.Fatalf("the first apply: %v\n%s", err, output)
	}
	first.Unchanged()
}

func TestAccAResourceOfOneEndMovesBackToTheTenantNamespace(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	lab.Have(t, "milan", acctest.NamespaceNamed("shortcuts"))
	key := func(more string) string {
		return acctest.BothLeaves + `
			resource "liqo_public_key" "turin" {
			  cluster           = "milan"
			  remote_cluster_id = "turin"
			  public_key        = "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
			  ` + more + `
			}`
	}
	p := lab.StateIn(t, "moved", key(`namespace = "shortcuts"`))
	acctest.DestroyAtLast(p)
	p.Apply()
	p.Configure(key(""))
	acctest.Says(t, p.Again(), `namespace = "shortcuts" -> (known after apply) # forces replacement`,
		"1 added, 0 changed, 1 destroyed")
	acctest.Says(t, p.Run("state", "show", "liqo_public_key.turin"), `namespace = "liqo-tenant-turin"`)
}
