package peerings

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// peered has the options of a lab in which Europe consumes resources of Rome and Milan, with peerings made by liqoctl.
var peered = []string{
	"--peer=europe=rome", "--peer=europe=milan",
	"--cluster=europe=10.200.0.0/16", "--cluster=rome=10.202.0.0/16", "--cluster=milan=10.203.0.0/16",
}

// shortcutOverPeering returns a shortcut over the network of Europe's peering with a leaf, with more attributes.
func shortcutOverPeering(l *acctest.Lab, leaf, more string) string {
	return l.Contexts(fmt.Sprintf(`
		resource "liqo_shortcut" "over_peering" {
		  client         = "europe"
		  server         = %q
		  server_gateway = { service_type = "NodePort" }
		  %s
		}`, leaf, more))
}

const overPeering = "liqo_shortcut.over_peering"

func TestAccPeeringsShowInTheTopologyNextToAShortcut(t *testing.T) {
	lab := acctest.Borrow(t, peered)
	acctest.Apply(t, resource.TestStep{
		Config: lab.Contexts(acctest.ShortcutRomeMilan + `
			data "liqo_topology" "all" {
			  depends_on = [liqo_shortcut.rome_milan]
			}
			data "liqo_shortcuts" "all" {
			  depends_on = [liqo_shortcut.rome_milan]
			}`),
		ConfigStateChecks: []statecheck.StateCheck{
			acctest.Shows("liqo_topology.all", acctest.Exactly(strings.Join([]string{
				`flowchart LR`,
				`  n0(("europe"))`,
				`  n1["milan"]`,
				`  n2["rome"]`,
				`  n0 -->|"peering"| n1`,
				`  n0 -->|"peering"| n2`,
				`  n2 ==>|"shortcut"| n1`,
				``,
			}, "\n")), "mermaid"),
			acctest.Shows("liqo_topology.all", acctest.Exactly("peering"), "edges", 0, "made_by"),
			acctest.Shows("liqo_topology.all", acctest.Connected, "edges", 0, "status"),
			acctest.Shows("liqo_topology.all", knownvalue.Bool(false), "edges", 0, "both_ways"),
			acctest.Shows("liqo_shortcuts.all", knownvalue.ListSizeExact(3), "shortcuts"),
			acctest.Shows("liqo_shortcuts.all", acctest.Exactly("peering"), "shortcuts", 0, "made_by"),
			acctest.Shows("liqo_shortcuts.all", knownvalue.Bool(true), "shortcuts", 2, "managed"),
		},
	})
}

func TestAccAShortcutOfTwoLeavesComesAndGoesAndThePeeringsStayAsTheyWere(t *testing.T) {
	lab := acctest.Borrow(t, peered)
	networks := lab.Networks(t)
	acctest.Apply(t, resource.TestStep{
		Config:            lab.Contexts(acctest.ShortcutRomeMilan),
		ConfigStateChecks: []statecheck.StateCheck{acctest.IsConnected},
	})
	lab.SameNetworks(t, networks)
}

func TestAccANetworkThatAPeeringUsesIsNotTakenOverUnasked(t *testing.T) {
	lab := acctest.Borrow(t, peered)
	networks := lab.Networks(t)
	acctest.Apply(t, resource.TestStep{
		Config: shortcutOverPeering(lab, "rome", ""),
		ExpectError: acctest.Message(`A network with "…" exists already on leaf "…"`, // whichever leaf is asked first
			`This provider did not make Configuration …, Gateway…, PublicKey …; the peering with "…" `+
				`(ForeignCluster …, role …) did.`,
			"Import that network, set `adopt_existing = true` to take it over, or end the peering first with "+
				"`liqoctl unpeer`."),
	})
	lab.SameNetworks(t, networks)
}

// refused returns the message about the peering of a leaf with another cluster, which has this role, when a destroy
// would remove its network.
func refused(other, role string) string {
	return fmt.Sprintf("This leaf needs the network for the peering with %q (ForeignCluster %s, role %s). Nothing "+
		"was removed. End the peering first with "+
		"`liqoctl unpeer`, or set `destroy_peering_network = true` and apply that before "+
		"the destroy. If it is the only peering of the two clusters, `liqoctl` also removes the network.",
		other, other, role)
}
