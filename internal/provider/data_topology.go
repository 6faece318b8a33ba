package provider

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/datasource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/topology"
)

var (
	_ datasource.DataSourceWithConfigure      = (*topologyDataSource)(nil)
	_ datasource.DataSourceWithValidateConfig = (*topologyDataSource)(nil)
)

// topologyDataSource is liqo_topology: clusters, what joins them, and the picture of it.
type topologyDataSource struct{ view }

func newTopologyDataSource() datasource.DataSource {
	return &topologyDataSource{view{name: "topology"}}
}

type topologyDataModel struct {
	Clusters  types.List     `tfsdk:"clusters"`
	Central   types.String   `tfsdk:"central"`
	Direction types.String   `tfsdk:"direction"`
	Nodes     []nodeModel    `tfsdk:"nodes"`
	Edges     []edgeModel    `tfsdk:"edges"`
	Mermaid   types.String   `tfsdk:"mermaid"`
	DOT       types.String   `tfsdk:"dot"`
	Timeouts  timeouts.Value `tfsdk:"timeouts"`
}

type nodeModel struct {
	Name      types.String `tfsdk:"name"`
	ClusterID types.String `tfsdk:"cluster_id"`
	Central   types.Bool   `tfsdk:"central"`
	Status    types.String `tfsdk:"status"`
	Error     types.String `tfsdk:"error"`
}

type edgeModel struct {
	Kind     types.String `tfsdk:"kind"`
	From     types.String `tfsdk:"from"`
	To       types.String `tfsdk:"to"`
	BothWays types.Bool   `tfsdk:"both_ways"`
	Status   types.String `tfsdk:"status"`
	MadeBy   types.String `tfsdk:"made_by"`
}

// Read implements [datasource.DataSource].
func (d *topologyDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	read(ctx, req, resp, func(ctx context.Context, model *topologyDataModel) {
		names, known := d.clusters(ctx, req, resp, model.Clusters)
		if !known {
			return
		}
		if central := model.Central.ValueString(); central != "" && !slices.Contains(names, central) {
			resp.Diagnostics.AddAttributeError(path.Root("central"), "Not one of the clusters",
				fmt.Sprintf("%q is none of the clusters of this topology, which are %q.", central, names))
			return
		}
		survey, diags := d.leaves.survey(ctx, names, model.Clusters)
		resp.Diagnostics.Append(diags...)
		model.show(topology.New(survey, model.Central.ValueString()))
	})
}

func (m *topologyDataModel) show(graph topology.Graph) {
	m.Nodes, m.Edges = make([]nodeModel, len(graph.Nodes)), make([]edgeModel, len(graph.Edges))
	for i, node := range graph.Nodes {
		m.Nodes[i] = nodeModel{
			Name: types.StringValue(node.Name), ClusterID: stringOrNull(node.ClusterID), Central: types.BoolValue(node.Central),
			Status: types.StringValue(string(node.Status)), Error: types.StringNull(),
		}
		if node.Err != nil {
			m.Nodes[i].Error = types.StringValue(node.Err.Error())
		}
	}
	for i, edge := range graph.Edges {
		m.Edges[i] = edgeModel{
			Kind: types.StringValue(string(edge.Kind)), From: types.StringValue(edge.From), To: types.StringValue(edge.To),
			BothWays: types.BoolValue(edge.BothWays), Status: types.StringValue(string(edge.Status)), MadeBy: stringOrNull(string(edge.MadeBy)),
		}
	}
	direction := topology.LeftToRight
	if !m.Direction.IsNull() {
		direction = topology.Direction(m.Direction.ValueString())
	}
	m.Mermaid, m.DOT = types.StringValue(graph.Mermaid(direction)), types.StringValue(graph.DOT(direction))
}
