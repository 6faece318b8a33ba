package provider

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/datasource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/direct"
	"github.com/leafmesh/terraform-provider-liqo/internal/topology"
)

var (
	_ datasource.DataSourceWithConfigure      = (*topologyDataSource)(nil)
	_ datasource.DataSourceWithValidateConfig = (*topologyDataSource)(nil)
)

// topologyDataSource is the data source liqo_topology: the clusters, how they are connected, and a
// picture of it.
type topologyDataSource struct{ view }

func newTopologyDataSource() datasource.DataSource {
	return &topologyDataSource{view{name: "topology"}}
}

// Schema implements [datasource.DataSource].
func (d *topologyDataSource) Schema(ctx context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "How clusters are connected: peerings and shortcuts, each with its status, as data " +
			"and as a picture for Mermaid and Graphviz. A cluster that cannot be read is a warning. It is still a " +
			"node, and the others are still shown.",
		Attributes: map[string]schema.Attribute{
			"clusters": clustersAttribute("to show"),
			"central": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Name of the central cluster, which the picture highlights. Default: the " +
					"cluster with the most peerings. If there is no peering, there is no central cluster. `nodes` " +
					"shows which one it is.",
				Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"direction": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Direction of the picture: `LR`, `TB`, `RL` or `BT`, for left to right, top " +
					"to bottom and so on. Default: `LR`.",
				Validators: []validator.String{stringvalidator.OneOf(string(topology.LeftToRight), string(topology.TopToBottom),
					string(topology.RightToLeft), string(topology.BottomToTop))},
			},
			"nodes": nodesAttribute(),
			"edges": edgesAttribute(),
			"mermaid": shownString("The picture as a [Mermaid](https://mermaid.js.org) flowchart, which GitHub " +
				"draws in a Markdown block of language `mermaid`. Thick arrows are shortcuts, thin arrows are " +
				"peerings. A connection that does not work is dashed; a broken one is also red and has a ✗. The " +
				"text changes only if a node, an edge or a status changes. GitHub draws up to 500 edges."),
			"dot": shownString("The same picture in the DOT language of [Graphviz](https://graphviz.org), which does not have " +
				"this limit."),
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
			"liqo_version": shownString("Version of Liqo's controllers, from their image. Null unless `status` is `Ready`, " +
				"and if it cannot be determined."),
			"central": schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether it is the central cluster."},
			"status": shownString("`Ready`: the cluster was read. `Unreachable`: its API server does not answer. " +
				"`NoLiqo`: it answers, but has no Liqo. `Error`: it answers, but cannot be read, for instance " +
				"because a permission is missing."),
			"error": shownString("The problem, and what to do. Null if `status` is `Ready`."),
		}},
	}
}

func edgesAttribute() schema.Attribute {
	return schema.ListNestedAttribute{
		Computed: true,
		MarkdownDescription: "Connections between the clusters, sorted by `from` and `to`. Two clusters have at " +
			"most one edge.",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"kind": shownString("`peering`: the two clusters are peered. The edge includes their network, whoever " +
				"made it. `shortcut`: a network without a peering."),
			"from": shownString("Name of the cluster that consumes resources (peering) or dials (shortcut)."),
			"to":   shownString("Name of the cluster that provides resources (peering) or is dialled (shortcut)."),
			"both_ways": schema.BoolAttribute{
				Computed: true,
				MarkdownDescription: "Whether each cluster of a peering consumes resources of the other, or Liqo does not know " +
					"the consumer yet.",
			},
			"status": shownString("Status of the network: `Connected`, `Connecting`, `Error` or `Disconnected`, " +
				"as of `liqo_shortcut`. `NoNetwork`: a peering without a network. `Unknown`: one of the two " +
				"clusters cannot be read. `Unknown` is possible only if the name of that cluster is its cluster " +
				"ID."),
			"made_by": shownString(madeByDescription + " Null if there is no network."),
			"latency_ms": schema.Float64Attribute{
				Computed: true,
				MarkdownDescription: "Round-trip time of a packet between the two gateways, in milliseconds, as " +
					"measured by the one that dials or else by the other one. Null if neither has a measurement, as " +
					"while the tunnel is down.",
			},
			"latency_measured_at": shownString("When `latency_ms` was measured: RFC 3339, UTC. This is the time of " +
				"the last answer."),
			"services": servicesAttribute(),
		}},
	}
}

// servicesAttribute returns the schema of the Services of an edge.
func servicesAttribute() schema.Attribute {
	return schema.ListNestedAttribute{
		Computed: true,
		MarkdownDescription: "Services whose pods in one of the two clusters reach those in the other over this network, " +
			"and not through their central cluster; see `liqo_direct_service`. Null if neither cluster shows its " +
			"EndpointSlices to the provider.",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"cluster":   shownString("Name of the central cluster; its cluster ID if it is not among the nodes."),
			"namespace": shownString("Namespace of the Service in the central cluster."),
			"name":      shownString("Name of the Service."),
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
	Name        types.String `tfsdk:"name"`
	ClusterID   types.String `tfsdk:"cluster_id"`
	LiqoVersion types.String `tfsdk:"liqo_version"`
	Central     types.Bool   `tfsdk:"central"`
	Status      types.String `tfsdk:"status"`
	Error       types.String `tfsdk:"error"`
}

type edgeModel struct {
	Kind              types.String  `tfsdk:"kind"`
	From              types.String  `tfsdk:"from"`
	To                types.String  `tfsdk:"to"`
	BothWays          types.Bool    `tfsdk:"both_ways"`
	Status            types.String  `tfsdk:"status"`
	MadeBy            types.String  `tfsdk:"made_by"`
	LatencyMS         types.Float64 `tfsdk:"latency_ms"`
	LatencyMeasuredAt types.String  `tfsdk:"latency_measured_at"`

	Services []serviceModel `tfsdk:"services"`
}

type serviceModel struct {
	Cluster   types.String `tfsdk:"cluster"`
	Namespace types.String `tfsdk:"namespace"`
	Name      types.String `tfsdk:"name"`
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
				fmt.Sprintf("The clusters of this topology are %q. %q is not one of them.", names, central))
			return
		}
		var versions map[string]string
		var uses map[string][]direct.Use
		var asking sync.WaitGroup
		asking.Go(func() { versions = d.leaves.liqoVersions(ctx, names) })
		asking.Go(func() { uses = d.leaves.uses(ctx, names) })
		survey, diags := d.leaves.survey(ctx, names, model.Clusters)
		resp.Diagnostics.Append(diags...)
		asking.Wait()
		graph := topology.New(survey, model.Central.ValueString())
		graph.AddServices(uses)
		model.show(graph, versions)
	})
}

// uses returns which Services use the networks of each cluster, by the name of the cluster. It leaves out clusters
// that can't be asked, for example because Terraform's user has no permission to read their EndpointSlices.
func (l *leaves) uses(ctx context.Context, names []string) map[string][]direct.Use {
	found, failures := make([][]direct.Use, len(names)), make([]error, len(names))
	var asking sync.WaitGroup
	for i, name := range names {
		asking.Go(func() {
			leaf, err := l.registry.Leaf(ctx, name)
			if err == nil {
				found[i], err = direct.Uses(ctx, leaf)
			}
			failures[i] = err
		})
	}
	asking.Wait()
	byName := map[string][]direct.Use{}
	for i, name := range names {
		if failures[i] == nil {
			byName[name] = found[i]
		}
	}
	return byName
}

// show sets the results. versions has the version of Liqo by the name of a node, if it is known.
func (m *topologyDataModel) show(graph topology.Graph, versions map[string]string) {
	m.Nodes, m.Edges = make([]nodeModel, len(graph.Nodes)), make([]edgeModel, len(graph.Edges))
	for i, node := range graph.Nodes {
		m.Nodes[i] = nodeModel{
			Name:        types.StringValue(node.Name),
			ClusterID:   stringOrNull(node.ClusterID),
			LiqoVersion: stringOrNull(versions[node.Name]),
			Central:     types.BoolValue(node.Central),
			Status:      types.StringValue(string(node.Status)),
			Error:       types.StringNull(),
		}
		if node.Err != nil {
			m.Nodes[i].Error = types.StringValue(node.Err.Error())
		}
	}
	for i, edge := range graph.Edges {
		m.Edges[i] = edgeModel{
			Kind:     types.StringValue(string(edge.Kind)),
			From:     types.StringValue(edge.From),
			To:       types.StringValue(edge.To),
			BothWays: types.BoolValue(edge.BothWays),
			Status:   types.StringValue(string(edge.Status)),
			MadeBy:   stringOrNull(string(edge.MadeBy)),

			LatencyMS: milliseconds(edge.Latency), LatencyMeasuredAt: measuredAt(edge.Latency),
			Services: serviceModels(edge.Services),
		}
	}
	direction := topology.LeftToRight
	if !m.Direction.IsNull() {
		direction = topology.Direction(m.Direction.ValueString())
	}
	m.Mermaid, m.DOT = types.StringValue(graph.Mermaid(direction)), types.StringValue(graph.DOT(direction))
}

// serviceModels returns nil, which is null, for nil.
func serviceModels(services []topology.Service) []serviceModel {
	if services == nil {
		return nil
	}
	models := make([]serviceModel, len(services))
	for i, service := range services {
		models[i] = serviceModel{
			types.StringValue(service.Cluster), types.StringValue(service.Namespace), types.StringValue(service.Name),
		}
	}
	return models
}
