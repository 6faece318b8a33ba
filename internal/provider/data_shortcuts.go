package provider

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/datasource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
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
