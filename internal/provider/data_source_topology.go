package provider

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/datasource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
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

// Schema implements [datasource.DataSource].
func (d *topologyDataSource) Schema(ctx context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "How a number of clusters are joined: peerings and shortcuts, each with its status, as data and as a picture for Mermaid and Graphviz. " +
			"A cluster that can't be read is a node of its own and a warning, and hides nothing of the others.",
		Attributes: map[string]schema.Attribute{
			"clusters": clustersAttribute("to show"),
			"central": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Name of the central cluster, which the picture sets apart. Default: the cluster that most others are peered with; none where " +
					"nothing is peered. `nodes` tells which it is.",
				Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"direction": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Where the picture goes: `LR`, `TB`, `RL` or `BT`, for left to right, top to bottom and so on. Default: `LR`.",
				Validators: []validator.String{stringvalidator.OneOf(string(topology.LeftToRight), string(topology.TopToBottom),
					string(topology.RightToLeft), string(topology.BottomToTop))},
			},
			"nodes": nodesAttribute(),
			"edges": edgesAttribute(),
			"mermaid": shownString("The picture as a flowchart in [Mermaid](https://mermaid.js.org)'s language, which GitHub draws in a Markdown block of language " +
				"`mermaid`. Thick arrows are shortcuts, thin ones peerings; what does not work is dashed, and red with a ✗ where it is broken. It changes only " +
				"when a node, an edge or a status does. GitHub draws up to 500 edges."),
			"dot":      shownString("The same picture in the language of [Graphviz](https://graphviz.org)'s `dot`, which has no such limit."),
			"timeouts": readTimeout(ctx),
		},
	}
}

func nodesAttribute() schema.Attribute {
	return schema.ListNestedAttribute{
		Computed:            true,
		MarkdownDescription: "The clusters, sorted by name.",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"name":       shownString("Name of the cluster."),
			"cluster_id": shownString("Liqo's cluster ID. Null unless `status` is `Ready`."),
			"central":    schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether it is the central cluster."},
			"status": shownString("`Ready`. Or `Unreachable`: its API server does not answer. `NoLiqo`: it answers, and has no Liqo. `Error`: it answers, and does " +
				"not let itself be read, for instance for want of a permission."),
			"error": shownString("What is wrong, and what to do. Null if `status` is `Ready`."),
		}},
	}
}

func edgesAttribute() schema.Attribute {
	return schema.ListNestedAttribute{
		Computed:            true,
		MarkdownDescription: "What joins them, sorted by `from` and `to`: at most one edge for two clusters.",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"kind": shownString("`peering`: the two clusters are peered; their network, whoever made it, is part of this edge. `shortcut`: a network without a peering."),
			"from": shownString("Name of the cluster that consumes resources, or of the one that dials."),
			"to":   shownString("Name of the cluster that provides resources, or of the one that is dialled."),
			"both_ways": schema.BoolAttribute{
				Computed: true, MarkdownDescription: "Whether, in a peering, each consumes the other's resources, or Liqo does not know yet who does.",
			},
			"status": shownString("Of the network: `Connected`, `Connecting`, `Error` or `Disconnected`, as of `liqo_shortcut`. `NoNetwork`: a peering without one. " +
				"`Unknown`: one of the two clusters can't be read; such an edge shows only where that cluster's name is its cluster ID."),
			"made_by": shownString(madeByDescription + " Null where there is no network."),
		}},
	}
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
