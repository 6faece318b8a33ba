package provider

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/datasource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/direct"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/topology"
)

var (
	_ datasource.DataSourceWithConfigure      = (*topologyDataSource)(nil)
	_ datasource.DataSourceWithValidateConfig = (*topologyDataSource)(nil)
)

// topologyDataSource is the data source liqo_topology: the clusters, how they are connected, and a picture of it.
type topologyDataSource struct{ dataSource }

func newTopologyDataSource() datasource.DataSource {
	return &topologyDataSource{dataSource{name: "topology"}}
}

type topologyDataModel struct {
	Clusters     types.List      `tfsdk:"clusters"`
	Central      types.String    `tfsdk:"central"`
	Groups       topology.Groups `tfsdk:"groups"`
	EdgesOf      []string        `tfsdk:"edges_of"`
	ProblemsOnly types.Bool      `tfsdk:"problems_only"`
	Direction    types.String    `tfsdk:"direction"`
	MaxEdges     types.Int64     `tfsdk:"max_edges"`
	Nodes        types.List      `tfsdk:"nodes"`
	Edges        types.List      `tfsdk:"edges"`
	Mermaid      types.String    `tfsdk:"mermaid"`
	DOT          types.String    `tfsdk:"dot"`
	Timeouts     timeouts.Value  `tfsdk:"timeouts"`
}

// Read implements [datasource.DataSource].
func (d *topologyDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	readDataSource(ctx, req, resp, func(ctx context.Context, model *topologyDataModel) {
		names, known := d.clusters(ctx, req, resp, model.Clusters)
		if !known {
			return
		}
		if resp.Diagnostics.Append(model.check(names)...); resp.Diagnostics.HasError() {
			return
		}
		var versions map[string]string
		var uses map[string][]direct.Use
		var group sync.WaitGroup
		group.Go(func() {
			versions = askAll(ctx, d.leaves, names, liqo.Version)
		})
		group.Go(func() { uses = askAll(ctx, d.leaves, names, direct.Uses) })
		survey, diags := d.leaves.survey(ctx, names, model.Clusters)
		resp.Diagnostics.Append(diags...)
		group.Wait()
		graph := topology.New(survey, model.Central.ValueString())
		graph.AddServices(uses)
		resp.Diagnostics.Append(model.show(graph, versions)...)
	})
}

// check returns an error for each argument with a name that is not one of the clusters.
func (m *topologyDataModel) check(clusters []string) diag.Diagnostics {
	var diags diag.Diagnostics
	refuse := func(attribute path.Path, name string) {
		diags.Append(report("cluster-not-in-topology", "Not one of the clusters",
			fmt.Sprintf("The clusters of this topology are %q. %q is not one of them. A cluster with several names counts "+
				"once, by the first of its names.", clusters, name)).errorAt(attribute))
	}
	if central := m.Central.ValueString(); central != "" && !slices.Contains(clusters, central) {
		refuse(path.Root("central"), central)
	}
	for i, name := range m.EdgesOf {
		if !slices.Contains(clusters, name) {
			refuse(path.Root("edges_of").AtListIndex(i), name)
		}
	}
	for _, name := range m.Groups.Unused(clusters) {
		refuse(path.Root("groups").AtMapKey(name), name)
	}
	return diags
}

// show sets the results. versions has the version of Liqo by the name of a node, if it is known. A cluster with several
// names is a node by the first of them, so another one is an error here.
func (m *topologyDataModel) show(graph topology.Graph, versions map[string]string) diag.Diagnostics {
	names := make([]string, len(graph.Nodes))
	for i, node := range graph.Nodes {
		names[i] = node.Name
	}
	if diags := m.check(names); diags.HasError() {
		return diags
	}
	graph.AddGroups(m.Groups)
	graph = graph.Select(topology.Filter{EdgesOf: m.EdgesOf, ProblemsOnly: m.ProblemsOnly.ValueBool()})
	m.Nodes, m.Edges = nodeList(graph.Nodes, versions), edgeList(graph.Edges)
	drawing := m.drawing()
	m.Mermaid, m.DOT = types.StringValue(graph.Mermaid(drawing)), types.StringValue(graph.DOT(drawing))
	return nil
}

func (m *topologyDataModel) drawing() topology.Drawing {
	drawing := topology.Drawing{Direction: topology.LeftToRight, MaxEdges: defaultMaxEdges}
	if !m.Direction.IsNull() {
		drawing.Direction = topology.Direction(m.Direction.ValueString())
	}
	if !m.MaxEdges.IsNull() {
		drawing.MaxEdges = int(m.MaxEdges.ValueInt64())
	}
	return drawing
}
