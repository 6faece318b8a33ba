package provider

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/datasource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

var (
	_ datasource.DataSourceWithConfigure      = (*shortcutsDataSource)(nil)
	_ datasource.DataSourceWithValidateConfig = (*shortcutsDataSource)(nil)
)

// shortcutsDataSource is liqo_shortcuts: every network between a number of clusters.
type shortcutsDataSource struct{ view }

func newShortcutsDataSource() datasource.DataSource {
	return &shortcutsDataSource{view{name: "shortcuts"}}
}

// Schema implements [datasource.DataSource].
func (d *shortcutsDataSource) Schema(ctx context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Every network between two of a number of clusters, whoever made it, and whether this provider did. A cluster that can't be read is a " +
			"warning, and hides nothing of the others.",
		Attributes: map[string]schema.Attribute{
			"clusters": clustersAttribute("between which to look for networks"),
			"shortcuts": schema.ListNestedAttribute{
				Computed:            true,
				MarkdownDescription: "The networks, sorted by `client` and `server`.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"client":            shownString("Name of the cluster that dials. Where no gateway is left, the first of the two by name."),
					"server":            shownString("Name of the cluster that exposes the gateway."),
					"client_cluster_id": shownString("Liqo's cluster ID of the client."),
					"server_cluster_id": shownString("Liqo's cluster ID of the server."),
					"status": shownString("`Connected`: both ends report the tunnel as up. `Connecting`: everything is in place and the tunnel is not up, or a gateway has stopped reporting. `Error`: " +
						"an end reports that the tunnel failed. `Disconnected`: something is missing. `Unknown`: one of the two clusters can't be read; this is " +
						"what the other has, and shows only where a cluster's name is its cluster ID."),
					"made_by": shownString(madeByDescription),
					"managed": schema.BoolAttribute{
						Computed: true, MarkdownDescription: "Whether this provider made or adopted all of it, be it in this configuration or another.",
					},
					"owner": schema.SingleNestedAttribute{
						Computed: true,
						MarkdownDescription: "The `liqo_shortcut` that owns the network, as the leaves know it. Null where none does, or where the two leaves name " +
							"different ones.",
						Attributes: map[string]schema.Attribute{
							"who":       shownString("User and host that made it."),
							"folder":    shownString("Name of the folder in which Terraform ran."),
							"workspace": shownString("Workspace of Terraform."),
							"made_at":   shownString("When it was made: RFC 3339, UTC."),
							"complete": schema.BoolAttribute{
								Computed: true,
								MarkdownDescription: "Whether the shortcut was once there as a whole. `false` while it is made, and after an apply was killed: the next create of " +
									"the same pair goes on from there.",
							},
						},
					},
					"mtu":             schema.Int32Attribute{Computed: true, MarkdownDescription: "MTU of the tunnel, in bytes. Null while there is no gateway."},
					"server_endpoint": shownEndpoint("Where the server's gateway can be reached. Null until it says so."),
					"latency_ms": schema.Float64Attribute{
						Computed: true,
						MarkdownDescription: "How long a packet takes from one gateway to the other and back, in milliseconds, as the client has measured it, else as " +
							"the server has. Null where neither has.",
					},
					"latency_measured_at": shownString("When `latency_ms` was measured: RFC 3339, UTC."),
				}},
			},
			"unreachable": schema.ListAttribute{
				Computed: true, ElementType: types.StringType,
				MarkdownDescription: "Names of the clusters that could not be read, sorted. One without Liqo is none of them: it has no network.",
			},
			"timeouts": readTimeout(ctx),
		},
	}
}

type shortcutsDataModel struct {
	Clusters    types.List     `tfsdk:"clusters"`
	Shortcuts   []linkModel    `tfsdk:"shortcuts"`
	Unreachable []types.String `tfsdk:"unreachable"`
	Timeouts    timeouts.Value `tfsdk:"timeouts"`
}

// linkModel is one of its `shortcuts`.
type linkModel struct {
	Client            types.String  `tfsdk:"client"`
	Server            types.String  `tfsdk:"server"`
	ClientClusterID   types.String  `tfsdk:"client_cluster_id"`
	ServerClusterID   types.String  `tfsdk:"server_cluster_id"`
	Status            types.String  `tfsdk:"status"`
	MadeBy            types.String  `tfsdk:"made_by"`
	Managed           types.Bool    `tfsdk:"managed"`
	Owner             *ownerModel   `tfsdk:"owner"`
	MTU               types.Int32   `tfsdk:"mtu"`
	ServerEndpoint    types.Object  `tfsdk:"server_endpoint"`
	LatencyMS         types.Float64 `tfsdk:"latency_ms"`
	LatencyMeasuredAt types.String  `tfsdk:"latency_measured_at"`
}

// ownerModel is its `owner`.
type ownerModel struct {
	Who       types.String `tfsdk:"who"`
	Folder    types.String `tfsdk:"folder"`
	Workspace types.String `tfsdk:"workspace"`
	MadeAt    types.String `tfsdk:"made_at"`
	Complete  types.Bool   `tfsdk:"complete"`
}

// Read implements [datasource.DataSource].
func (d *shortcutsDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	read(ctx, req, resp, func(ctx context.Context, model *shortcutsDataModel) {
		names, known := d.clusters(ctx, req, resp, model.Clusters)
		if !known {
			return
		}
		survey, diags := d.leaves.survey(ctx, names, model.Clusters)
		resp.Diagnostics.Append(diags...)
		model.show(survey)
	})
}

func (m *shortcutsDataModel) show(survey shortcut.Survey) {
	m.Shortcuts, m.Unreachable = make([]linkModel, len(survey.Networks)), []types.String{}
	for i, link := range survey.Networks {
		m.Shortcuts[i] = linkModel{
			Client: types.StringValue(link.Client.Name), ClientClusterID: types.StringValue(link.Client.ID),
			Server: types.StringValue(link.Server.Name), ServerClusterID: types.StringValue(link.Server.ID),
			Status: types.StringValue(string(link.Status)),
			MadeBy: types.StringValue(string(link.MadeBy)), Managed: types.BoolValue(link.MadeBy == shortcut.ByProvider),
			Owner: ownerOf(link.Owner),
			MTU:   mtuOrNull(link.MTU), ServerEndpoint: endpointObject(link.ServerEndpoint),
			LatencyMS: milliseconds(link.Latency), LatencyMeasuredAt: measuredAt(link.Latency),
		}
	}
	for _, member := range survey.Leaves {
		if member.Err != nil && !cluster.NoLiqo(member.Err) { // without Liqo there is certainly no network
			m.Unreachable = append(m.Unreachable, types.StringValue(member.Name))
		}
	}
}

// ownerOf is null where no resource of this provider owns the network.
func ownerOf(owner *shortcut.Ownership) *ownerModel {
	if owner == nil {
		return nil
	}
	model := &ownerModel{
		Who: stringOrNull(owner.Origin.Who), Folder: stringOrNull(owner.Origin.Folder), Workspace: stringOrNull(owner.Origin.Workspace),
		Complete: types.BoolValue(owner.Complete),
	}
	if !owner.Origin.At.IsZero() {
		model.MadeAt = types.StringValue(owner.Origin.At.Format(time.RFC3339))
	}
	return model
}
