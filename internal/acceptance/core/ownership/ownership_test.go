package ownership

import (
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
	p := lab.StateIn(t, "slow", acctest.FromTo("rome_milan", "rome", "milan",
		`timeouts = { create = "`+acctest.Ample+`", update = "5m" }`))
	acctest.Says(t, p.Refused("apply", "-auto-approve"), "The load balancer gives no address",
		"The resource is tainted", "`terraform untaint`")
	gateway := lab.GatewayServer(t).UID
	lab.Set(t, "milan", "load-balancer=true")
	p.Shell(acctest.BlockOf(t, acctest.SectionOf(t, lives, "After a create that failed"), "shell"))
	p.Unchanged()
	if now := lab.GatewayServer(t).UID; now != gateway {
		t.Error("the gateway was replaced")
	}
}

func TestAccTheNextApplyContinuesAfterAKilledOne(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	lab.Set(t, "milan", "load-balancer=false")
	p := lab.StateIn(t, "killed", acctest.FromTo("s", "rome", "milan", ""))
	renewed := lab.Happens(t, "milan", &coordinationv1.LeaseList{}, watch.Modified,
		client.MatchingFields{"metadata.name": "terraform-provider-liqo.milan.rome"})
	running := p.Begin("apply", "-auto-approve")
	running.Until(renewed) // for the first time: the apply waits for an address
	acctest.Must(t, running.Signal(syscall.SIGKILL))
	_, _ = running.Wait()
	p.Unlock()
	gateway := lab.GatewayServer(t).UID
	p.Run("destroy", "-auto-approve") // the state is empty
	if now := lab.GatewayServer(t).UID; now != gateway {
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
	if now := lab.GatewayServer(t).UID; now != gateway {
		t.Error("the gateway was replaced")
	}
}

func TestAccANetworkMadeByLiqoctlIsImportedAndThenManaged(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	config := lab.Contexts(acctest.ShortcutRomeMilan)
	p := lab.Written(t, config)
	lab.JoinByHand(t, "rome", "milan")
	acctest.Explains(t, p.Refuses(config), `A network with "…" exists already on leaf "…"`,
		"liqoctl or another program did. To manage it here, import it, with the address of this resource after `to`:",
		`import { to = liqo_shortcut.rome_milan id = "rome/milan" }`)
	p.Run("import", acctest.RomeMilan, "rome/milan")
	acctest.Says(t, p.Again(), acctest.Nothing)
	p.IsConnected()
}

func TestAccANetworkInTheOppositeDirectionIsImportedAsItIsAndThenTurnedAround(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	p := lab.Written(t, lab.Contexts(acctest.FromTo("rome_milan", "milan", "rome", acctest.OverNodePort)))
	lab.JoinByHand(t, "milan", "rome")
	p.Run("import", acctest.RomeMilan, "milan/rome")
	p.Becomes(lab.Between("milan", acctest.OverNodePort), acctest.Replaced)
	p.IsConnected()
}
