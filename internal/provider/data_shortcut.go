package provider

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/datasource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

var (
	_ datasource.DataSourceWithConfigure      = (*shortcutDataSource)(nil)
	_ datasource.DataSourceWithValidateConfig = (*shortcutDataSource)(nil)
)

// shortcutDataSource is liqo_shortcut as a data source: the network of two leaves, whoever made it.
type shortcutDataSource struct{ view }

func newShortcutDataSource() datasource.DataSource {
	return &shortcutDataSource{view{name: "shortcut"}}
}

type shortcutDataModel struct {
	Client          types.String    `tfsdk:"client"`
	Server          types.String    `tfsdk:"server"`
	ID              types.String    `tfsdk:"id"`
	ClientClusterID types.String    `tfsdk:"client_cluster_id"`
	ServerClusterID types.String    `tfsdk:"server_cluster_id"`
	ClientNamespace types.String    `tfsdk:"client_namespace"`
	ServerNamespace types.String    `tfsdk:"server_namespace"`
	Status          types.String    `tfsdk:"status"`
	Reversed        types.Bool      `tfsdk:"reversed"`
	MadeBy          types.String    `tfsdk:"made_by"`
	MTU             types.Int32     `tfsdk:"mtu"`
	ServerEndpoint  types.Object    `tfsdk:"server_endpoint"`
	ClientNetwork   types.Object    `tfsdk:"client_network"`
	ServerNetwork   types.Object    `tfsdk:"server_network"`
	ClientEnd       *endStatusModel `tfsdk:"client_end"`
	ServerEnd       *endStatusModel `tfsdk:"server_end"`
	Timeouts        timeouts.Value  `tfsdk:"timeouts"`
}

// endStatusModel is its `client_end` or `server_end`.
type endStatusModel struct {
	Status            types.String      `tfsdk:"status"`
	LatencyMS         types.Float64     `tfsdk:"latency_ms"`
	LatencyMeasuredAt types.String      `tfsdk:"latency_measured_at"`
	GatewayPods       []gatewayPodModel `tfsdk:"gateway_pods"`
}

type gatewayPodModel struct {
	Name      types.String `tfsdk:"name"`
	Namespace types.String `tfsdk:"namespace"`
	Node      types.String `tfsdk:"node"`
	Active    types.Bool   `tfsdk:"active"`
}

// Read implements [datasource.DataSource].
func (d *shortcutDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	read(ctx, req, resp, func(ctx context.Context, model *shortcutDataModel) {
		if d.leaves.unknownAny(model.Client) {
			postpone(req, resp, path.Root("client"))
			return
		}
		if d.leaves.unknownAny(model.Server) {
			postpone(req, resp, path.Root("server"))
			return
		}
		pair := d.leaves.connect(ctx, model.Client.ValueString(), model.Server.ValueString())
		if resp.Diagnostics.Append(pair.errors()...); resp.Diagnostics.HasError() {
			return
		}
		if resp.Diagnostics.Append(pair.differ()...); resp.Diagnostics.HasError() {
			return
		}
		found, err := shortcut.New(pair.client, pair.server).Inspect(ctx)
		if err != nil {
			resp.Diagnostics.AddError(summary("The shortcut can't be read", err), detail(err))
			return
		}
		model.show(found)
	})
}

func (m *shortcutDataModel) show(found shortcut.Inspection) {
	m.ID = types.StringValue(string(found.Client.ClusterID) + "/" + string(found.Server.ClusterID))
	m.ClientClusterID = types.StringValue(string(found.Client.ClusterID))
	m.ServerClusterID = types.StringValue(string(found.Server.ClusterID))
	m.ClientNamespace, m.ServerNamespace = stringOrNull(found.Client.Namespace), stringOrNull(found.Server.Namespace)
	m.Status = types.StringValue(string(found.Status))
	m.Reversed = types.BoolValue(found.Reversed)
	m.MadeBy = stringOrNull(string(found.MadeBy))
	m.MTU = mtuOrNull(max(found.Client.MTU, found.Server.MTU))
	m.ServerEndpoint = endpointObject(found.ServerEndpoint)
	m.ClientNetwork, m.ServerNetwork = networkOrNull(found.Client.Network), networkOrNull(found.Server.Network)
	m.ClientEnd, m.ServerEnd = endStatus(found.ClientEnd), endStatus(found.ServerEnd)
}

func endStatus(end shortcut.EndStatus) *endStatusModel {
	model := &endStatusModel{
		Status:    types.StringValue(string(end.Status)),
		LatencyMS: milliseconds(end.Latency), LatencyMeasuredAt: measuredAt(end.Latency),
		GatewayPods: make([]gatewayPodModel, len(end.GatewayPods)),
	}
	for i, pod := range end.GatewayPods {
		model.GatewayPods[i] = gatewayPodModel{
			Name: types.StringValue(pod.Name), Namespace: types.StringValue(pod.Namespace), Node: stringOrNull(pod.Node),
			Active: types.BoolValue(pod.Active),
		}
	}
	return model
}

func milliseconds(latency *end.Latency) types.Float64 {
	if latency == nil {
		return types.Float64Null()
	}
	return types.Float64Value(latency.Milliseconds())
}

func measuredAt(latency *end.Latency) types.String {
	if latency == nil || latency.MeasuredAt.IsZero() {
		return types.StringNull()
	}
	return types.StringValue(latency.MeasuredAt.Format(time.RFC3339))
}

func mtuOrNull(mtu int) types.Int32 {
	return int32OrNull(int32(mtu)) //nolint:gosec // Liqo's API holds it in far fewer bits
}

// networkOrNull is null where the other leaf was told nothing.
func networkOrNull(network end.Network) types.Object {
	if network.PodCIDRs == nil && network.ExternalCIDR == "" {
		return types.ObjectNull(networkTypes)
	}
	return networkObject(network)
}
