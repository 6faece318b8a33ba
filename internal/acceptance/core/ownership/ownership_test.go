package ownership

import (
	"fmt"
	"syscall"
	"testing"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestMain(m *testing.M) { acctest.Main(m) }

// The page that says what Terraform does to a shortcut.
const lives = "templates/guides/lifecycle.md.tmpl"

// joining returns a shortcut over a NodePort with this address and more attributes, in namespaces that stay.
func joining(name, client, server, more string) string {
	return acctest.Joining(name, client, server, acctest.InDefault+"\n"+more)
}

func TestAccAShortcutIsReplacedOnDemand(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	p := lab.StateIn(t, "one", joining("s", "rome", "milan", "")+`
		resource "terraform_data" "trigger" { input = 1 }`)
	acctest.DestroyAtLast(p)
	p.Apply()
	gateway := lab.GatewayServer(t)
	p.Run("apply", "-auto-approve", "-replace=liqo_shortcut.s")
	p.Unchanged()
	if now := lab.GatewayServer(t); now == gateway {
		t.Error("the gateway was not replaced")
	}

	triggered := joining("s", "rome", "milan", `
		lifecycle { replace_triggered_by = [terraform_data.trigger] }`)
	p.Configure(triggered + `
		resource "terraform_data" "trigger" { input = 2 }`)
	acctest.Says(t, p.Run("apply", "-auto-approve"), "1 added, 1 changed, 1 destroyed")
	p.Unchanged()
}

func TestAccAShortcutOfAnotherStateIsNeitherTakenOverNorRemoved(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	for name, config := range map[string]string{
		"in the same direction":     joining("s", "rome", "milan", ""),
		"in the opposite direction": joining("s", "milan", "rome", ""),
	} {
		t.Run(name, func(t *testing.T) {
			lab.KeepsInventory(t)
			first := lab.StateIn(t, "first", joining("s", "rome", "milan", ""))
			second := lab.StateIn(t, "second", config)
			acctest.DestroyAtLast(first, second)
			first.Apply()
			networks := lab.Networks(t)
			for range 2 { // the second try has the same result
				acctest.Says(t, second.Refused("apply", "-auto-approve"), "A shortcut with", "exists already on leaf",
					"Another liqo_shortcut owns it, made by",
					"in folder first, workspace default")
				if left := second.Resources(); left != "" {
					t.Errorf("the refused create is in the state: %s", left)
				}
			}
			second.Run("destroy", "-auto-approve")
			lab.SameNetworks(t, networks)
			first.Unchanged()
		})
	}
}

func TestAccAnotherStateTakesAShortcutOverIfItAdopts(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	for name, namespaces := range map[string]string{
		"in the tenant namespaces": "", "in namespaces of one's own": acctest.InDefault,
	} {
		t.Run(name, func(t *testing.T) {
			lab.KeepsInventory(t)
			first := lab.StateIn(t, "first", acctest.Joining("s", "rome", "milan", namespaces))
			second := lab.StateIn(t, "second", acctest.Joining("s", "rome", "milan", namespaces+"\nadopt_existing = true"))
			acctest.DestroyAtLast(first, second)
			first.Apply()
			gateway := lab.GatewayServer(t)
			second.Apply()
			if now := lab.GatewayServer(t); now != gateway {
				t.Error("the gateway was replaced")
			}
			networks := lab.Networks(t)
			acctest.Says(t, first.Run("plan"), "The shortcut has another owner now", "1 to add", "A shortcut with",
				"exists already")
			first.Run("destroy", "-auto-approve")
			lab.SameNetworks(t, networks)
			second.Unchanged()
		})
	}
}

func TestAccAShortcutThatMovesKeepsItsNetwork(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	p := lab.StateIn(t, "moved", joining("before", "rome", "milan", ""))
	acctest.DestroyAtLast(p)
	p.Apply()
	networks := lab.Networks(t)
	p.Configure(
		joining("after", "rome", "milan", "") + "\nmoved {\n  from = liqo_shortcut.before\n  to = " +
			"liqo_shortcut.after\n}",
	)
	acctest.Says(t, p.Run("apply", "-auto-approve"), "0 added, 0 changed, 0 destroyed")
	lab.SameNetworks(t, networks)
}

func TestAccACreateThatTimesOutSaysHowToContinueAndContinues(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	lab.Command(t, "set", "milan", "load-balancer=false")
	t.Cleanup(func() { lab.Command(t, "set", "milan", "load-balancer=true") })
	config := func(timeout string) string {
		return fmt.Sprintf(`
			resource "liqo_shortcut" "rome_milan" {
			  client   = "rome"
			  server   = "milan"
			  timeouts = { create = %q, update = "5m" }
			}`, timeout)
	}
	p := lab.StateIn(t, "slow", config(acctest.Ample))
	acctest.DestroyAtLast(p)
	acctest.Says(
		t, p.Refused("apply", "-auto-approve"), "The load balancer gives no address", "The resource is tainted",
		"`terraform untaint`")
	gateway := lab.GatewayServer(t)
	lab.Command(t, "set", "milan", "load-balancer=true")
	p.Shell(acctest.BlockOf(t, acctest.SectionOf(t, lives, "After a create that failed"), "shell"))
	p.Unchanged()
	if now := lab.GatewayServer(t); now != gateway {
		t.Error("the gateway was replaced")
	}
}

func TestAccTheNextApplyContinuesAfterAKilledOne(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	lab.Command(t, "set", "milan", "load-balancer=false")
	t.Cleanup(func() { lab.Command(t, "set", "milan", "load-balancer=true") })
	const config = `
		resource "liqo_shortcut" "s" {
		  client = "rome"
		  server = "milan"
		}`
	p := lab.StateIn(t, "killed", config)
	acctest.DestroyAtLast(p)
	renewed := lab.Happens(t, "milan", &coordinationv1.LeaseList{}, watch.Modified,
		client.MatchingFields{"metadata.name": "terraform-provider-liqo.milan.rome"})
	running := p.Begin("apply", "-auto-approve")
	running.Until(renewed) // for the first time: all writes have been answered, and the apply waits for an address
	if err := running.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_, _ = running.Wait()
	p.Unlock()
	gateway := lab.GatewayServer(t)
	p.Run("destroy", "-auto-approve") // the state is empty
	if now := lab.GatewayServer(t); now != gateway {
		t.Fatal("the destroy of an empty state has changed something")
	}
	looking := lab.StateIn(t, "looking",
		acctest.BlockOf(t, acctest.SectionOf(t, lives, "After an apply that was killed"), "terraform"))
	acctest.Says(t, looking.Run("apply", "-auto-approve"), `+ client = "rome"`, "+ complete = false",
		`+ folder = "killed"`)
	lab.Command(t, "set", "milan", "load-balancer=true")
	p.Set("TF_LOG_PROVIDER", "INFO")
	log := p.Run("apply", "-auto-approve")
	acctest.Says(t, log, `step="wait for other operations on the pair"`)
	acctest.DoesNotSay(t, log, "waiting for another operation on the pair")
	p.Unchanged()
	if now := lab.GatewayServer(t); now != gateway {
		t.Error("the gateway was replaced")
	}
}

func TestAccAGatewayWhoseCreateFailedBelongsToTheStateThatHasIt(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	t.Cleanup(func() { lab.Command(t, "set", "milan", "load-balancer=true") })
	lab.Command(t, "set", "milan", "load-balancer=false")
	first := lab.StateIn(t, "first", acctest.ServerOf(`timeouts = { create = "10s", update = "5m" }`))
	second := lab.StateIn(t, "second", acctest.ServerOf(`service_type = "NodePort"`))
	acctest.DestroyAtLast(first, second)
	acctest.Says(t, first.Refused("apply", "-auto-approve"), "The load balancer gives no address",
		"set `service_type = \"NodePort\"` in the `liqo_gateway_server`", "The resource is tainted")
	gateway := lab.GatewayServer(t)
	acctest.Says(t, second.Refused("apply", "-auto-approve"), "exists already on leaf",
		"in folder first, workspace default")
	if left := second.Resources(); left != "" {
		t.Errorf("the refused create is in the state: %s", left)
	}
	lab.Command(t, "set", "milan", "load-balancer=true")
	first.Run("untaint", "liqo_gateway_server.turin")
	first.Again()
	if now := lab.GatewayServer(t); now != gateway {
		t.Error("the gateway was replaced")
	}
	first.Run("taint", "liqo_gateway_server.turin")
	acctest.Says(t, first.Again(), "1 added, 0 changed, 1 destroyed")
}
