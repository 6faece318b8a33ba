package topology

import (
	"fmt"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// Package protocol shows everything else of a network that someone else made.
func TestAccDataSourcesShowThatTheLinkOfANetworkThatSomeoneElseMadeBreaks(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	lab.TakesTenantNamespaces(t)
	const one, all, topology = "data.liqo_shortcut.rome_milan", "data.liqo_shortcuts.all", "data.liqo_topology.all"
	lab.JoinByHand(t, "rome", "milan")
	p := lab.Applied(t, lab.Contexts(acctest.DataRomeMilan+`
		data "liqo_shortcuts" "all" {}
		data "liqo_topology" "all" { central = "europe" }`))
	contains := func(address, path string, parts ...string) {
		t.Helper()
		acctest.Says(t, fmt.Sprint(p.Value(address, path)), parts...)
	}
	p.Is(one, map[string]any{
		"status": "Connected", "made_by": "other", "server_endpoint.addresses.0": lab.NodeAddress(t, "milan"),
		"client_end.latency_ms": 1,
	})
	lab.AsLiqoSays(p, one, "rome", "milan")
	contains(one, "client_end.gateway_pods.0.name", "gw-milan-")
	contains(one, "server_end.gateway_pods.0.name", "gw-rome-")
	if on := p.Value(one, "server_end.gateway_pods.0.node"); on == nil {
		t.Error("the server's pod is on no node")
	}
	p.Is(all, map[string]any{"shortcuts.#": 1, "shortcuts.0.status": "Connected", "shortcuts.0.latency_ms": 1})
	p.Is(topology, map[string]any{
		"nodes.#": 5, "nodes.0.liqo_version": lab.Cluster(t, "europe").LiqoVersion, "nodes.4.status": "NoLiqo",
	})

	lab.Set(t, "milan", "connect=false")
	acctest.AwaitAny(t, lab, "rome", &networkingv1beta1.ConnectionList{}, acctest.Failed)
	p.Again()
	p.Is(one, map[string]any{"status": "Error", "client_end.status": "Error", "client_end.latency_ms": nil})
	p.Is(topology, map[string]any{"edges.0.status": "Error", "edges.0.latency_measured_at": nil})
	contains(topology, "mermaid", `n3 -.->|"✗ shortcut (not Terraform's): Error"| n1`, "linkStyle 0 stroke:red")

	lab.Set(t, "milan", "connect=true")
	p.Write("main.tf", lab.Between("milan", acctest.OverNodePort))
	p.Run("import", acctest.RomeMilan, "rome/milan") // for the destroy
}
