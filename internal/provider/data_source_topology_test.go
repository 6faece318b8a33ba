package provider

import (
	"context"
	"fmt"
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
			`"error":"context deadline exceeded","group":<null>,"liqo_version":<null>,"name":"rome","status":"Unreachable"}]`}})
	}
}

func TestATopologyListsItsNodesAndEdges(t *testing.T) {
	joined := func(name string) shortcut.Cluster { return shortcut.Cluster{Name: name} }
	var model topologyDataModel
	model.show(topology.New(shortcut.Survey{
		Leaves: []shortcut.Leaf{
			{Name: "europe", ClusterID: "e"}, {Name: "milan", ClusterID: "m"}, {Name: "rome", ClusterID: "r"},
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
	const node = `{"central":%t,"cluster_id":"%s","error":<null>,"group":<null>,"liqo_version":%s,"name":"%s",` +
		`"status":"Ready"}`
	nodes := fmt.Sprintf("["+node+","+node+","+node+"]", true, "e", "<null>", "europe",
		false, "m", `"v1.0.1"`, "milan", false, "r", `"v1.2.0"`, "rome")
	shows(t, map[string][2]any{
		"nodes": {model.Nodes, nodes},
		"edges": {model.Edges, `[{"both_ways":true,"from":"europe","kind":"peering","latency_measured_at":<null>,` +
			`"latency_ms":<null>,"limited_at":[],"made_by":<null>,"services":<null>,"status":"NoNetwork","to":"milan"},` +
			`{"both_ways":false,"from":"rome","kind":"shortcut","latency_measured_at":"2026-11-21T03:04:05Z",` +
			`"latency_ms":5.000000,"limited_at":["milan","rome"],"made_by":"terraform-provider-liqo","services":<null>,` +
			`"status":"Connecting","to":"milan"}]`},
	})
	if !strings.HasPrefix(model.DOT.ValueString(), "digraph liqo {\n  rankdir=LR\n") {
		t.Errorf("got %s", model.DOT.ValueString())
	}
}

func TestWrongArgumentsOfATopologyAreRejectedAtTheirAttribute(t *testing.T) {
	for expected, values := range map[string]map[string]tftypes.Value{
		`AttributeName("groups"): Null Map Value`:                          {"groups": textsByKey("rome", null)},
		`AttributeName("groups").ElementKeyString("rome"): Empty value`:    {"groups": textsByKey("rome", text(" "))},
		`AttributeName("groups").ElementKeyString(""): Empty name`:         {"groups": textsByKey("", text("Italy"))},
		`AttributeName("edges_of"): Invalid Attribute Value`:               {"edges_of": listOf()},
		`AttributeName("edges_of"): Null List Value`:                       {"edges_of": listOf(null)},
		`AttributeName("edges_of"): Duplicate List Value`:                  {"edges_of": listOf(text("rome"), text("rome"))},
		`AttributeName("edges_of").ElementKeyInt(0): Invalid Attribute Va`: {"edges_of": listOf(text(""))},
		`AttributeName("max_edges"): Invalid Attribute Value`:              {"max_edges": number(-1)},
	} {
		got := validatedSource(t, "liqo_topology", newTopologyDataSource(), values)
		if !strings.HasPrefix(got, expected) || strings.Contains(got, "\n") {
			t.Errorf("expected %s, got %s", expected, got)
		}
	}
}

func TestArgumentsOfATopologyMayBeUnknownAndAMapOfGroupsMayBeEmpty(t *testing.T) {
	unknown := func(kind tftypes.Type) tftypes.Value { return tftypes.NewValue(kind, tftypes.UnknownValue) }
	groups := tftypes.Map{ElementType: tftypes.String}
	for name, values := range map[string]map[string]tftypes.Value{
		"unknown": {
			"groups": unknown(groups), "edges_of": unknown(tftypes.List{ElementType: tftypes.String}),
			"problems_only": unknown(tftypes.Bool), "max_edges": unknown(tftypes.Number),
		},
		"unknown elements": {"groups": textsByKey("rome", unknownText), "edges_of": listOf(unknownText)},
		"no groups":        {"groups": tftypes.NewValue(groups, map[string]tftypes.Value{})},
	} {
		if got := validatedSource(t, "liqo_topology", newTopologyDataSource(), values); got != "" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestANameThatIsNotOneOfTheClustersIsAnErrorAtItsArgument(t *testing.T) {
	model := topologyDataModel{
		Central: types.StringValue("europe"), EdgesOf: []string{"rome", "turin"},
		Groups: topology.Groups{"rome": "Italy", "it-*": "Italy", "r*": "R"},
	}
	expected := `central, edges_of[1], groups["it-*"]`
	for name, diags := range map[string]diag.Diagnostics{
		"before the leaves are read": model.check([]string{"milan", "rome"}),
		"a second name of a cluster": model.show(topology.Graph{Nodes: []topology.Node{{Name: "rome"}}}, nil),
	} {
		var at []string
		for _, diagnostic := range diags {
			located, ok := diagnostic.(diag.DiagnosticWithPath)
			if !ok || !strings.Contains(diagnostic.Detail(), `"rome"]. "`) {
				t.Fatalf("%s: %s", name, diagnostic.Detail())
			}
			at = append(at, located.Path().String())
		}
		if got := strings.Join(at, ", "); got != expected {
			t.Errorf("%s: got %s, expected %s", name, got, expected)
		}
	}
}

func TestALargeTopologyIsDrawnAsASummaryAndItsAttributesAreComplete(t *testing.T) {
	model := topologyDataModel{Groups: topology.Groups{"leaf-0000*": "First", "leaf-*": "Others"}}
	if diags := model.show(fleet(100), nil); diags.HasError() {
		t.Fatal(diags)
	}
	if nodes, edges := len(model.Nodes.Elements()), len(model.Edges.Elements()); nodes != 101 || edges != 1100 {
		t.Errorf("%d nodes and %d edges", nodes, edges)
	}
	if first := model.Nodes.Elements()[1].String(); !strings.Contains(first, `"group":"First"`) {
		t.Errorf("got %s", first)
	}
	for _, picture := range []types.String{model.Mermaid, model.DOT} {
		for _, text := range []string{
			"Summary of 101 clusters, 1100 connections", "First", "10 clusters", "Others", "90 clusters",
		} {
			if !strings.Contains(picture.ValueString(), text) {
				t.Errorf("%q is missing in:\n%s", text, picture.ValueString())
			}
		}
	}
}

func TestATopologyHasTheSelectedEdgesAndUpToTheMaximumEachIsDrawn(t *testing.T) {
	model := topologyDataModel{EdgesOf: []string{"leaf-00007"}, MaxEdges: types.Int64Value(21)}
	if diags := model.show(fleet(100), nil); diags.HasError() {
		t.Fatal(diags)
	}
	if nodes, edges := len(model.Nodes.Elements()), len(model.Edges.Elements()); nodes != 22 || edges != 21 {
		t.Errorf("%d nodes and %d edges", nodes, edges)
	}
	if picture := model.Mermaid.ValueString(); strings.Contains(picture, "Summary") ||
		!strings.Contains(picture, "22 of 101 clusters, 21 of 1100 connections") {
		t.Errorf("got %s", picture)
	}
	problems := topologyDataModel{ProblemsOnly: types.BoolValue(true)}
	if diags := problems.show(fleet(100), nil); diags.HasError() || len(problems.Edges.Elements()) != 0 {
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
