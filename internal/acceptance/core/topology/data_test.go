package topology

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccDataSourcesShowANetworkThatSomeoneElseMadeAndThatItsLinkBreaks(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	lab.TakesTenantNamespaces(t)
	const views = `
		data "liqo_shortcut" "rome_milan" {
		  client = "rome"
		  server = "milan"
		}
		data "liqo_shortcuts" "all" {}
		data "liqo_topology" "all" { central = "europe" }`
	contains := func(parts ...string) knownvalue.Check {
		return knownvalue.StringFunc(func(text string) error {
			for _, part := range parts {
				if !strings.Contains(text, part) {
					return fmt.Errorf("%q is missing in:\n%s", part, text)
				}
			}
			return nil
		})
	}
	recent := knownvalue.StringFunc(func(text string) error {
		at, err := time.Parse(time.RFC3339, text)
		if err != nil || time.Since(at) > time.Hour || time.Until(at) > time.Minute {
			return fmt.Errorf("%s is not recent (%w)", text, err)
		}
		return nil
	})
	const one, all, topology = "liqo_shortcut.rome_milan", "liqo_shortcuts.all", "liqo_topology.all"
	address, latency := acctest.Exactly(lab.NodeAddress(t, "milan")), knownvalue.Float64Exact(1)
	acctest.Apply(t,
		resource.TestStep{
			PreConfig: lab.JoinByHand(t, "rome", "milan"),
			Config:    lab.Contexts(views),
			ConfigStateChecks: []statecheck.StateCheck{
				acctest.Shows(one, acctest.Connected, "status"),
				acctest.Shows(one, acctest.Exactly("other"), "made_by"),
				acctest.Shows(one, address, "server_endpoint", "addresses", 0),
				lab.AsLiqoSays(t, "data."+one, "rome", "milan"),
				acctest.Shows(one, latency, "client_end", "latency_ms"),
				acctest.Shows(one, recent, "client_end", "latency_measured_at"),
				acctest.Shows(one, contains("gw-milan-"), "client_end", "gateway_pods", 0, "name"),
				acctest.Shows(one, contains("gw-rome-"), "server_end", "gateway_pods", 0, "name"),
				acctest.Shows(one, knownvalue.NotNull(), "server_end", "gateway_pods", 0, "node"),

				acctest.Shows(all, knownvalue.ListSizeExact(1), "shortcuts"),
				acctest.Shows(all, acctest.Connected, "shortcuts", 0, "status"),
				acctest.Shows(all, latency, "shortcuts", 0, "latency_ms"),
				acctest.Shows(all, address, "shortcuts", 0, "server_endpoint", "addresses", 0),

				acctest.Shows(topology, knownvalue.ListSizeExact(5), "nodes"),
				acctest.Shows(topology, acctest.Exactly(lab.Cluster(t, "europe").LiqoVersion), "nodes", 0, "liqo_version"),
				acctest.Shows(topology, acctest.Exactly("Ready"), "nodes", 0, "status"),
				acctest.Shows(topology, acctest.Exactly("NoLiqo"), "nodes", 4, "status"),
				acctest.Shows(topology, knownvalue.ListSizeExact(1), "edges"),
				acctest.Shows(topology, latency, "edges", 0, "latency_ms"),
				acctest.Shows(topology, contains(`n3 ==>|"shortcut (not Terraform's)"| n1`), "mermaid"),
			},
		},
		resource.TestStep{
			PreConfig: func() {
				lab.Command(t, "set", "milan", "connect=false")
				t.Cleanup(func() { lab.Command(t, "set", "milan", "connect=true") })
				acctest.AwaitAny(t, lab, "rome", &networkingv1beta1.ConnectionList{}, acctest.Failed)
			},
			Config: lab.Contexts(views),
			ConfigStateChecks: []statecheck.StateCheck{
				acctest.Shows(one, acctest.Exactly("Error"), "status"),
				acctest.Shows(one, acctest.Exactly("Error"), "client_end", "status"),
				acctest.Shows(one, knownvalue.Null(), "client_end", "latency_ms"),
				acctest.Shows(topology, acctest.Exactly("Error"), "edges", 0, "status"),
				acctest.Shows(topology, knownvalue.Null(), "edges", 0, "latency_measured_at"),
				acctest.Shows(
					topology, contains(`n3 -.->|"✗ shortcut (not Terraform's): Error"| n1`, "linkStyle 0 stroke:red"),
					"mermaid"),
			},
		},
		resource.TestStep{
			PreConfig: func() { lab.Command(t, "set", "milan", "connect=true") },
			Config:    lab.Between("milan", acctest.OverNodePort), ResourceName: acctest.RomeMilan, ImportState: true,
			ImportStateId: "rome/milan", ImportStatePersist: true,
		},
	)
}
