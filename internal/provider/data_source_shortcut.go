package provider

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/datasource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

var (
	_ datasource.DataSourceWithConfigure      = (*shortcutDataSource)(nil)
	_ datasource.DataSourceWithValidateConfig = (*shortcutDataSource)(nil)
)

// shortcutDataSource is the data source liqo_shortcut: the network of two leaves, whoever made it.
type shortcutDataSource struct{ dataSource }

func newShortcutDataSource() datasource.DataSource {
	return &shortcutDataSource{dataSource{name: "shortcut"}}
}

// Schema implements [datasource.DataSource].
func (d *shortcutDataSource) Schema(ctx context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The network between two clusters, whoever made it: a `liqo_shortcut`, liqoctl or a " +
			"peering. Without a network, `status` is `Disconnected`. A cluster that cannot be reached is an error.",
		Attributes: map[string]schema.Attribute{
			"client": schema.StringAttribute{
				Required: true,
				MarkdownDescription: "Name of the cluster that dials, in the provider's `clusters` or kubeconfig. A network " +
					"in the opposite direction is found, too: see `reversed`.",
				Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"server": schema.StringAttribute{
				Required:            true,
				MarkdownDescription: "Name of the cluster that exposes the gateway.",
				Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"id":                shownString("The two cluster IDs, as `client_cluster_id/server_cluster_id`."),
			"client_cluster_id": shownString("Liqo's cluster ID of the client."),
			"server_cluster_id": shownString("Liqo's cluster ID of the server."),
			"client_namespace":  shownString("Namespace of the network's objects on the client. Null if there are none."),
			"server_namespace":  shownString("Namespace of the network's objects on the server. Null if there are none."),
			"status": shownString("`Connected`: both gateways report the tunnel as up. `Connecting`: it is not up, or a " +
				"gateway has stopped reporting. `Error`: a gateway reports that it failed. `Disconnected`: something is " +
				"missing or wrong, or there is no network."),
			"reversed": schema.BoolAttribute{
				Computed: true,
				MarkdownDescription: "Whether `server` dials `client`; `server_endpoint` is then that of the gateway of " +
					"`client`. All other attributes are about `client` and `server` as given.",
			},
			"made_by": shownString(madeByDescription + " Null if there is no network."),
			"mtu": schema.Int32Attribute{
				Computed:            true,
				MarkdownDescription: "MTU of the tunnel, in bytes. Null without a gateway.",
			},
			"allow": shownAllow("Allowed traffic, as both gateways enforce it. Empty: nothing. Null: everything, or the " +
				"gateways differ, or rules were edited or removed; see `client_end` and `server_end`."),
			"server_endpoint": shownEndpoint("Address and port of the gateway that is dialed. Null until it reports them."),
			"client_network":  shownNetwork("client", "server"),
			"server_network":  shownNetwork("server", "client"),
			"client_end":      endAttribute("client"),
			"server_end":      endAttribute("server"),
			"timeouts":        readTimeout(ctx),
		},
	}
}

func endAttribute(leaf string) schema.Attribute {
	return schema.SingleNestedAttribute{
		Computed:            true,
		MarkdownDescription: "The network as the " + leaf + " sees it.",
		Attributes: map[string]schema.Attribute{
			"status": shownString("`Connected`, `Connecting` or `Error`, as the gateway reports. `Connecting`, too, if it " +
				"has stopped reporting. `Disconnected`: there is no gateway, or its rules were edited or removed."),
			"allow": shownAllow("Allowed traffic, as this gateway enforces it. Empty: nothing. Null: everything, or its " +
				"rules were edited or removed."),
			"latency_ms": schema.Float64Attribute{
				Computed: true,
				MarkdownDescription: "Last round-trip time to the remote gateway, in milliseconds. Null without a " +
					"measurement, as while the tunnel is down.",
			},
			"latency_measured_at": shownString("When `latency_ms` was measured, by the clock of the gateway's node, in " +
				"RFC 3339. By default, a gateway measures every 10 seconds."),
			"gateway_pods": schema.ListNestedAttribute{
				Computed:            true,
				MarkdownDescription: "Pods of the gateway, sorted by name.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"name":      shownString("Name."),
					"namespace": shownString("Namespace."),
					"node":      shownString("Node. Null until the pod is scheduled."),
					"active": schema.BoolAttribute{
						Computed:            true,
						MarkdownDescription: "Whether this pod holds the tunnel. The others are on standby.",
					},
					"active_since": shownString("Since when it is active, in RFC 3339. Null on standby."),
					"ready": schema.BoolAttribute{
						Computed:            true,
						MarkdownDescription: "Whether the pod is ready. A standby that is not can't take over.",
					},
				}},
			},
		},
	}
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
	Allow           types.Set       `tfsdk:"allow"`
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
	Allow             types.Set         `tfsdk:"allow"`
	LatencyMS         types.Float64     `tfsdk:"latency_ms"`
	LatencyMeasuredAt types.String      `tfsdk:"latency_measured_at"`
	GatewayPods       []gatewayPodModel `tfsdk:"gateway_pods"`
}

type gatewayPodModel struct {
	Name      types.String `tfsdk:"name"`
	Namespace types.String `tfsdk:"namespace"`
	Node      types.String `tfsdk:"node"`
	Active    types.Bool   `tfsdk:"active"`
	Since     types.String `tfsdk:"active_since"`
	Ready     types.Bool   `tfsdk:"ready"`
}

// Read implements [datasource.DataSource].
func (d *shortcutDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	readDataSource(ctx, req, resp, func(ctx context.Context, model *shortcutDataModel) {
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
		inspection, err := shortcut.New(pair.client, pair.server).Inspect(ctx)
		if err != nil {
			resp.Diagnostics.Append(failureOf("leaf-unreadable", "The shortcut can't be read", err).asError())
			return
		}
		model.show(ctx, inspection)
	})
}

func (m *shortcutDataModel) show(ctx context.Context, inspection shortcut.Inspection) {
	m.ID = types.StringValue(string(inspection.Client.ClusterID) + "/" + string(inspection.Server.ClusterID))
	m.ClientClusterID = types.StringValue(string(inspection.Client.ClusterID))
	m.ServerClusterID = types.StringValue(string(inspection.Server.ClusterID))
	m.ClientNamespace = stringOrNull(inspection.Client.Namespace)
	m.ServerNamespace = stringOrNull(inspection.Server.Namespace)
	m.Status = types.StringValue(string(inspection.Status))
	m.Reversed = types.BoolValue(inspection.Reversed)
	m.MadeBy = stringOrNull(string(inspection.MadeBy))
	m.MTU = mtuOrNull(inspection.MTU)
	m.Allow = allowSet(ctx, inspection.Allow)
	m.ServerEndpoint = objectOf(ctx, endpointTypes, inspection.ServerEndpoint)
	m.ClientNetwork = objectOf(ctx, networkTypes, inspection.Client.Network)
	m.ServerNetwork = objectOf(ctx, networkTypes, inspection.Server.Network)
	m.ClientEnd, m.ServerEnd = endStatus(ctx, inspection.ClientEnd), endStatus(ctx, inspection.ServerEnd)
}

func endStatus(ctx context.Context, end shortcut.EndStatus) *endStatusModel {
	model := &endStatusModel{
		Status: types.StringValue(string(end.Status)), Allow: allowSet(ctx, end.Allow),
		LatencyMS: milliseconds(end.Latency), LatencyMeasuredAt: measuredAt(end.Latency),
		GatewayPods: make([]gatewayPodModel, len(end.GatewayPods)),
	}
	for i, pod := range end.GatewayPods {
		model.GatewayPods[i] = gatewayPodModel{
			Name: types.StringValue(pod.Name), Namespace: types.StringValue(pod.Namespace), Node: stringOrNull(pod.Node),
			Active: types.BoolValue(pod.Active), Since: timeOrNull(pod.ActiveSince), Ready: types.BoolValue(pod.Ready),
		}
	}
	return model
}

func milliseconds(latency *liqo.Latency) types.Float64 {
	if latency == nil {
		return types.Float64Null()
	}
	return types.Float64Value(latency.Milliseconds())
}

func measuredAt(latency *liqo.Latency) types.String {
	if latency == nil {
		return types.StringNull()
	}
	return timeOrNull(latency.MeasuredAt)
}

func timeOrNull(moment time.Time) types.String {
	if moment.IsZero() {
		return types.StringNull()
	}
	return types.StringValue(moment.UTC().Format(time.RFC3339))
}

func mtuOrNull(mtu int) types.Int32 {
	return int32OrNull(int32(mtu)) //nolint:gosec // Liqo's API limits it to far fewer bits
}
