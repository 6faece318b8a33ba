package provider

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/datasource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
	"github.com/leafmesh/terraform-provider-liqo/internal/topology"
)

func TestATopologyIsDrawnInTheRequestedDirection(t *testing.T) {
	for direction, expected := range map[string]string{"": "flowchart LR\n", "TB": "flowchart TB\n"} {
		model := topologyDataModel{Direction: stringOrNull(direction)}
		survey := shortcut.Survey{Leaves: []shortcut.Leaf{{Name: "rome", Err: context.DeadlineExceeded}}}
		model.show(topology.New(survey, ""), nil)
		if got := model.Mermaid.ValueString(); !strings.HasPrefix(got, expected) {
			t.Errorf("%q: %s", direction, got)
		}
		shows(t, map[string][2]any{"nodes": {model.Nodes, `[{"central":false,"cluster_id":<null>,` +
			`"error":"context deadline exceeded","liqo_version":<null>,"name":"rome","status":"Unreachable"}]`}})
	}
}

func TestATopologyListsItsNodesAndEdges(t *testing.T) {
	joined := func(name string) shortcut.Cluster { return shortcut.Cluster{Name: name} }
	var model topologyDataModel
	model.show(topology.New(shortcut.Survey{
		Leaves: []shortcut.Leaf{
			{Name: "europe", ClusterID: "e"}, {Name: "milan", ClusterID: "m"}, {Name: "rome", ClusterID: "r"},
		},
		Networks: []shortcut.Link{
			{
				Client: joined("rome"), Server: joined("milan"), Status: shortcut.Connecting, MadeBy: shortcut.ByProvider,
				Latency: fiveMS,
			},
		},
		Peerings: []shortcut.Peering{{Consumer: joined("europe"), Provider: joined("milan"), BothWays: true}},
	}, "europe"), map[string]string{"rome": "v1.2.0", "milan": "v1.0.1"})
	const node = `{"central":%t,"cluster_id":"%s","error":<null>,"liqo_version":%s,"name":"%s","status":"Ready"}`
	nodes := fmt.Sprintf("["+node+","+node+","+node+"]", true, "e", "<null>", "europe",
		false, "m", `"v1.0.1"`, "milan", false, "r", `"v1.2.0"`, "rome")
	shows(t, map[string][2]any{
		"nodes": {model.Nodes, nodes},
		"edges": {model.Edges, `[{"both_ways":true,"from":"europe","kind":"peering","latency_measured_at":<null>,` +
			`"latency_ms":<null>,"made_by":<null>,"services":<null>,"status":"NoNetwork","to":"milan"},` +
			`{"both_ways":false,"from":"rome","kind":"shortcut","latency_measured_at":"2026-11-21T03:04:05Z",` +
			`"latency_ms":5.000000,"made_by":"terraform-provider-liqo","services":<null>,"status":"Connecting","to":"milan"}]`},
	})
	if !strings.HasPrefix(model.DOT.ValueString(), "digraph liqo {\n  rankdir=LR\n") {
		t.Errorf("got %s", model.DOT.ValueString())
	}
}

// fleet returns a graph of a hub and this number of leaves, which have ten shortcuts each.
func fleet(leaves int) topology.Graph {
	name := func(i int) string { return fmt.Sprintf("leaf-%05d", i%leaves) }
	survey := shortcut.Survey{Leaves: []shortcut.Leaf{{Name: "hub", ClusterID: "hub"}}}
	for i := range leaves {
		survey.Leaves = append(survey.Leaves, shortcut.Leaf{Name: name(i), ClusterID: name(i)})
		survey.Peerings = append(survey.Peerings, shortcut.Peering{
			Consumer: shortcut.Cluster{Name: "hub"}, Provider: shortcut.Cluster{Name: name(i)},
		})
		for far := range 10 {
			survey.Networks = append(survey.Networks, shortcut.Link{
				Client: shortcut.Cluster{Name: name(i)}, Server: shortcut.Cluster{Name: name(i + far + 1)},
				Status: shortcut.Connected, MadeBy: shortcut.ByProvider, Latency: fiveMS,
			})
		}
	}
	return topology.New(survey, "hub")
}

// BenchmarkTopologyIsShown measures what happens to a graph after the leaves have answered: values of the framework,
// the state, and the message to Terraform.
func BenchmarkTopologyIsShown(b *testing.B) {
	var schema datasource.SchemaResponse
	newTopologyDataSource().Schema(b.Context(), datasource.SchemaRequest{}, &schema)
	object := schema.Schema.Type().TerraformType(b.Context())
	for _, leaves := range []int{100, 200, 400} {
		b.Run(fmt.Sprintf("leaves=%d", leaves), func(b *testing.B) {
			graph := fleet(leaves)
			b.ReportAllocs()
			for b.Loop() {
				model := topologyDataModel{
					Clusters: types.ListNull(types.StringType),
					Timeouts: timeouts.Value{Object: types.ObjectNull(map[string]attr.Type{"read": types.StringType})},
				}
				model.show(graph, nil)
				state := tfsdk.State{Schema: schema.Schema, Raw: tftypes.NewValue(object, nil)}
				if diags := state.Set(b.Context(), &model); diags.HasError() {
					b.Fatal(diags)
				}
				if _, err := tfprotov6.NewDynamicValue(object, state.Raw); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
