package provider

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/datasource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
	"github.com/leafmesh/terraform-provider-liqo/internal/topology"
)

func TestATopologyListsItsNodesAndEdges(t *testing.T) {
	joined := func(name string) shortcut.Cluster { return shortcut.Cluster{Name: name} }
	var model topologyDataModel
	model.show(topology.New(shortcut.Survey{
		Leaves: []shortcut.Leaf{
			{Name: "europe", ClusterID: "e"}, {Name: "milan", ClusterID: "m"}, {Name: "rome", ClusterID: "r"},
			{Name: "turin", Err: context.DeadlineExceeded},
		},
		Links: []shortcut.Link{
			{
				Client: joined("europe"), Server: joined("milan"),
				Peering: &shortcut.Peering{Consumer: "europe", Provider: "milan", BothWays: true},
			},
			{
				Client: joined("rome"), Server: joined("milan"), Status: shortcut.Connecting, MadeBy: shortcut.ByProvider,
				Latency: fiveMS, LimitedAt: []string{"rome", "milan"},
			},
		},
	}, "europe"), map[string]string{"rome": "v1.2.0", "milan": "v1.0.1"})
	shows(t, map[string][2]any{
		"pairs, which are not included": {model.Pairs, "<null>"},
		"nodes": {model.Nodes, `[{"central":true,"cluster_id":"e","error":<null>,"liqo_version":<null>,"name":"europe",` +
			`"status":"Ready"},{"central":false,"cluster_id":"m","error":<null>,"liqo_version":"v1.0.1","name":"milan",` +
			`"status":"Ready"},{"central":false,"cluster_id":"r","error":<null>,"liqo_version":"v1.2.0","name":"rome",` +
			`"status":"Ready"},{"central":false,"cluster_id":<null>,"error":"context deadline exceeded",` +
			`"liqo_version":<null>,"name":"turin","status":"Unreachable"}]`},
		"edges": {model.Edges, `[{"both_ways":true,"from":"europe","kind":"peering","latency_measured_at":<null>,` +
			`"latency_ms":<null>,"limited_at":[],"made_by":<null>,"services":<null>,"status":"NoNetwork","to":"milan"},` +
			`{"both_ways":false,"from":"rome","kind":"shortcut","latency_measured_at":"2026-11-21T03:04:05Z",` +
			`"latency_ms":5.000000,"limited_at":["milan","rome"],"made_by":"terraform-provider-liqo","services":<null>,` +
			`"status":"Connecting","to":"milan"}]`},
	})
}

func TestWrongArgumentsOfATopologyAreRejectedAtTheirAttribute(t *testing.T) {
	for expected, config := range map[string]values{
		"edges_of: Invalid Attribute Value":            {"edges_of": listOf()},
		"edges_of: Null List Value":                    {"edges_of": listOf(null)},
		"edges_of: Duplicate List Value":               {"edges_of": listOf(text("rome"), text("rome"))},
		"include_pairs: Invalid Attribute Combination": {"include_pairs": boolean(true)},
		"edges_of[0]: Invalid Attribute Va":            {"edges_of": listOf(text(""))},
	} {
		t.Run(expected, func(t *testing.T) {
			got := validatedSource(t, "liqo_topology", newTopologyDataSource(), config)
			if !strings.HasPrefix(got, expected) || strings.Contains(got, "\n") {
				t.Errorf("expected %s, got %s", expected, got)
			}
		})
	}
}

func TestArgumentsOfATopologyMayBeUnknown(t *testing.T) {
	for name, config := range map[string]values{
		"unknown":          {"edges_of": unknownOf(listOf().Type()), "problems_only": unknownOf(tftypes.Bool)},
		"unknown elements": {"edges_of": listOf(unknownText)},
	} {
		t.Run(name, func(t *testing.T) {
			accepted(t, validatedSource(t, "liqo_topology", newTopologyDataSource(), config))
		})
	}
}

func TestANameThatIsNotOneOfTheClustersIsAnErrorAtItsArgument(t *testing.T) {
	model := topologyDataModel{Central: types.StringValue("europe"), EdgesOf: []string{"rome", "turin"}}
	for name, diags := range map[string]diag.Diagnostics{
		"before the leaves are read": model.check([]string{"milan", "rome"}),
		"a second name of a cluster": model.show(topology.Graph{Nodes: []topology.Node{{Name: "rome"}}}, nil),
	} {
		t.Run(name, func(t *testing.T) {
			if got := at(diags, diag.SeverityError); !slices.Equal(got, []string{"central", "edges_of[1]"}) {
				t.Errorf("the errors are at %q", got)
			}
			for _, diagnostic := range diags {
				clustertest.Has(t, diagnostic.Detail(), `"rome"]. "`)
			}
		})
	}
}

func TestATopologyThatIsTooLargeForAPictureHasEverythingElse(t *testing.T) {
	var model topologyDataModel
	diags := model.show(fleet(100), nil)
	if len(diags) != 1 || !slices.Equal(at(diags, diag.SeverityWarning), []string{"mermaid"}) {
		t.Fatalf("got %v", diags)
	}
	clustertest.Has(t, diags[0].Detail(), "1100 edges", "500 edges", "`edges_of`", "`problems_only = true`")
	nodes, edges := len(model.Nodes.Elements()), len(model.Edges.Elements())
	if nodes != 101 || edges != 1100 || !model.Mermaid.IsNull() {
		t.Errorf("%d nodes, %d edges and the picture %s", nodes, edges, model.Mermaid)
	}
}

func TestATopologyHasTheSelectedEdgesAndAPictureOfThem(t *testing.T) {
	model := topologyDataModel{EdgesOf: []string{"leaf-00007"}}
	if diags := model.show(fleet(100), nil); len(diags) > 0 {
		t.Fatal(diags)
	}
	if nodes, edges := len(model.Nodes.Elements()), len(model.Edges.Elements()); nodes != 22 || edges != 21 {
		t.Errorf("%d nodes and %d edges", nodes, edges)
	}
	clustertest.Has(t, model.Mermaid.ValueString(), "22 of 101 clusters, 21 of 1100 connections")
	problems := topologyDataModel{ProblemsOnly: types.BoolValue(true)}
	if diags := problems.show(fleet(100), nil); len(diags) > 0 || len(problems.Edges.Elements()) != 0 {
		t.Errorf("got %s (%v)", problems.Edges, diags)
	}
}

// fleet returns a graph of a hub and this number of leaves, which have ten shortcuts each.
func fleet(leaves int) topology.Graph {
	name := func(i int) string { return fmt.Sprintf("leaf-%05d", i%leaves) }
	survey := shortcut.Survey{Leaves: []shortcut.Leaf{{Name: "hub", ClusterID: "hub"}}}
	for i := range leaves {
		survey.Leaves = append(survey.Leaves, shortcut.Leaf{Name: name(i), ClusterID: name(i)})
		survey.Links = append(survey.Links, shortcut.Link{
			Client: shortcut.Cluster{Name: "hub"}, Server: shortcut.Cluster{Name: name(i)},
			Peering: &shortcut.Peering{Consumer: "hub", Provider: name(i)},
		})
		for far := range 10 {
			survey.Links = append(survey.Links, shortcut.Link{
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
	object := typeOf(schema.Schema)
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
				sound(b, state.Set(b.Context(), &model))
				_, err := tfprotov6.NewDynamicValue(object, state.Raw)
				must(b, err)
			}
		})
	}
}
