package topology

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// views are data sources that show a network between Rome and Milan in every way. After is their `depends_on`; it may
// be empty.
func views(after string) string {
	return fmt.Sprintf(`
		data "liqo_shortcut" "rome_milan" {
		  client = "rome"
		  server = "milan"
		  %[1]s
		}
		data "liqo_shortcut" "milan_rome" {
		  client = "milan"
		  server = "rome"
		  %[1]s
		}
		data "liqo_shortcut" "rome_naples" {
		  client = "rome"
		  server = "naples"
		  %[1]s
		}
		data "liqo_shortcuts" "all" {
		  %[1]s
		}
		data "liqo_topology" "all" {
		  central = "europe"
		  %[1]s
		}`, after)
}

// fleetViews are topologies with groups, as a summary, and of one cluster.
const fleetViews = `
	data "liqo_topology" "summary" {
	  central   = "europe"
	  groups    = { rome = "South", "na*" = "South", "m*" = "North" }
	  max_edges = 0
	}
	data "liqo_topology" "rome" {
	  edges_of      = ["rome"]
	  problems_only = false
	}`

// contains checks that a text contains all of these parts.
func contains(parts ...string) knownvalue.Check {
	return knownvalue.StringFunc(func(text string) error {
		for _, part := range parts {
			if !strings.Contains(text, part) {
				return fmt.Errorf("%q is missing in:\n%s", part, text)
			}
		}
		return nil
	})
}

// recent checks that a time is in the last few minutes.
func recent() knownvalue.Check {
	return knownvalue.StringFunc(func(text string) error {
		at, err := time.Parse(time.RFC3339, text)
		if err != nil || time.Since(at) > time.Hour || time.Until(at) > time.Minute {
			return fmt.Errorf("%s is not recent (%w)", text, err)
		}
		return nil
	})
}

func TestAccDataSourcesShowANetworkWhoeverMadeIt(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	const one, reversed, none, all, topology = "liqo_shortcut.rome_milan", "liqo_shortcut.milan_rome",
		"liqo_shortcut.rome_naples", "liqo_shortcuts.all",
		"liqo_topology.all"
	address, yes, no, null := acctest.Exactly(lab.NodeAddress(t, "milan")), knownvalue.Bool(true), knownvalue.Bool(false),
		knownvalue.Null()
	const ours = `
		resource "liqo_shortcut" "rome_milan" {
		  client         = "rome"
		  server         = "milan"
		  server_gateway = { service_type = "NodePort" }
		  adopt_existing = true
		}`
	acctest.Apply(t,
		resource.TestStep{
			PreConfig: lab.JoinByHand(t, "rome", "milan"),
			Config:    lab.Contexts(views("") + fleetViews),
			ConfigStateChecks: []statecheck.StateCheck{
				acctest.Shows(
					one,
					acctest.Connected,
					"status",
				), acctest.Shows(one, acctest.Exactly("rome/milan"), "id"), acctest.Shows(one, acctest.Exactly("other"), "made_by"),
				acctest.Shows(one, no, "reversed"),
				acctest.Shows(one, acctest.Exactly("liqo-tenant-milan"), "client_namespace"),
				acctest.Shows(one, acctest.Exactly("liqo-tenant-rome"), "server_namespace"),
				acctest.Shows(one, knownvalue.Int32Exact(1340),
					"mtu"), acctest.Shows(one, address, "server_endpoint", "addresses", 0),
				lab.AsLiqoSays(t, "data."+one, "rome", "milan"),
				acctest.Shows(one, acctest.Connected, "client_end",
					"status"), acctest.Shows(one, acctest.Connected, "server_end", "status"),
				acctest.Shows(one, knownvalue.Float64Exact(1), "client_end", "latency_ms"),
				acctest.Shows(one, recent(), "client_end", "latency_measured_at"),
				acctest.Shows(one, contains("gw-milan-"), "client_end", "gateway_pods", 0, "name"),
				acctest.Shows(one, contains("gw-rome-"), "server_end", "gateway_pods", 0, "name"),
				acctest.Shows(one, knownvalue.NotNull(), "server_end", "gateway_pods", 0, "node"),

				acctest.Shows(reversed, acctest.Connected, "status"), acctest.Shows(reversed, yes, "reversed"),
				acctest.Shows(reversed, acctest.Exactly("milan"), "client_cluster_id"),
				acctest.Shows(reversed, address, "server_endpoint", "addresses",
					0), lab.AsLiqoSays(t, "data."+reversed, "milan", "rome"),

				acctest.Shows(none, acctest.Exactly("Disconnected"),
					"status"), acctest.Shows(none, null, "made_by"), acctest.Shows(none, null, "mtu"),
				acctest.Shows(none, null, "server_endpoint"),
				acctest.Shows(none, null, "client_network"), acctest.Shows(none, null, "client_namespace"),
				acctest.Shows(none, null, "client_end", "latency_ms"),
				acctest.Shows(none, acctest.Exactly("naples"),
					"server_cluster_id"), acctest.Shows(none, acctest.Exactly("Disconnected"), "server_end", "status"),

				acctest.Shows(all, knownvalue.ListSizeExact(1),
					"shortcuts"), acctest.Shows(all, acctest.Exactly("rome"), "shortcuts", 0, "client"),
				acctest.Shows(all, acctest.Exactly("milan"), "shortcuts", 0,
					"server"), acctest.Shows(all, acctest.Connected, "shortcuts", 0, "status"),
				acctest.Shows(all, no, "shortcuts", 0,
					"managed"), acctest.Shows(all, acctest.Exactly("other"), "shortcuts", 0, "made_by"),
				acctest.Shows(all, knownvalue.Float64Exact(1), "shortcuts", 0, "latency_ms"),
				acctest.Shows(all, address, "shortcuts", 0, "server_endpoint", "addresses", 0),
				acctest.Shows(all, knownvalue.ListSizeExact(0), "unreachable"),

				acctest.Shows(topology, knownvalue.ListSizeExact(5),
					"nodes"), acctest.Shows(topology, yes, "nodes", 0, "central"),
				acctest.Shows(topology, no, "nodes", 1, "central"),
				acctest.Shows(topology, acctest.Exactly(lab.Cluster(t, "europe").LiqoVersion), "nodes", 0, "liqo_version"),
				acctest.Shows(topology, acctest.Exactly("Ready"), "nodes", 0,
					"status"), acctest.Shows(topology, null, "nodes", 0, "error"),
				acctest.Shows(topology, acctest.Exactly("NoLiqo"), "nodes", 4, "status"),
				acctest.Shows(topology, contains(`no Liqo in namespace "liqo"`), "nodes", 4, "error"),
				acctest.Shows(
					topology,
					knownvalue.ListExact([]knownvalue.Check{knownvalue.ObjectExact(map[string]knownvalue.Check{
						"kind": acctest.Exactly(
							"shortcut",
						), "from": acctest.Exactly("rome"), "to": acctest.Exactly("milan"), "both_ways": no,
						"status": acctest.Connected, "made_by": acctest.Exactly("other"),
						"latency_ms": knownvalue.Float64Exact(1), "latency_measured_at": recent(),
						"services": knownvalue.ListSizeExact(0),
					})}),
					"edges",
				),
				acctest.Shows(
					topology,
					contains(
						"flowchart LR\n", `n0(("europe"))`, `n3 ==>|"shortcut (not Terraform's)"| n1`, `n4["venice<br/>✗ no Liqo"]`,
					),
					"mermaid",
				),
				acctest.Shows("liqo_topology.summary", knownvalue.ListSizeExact(5), "nodes"),
				acctest.Shows("liqo_topology.summary", acctest.Exactly("South"), "nodes", 2, "group"),
				acctest.Shows("liqo_topology.summary", null, "nodes", 4, "group"),
				acctest.Shows("liqo_topology.summary", contains(
					`centre(("europe"))`, `g0[["without a group<br/>1 cluster, ✗ 1 not ready"]]`, `g1[["North<br/>1 cluster"]]`,
					`g2[["South<br/>2 clusters"]]`, `g1 ===|"1 shortcut"| g2`, `"Summary of 5 clusters, 1 connection"`,
				), "mermaid"),
				acctest.Shows("liqo_topology.rome", knownvalue.ListSizeExact(2), "nodes"),
				acctest.Shows("liqo_topology.rome", knownvalue.ListSizeExact(1), "edges"),
				acctest.Shows("liqo_topology.rome", contains(`"2 of 5 clusters, 1 of 1 connection"`), "mermaid"),
				acctest.Shows(topology,
					contains("digraph liqo {\n", `n3 -> n1 [label="shortcut (not Terraform's)", penwidth=2]`), "dot"),
			},
		},
		resource.TestStep{
			Config: lab.Contexts(ours + views("depends_on = [liqo_shortcut.rome_milan]")),
			ConfigStateChecks: []statecheck.StateCheck{
				acctest.Shows(one, acctest.Exactly("terraform-provider-liqo"),
					"made_by"), acctest.Shows(all, yes, "shortcuts", 0, "managed"),
				acctest.Shows(topology, contains(`n3 ==>|"shortcut"| n1`), "mermaid"),
			},
		},
	)
}

func TestAccATopologyShowsABrokenLink(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	acctest.Apply(t,
		resource.TestStep{
			PreConfig:         lab.JoinByHand(t, "rome", "milan"),
			Config:            lab.Contexts(views("")),
			ConfigStateChecks: []statecheck.StateCheck{acctest.Shows("liqo_topology.all", contains(`n3 ==>|`), "mermaid")},
		},
		resource.TestStep{
			PreConfig: func() {
				broken := lab.ConnectionBreaks(t, "rome")
				lab.Command(t, "set", "milan", "connect=false")
				t.Cleanup(func() { lab.Command(t, "set", "milan", "connect=true") })
				<-broken
			},
			Config: lab.Contexts(views("")),
			ConfigStateChecks: []statecheck.StateCheck{
				acctest.Shows("liqo_shortcut.rome_milan", acctest.Exactly("Error"), "status"),
				acctest.Shows("liqo_shortcut.rome_milan", acctest.Exactly("Error"), "client_end", "status"),
				acctest.Shows("liqo_shortcut.rome_milan", knownvalue.Null(), "client_end", "latency_ms"),
				acctest.Shows("liqo_topology.all", acctest.Exactly("Error"), "edges", 0, "status"),
				acctest.Shows("liqo_topology.all", knownvalue.Null(), "edges", 0, "latency_measured_at"),
				acctest.Shows(
					"liqo_topology.all", contains(`n3 -.->|"✗ shortcut (not Terraform's): Error"| n1`, "linkStyle 0 stroke:red"),
					"mermaid"),
			},
		},
		resource.TestStep{
			PreConfig: func() { lab.Command(t, "set", "milan", "connect=true") },
			Config:    lab.Between("milan", acctest.OverNodePort+"\nadopt_existing = true"),
		},
	)
}
