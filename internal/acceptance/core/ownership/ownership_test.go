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

func TestAccACreateThatTimesOutSaysHowToContinueAndContinues(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	lab.Set(t, "milan", "load-balancer=false")
	config := func(timeout string) string {
		return fmt.Sprintf(`
			resource "liqo_shortcut" "rome_milan" {
			  client   = "rome"
			  server   = "milan"
			  timeouts = { create = %q, update = "5m" }
			}`, timeout)
	}
	p := lab.StateIn(t, "slow", config(acctest.Ample))
	acctest.Says(
		t, p.Refused("apply", "-auto-approve"), "The load balancer gives no address", "The resource is tainted",
		"`terraform untaint`")
	gateway := lab.GatewayServer(t)
	lab.Set(t, "milan", "load-balancer=true")
	p.Shell(acctest.BlockOf(t, acctest.SectionOf(t, lives, "After a create that failed"), "shell"))
	p.Unchanged()
	if now := lab.GatewayServer(t); now != gateway {
		t.Error("the gateway was replaced")
	}
}

func TestAccTheNextApplyContinuesAfterAKilledOne(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	lab.Set(t, "milan", "load-balancer=false")
	const config = `
		resource "liqo_shortcut" "s" {
		  client = "rome"
		  server = "milan"
		}`
	p := lab.StateIn(t, "killed", config)
	renewed := lab.Happens(t, "milan", &coordinationv1.LeaseList{}, watch.Modified,
		client.MatchingFields{"metadata.name": "terraform-provider-liqo.milan.rome"})
	running := p.Begin("apply", "-auto-approve")
	running.Until(renewed) // for the first time: the apply waits for an address
	acctest.Must(t, running.Signal(syscall.SIGKILL))
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
		`+ directory = "killed"`)
	lab.Set(t, "milan", "load-balancer=true")
	p.Set("TF_LOG_PROVIDER", "INFO")
	log := p.Run("apply", "-auto-approve")
	acctest.Says(t, log, "waiting for another operation on the pair") // until the Lease has expired
	p.Unchanged()
	if now := lab.GatewayServer(t); now != gateway {
		t.Error("the gateway was replaced")
	}
}
