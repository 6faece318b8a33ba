package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// Values of cidr_remapping and on_destroy.
const (
	remappingAllowed   = "allow"
	remappingForbidden = "forbid"
	destroyResets      = "reset"
	destroyDisconnects = "disconnect"
)

// These end the description of an attribute whose change interrupts traffic. Nested attributes do not repeat it.
const (
	restarts     = " A change restarts both gateways: see [Downtime per change](../guides/downtime.md)."
	costsInGuide = " [Downtime per change](../guides/downtime.md) says how long a change interrupts traffic."
)

func replacesGateway(leaf string) string {
	return " A change replaces the " + leaf + "'s gateway and interrupts traffic for some seconds."
}

func shortcutResourceSchema(ctx context.Context) schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Connects two leaves directly, so that traffic between them does not pass through the " +
			"central cluster, as `liqoctl network connect` does. A destroy removes everything that it created.",
		Attributes: map[string]schema.Attribute{
			"id": computedString("The two cluster IDs, as `client_cluster_id/server_cluster_id`."),
			"client": schema.StringAttribute{
				Required: true,
				MarkdownDescription: "Name of the leaf that dials, in the provider's `clusters` or kubeconfig. A change to " +
					"another cluster forces replacement; another name for the same cluster does not.",
				Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"server": schema.StringAttribute{
				Required:            true,
				MarkdownDescription: "Name of the leaf that exposes the gateway. A change is as that of `client`.",
				Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"mtu": mtuAttribute("MTU of the tunnel, in bytes, from 576 to 65535. Default: `1340`." + restarts),
			"key_rotation_trigger": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Any value, such as the `id` of a `time_rotating`. Setting or changing it gives both " +
					"gateways new WireGuard keys; removing it changes nothing. Conflicts with `key_secret_name`." + restarts,
				Validators: []validator.String{
					stringvalidator.LengthAtLeast(1),
					stringvalidator.ConflictsWith(
						path.MatchRoot("server_gateway").AtName("key_secret_name"),
						path.MatchRoot("client_gateway").AtName("key_secret_name"),
					),
				},
			},
			"pods":           podsAttribute(podsOfBoth + podsChange),
			"server_gateway": serverGatewayAttribute(ctx),
			"client_gateway": clientGatewayAttribute(),
			"wait_for_connection": schema.BoolAttribute{
				Optional: true, Computed: true,
				Default: booldefault.StaticBool(true),
				MarkdownDescription: "Whether an apply waits until both gateways report the tunnel as up, and not only " +
					"until everything is in place. Default: `true`.",
			},
			"allow": allowAttribute(allowDescription),
			"cidr_remapping": schema.StringAttribute{
				Optional: true, Computed: true,
				Default: stringdefault.StaticString(remappingAllowed),
				MarkdownDescription: "`allow`: Liqo remaps overlapping CIDRs. `forbid`: a plan fails if a leaf would reach " +
					"a pod CIDR of the other at another address. Default: `allow`.",
				Validators: []validator.String{stringvalidator.OneOf(remappingAllowed, remappingForbidden)},
			},
			"on_destroy": schema.StringAttribute{
				Optional: true, Computed: true,
				Default: stringdefault.StaticString(destroyResets),
				MarkdownDescription: "`reset`: a destroy removes everything. `disconnect`: it keeps the Configurations, so " +
					"that a later shortcut of the same leaves has the same remapping. Default: `reset`.",
				Validators: []validator.String{stringvalidator.OneOf(destroyResets, destroyDisconnects)},
			},
			"abandon_lost_cluster": schema.BoolAttribute{
				Optional: true, Computed: true,
				Default: booldefault.StaticBool(false),
				MarkdownDescription: "Whether a destroy cleans only one leaf if the other is lost: nothing answers at its " +
					"address, it is not in the provider block, it has no Liqo or another certificate authority, its name " +
					"refers to another cluster, or the cluster of `credentials_from` is not peered with it. Apply this " +
					"setting before the destroy. Default: `false`.",
			},
			"destroy_peering_network": schema.BoolAttribute{
				Optional: true, Computed: true,
				Default: booldefault.StaticBool(false),
				MarkdownDescription: "Whether a destroy removes a network that a peering uses, too. Apply this setting " +
					"before the destroy. Default: `false`.",
			},
			"timeouts": timeoutsAttribute(ctx),

			"owner_id": computedString("Random ID of this resource, recorded on its objects as the owner. Null after an " +
				"import until it is recorded on all of them."),
			"client_cluster_id":  computedString("Liqo's cluster ID of the client."),
			"server_cluster_id":  computedString("Liqo's cluster ID of the server."),
			"client_cluster_uid": clusterUIDAttribute("the client"),
			"server_cluster_uid": clusterUIDAttribute("the server"),
			"client_namespace":   namespaceAttribute("client", "server"),
			"server_namespace":   namespaceAttribute("server", "client"),
			"client_network":     networkAttribute("client", "server"),
			"server_network":     networkAttribute("server", "client"),
			"server_endpoint":    serverEndpointAttribute(),
			"status": schema.StringAttribute{
				Computed: true,
				MarkdownDescription: "`Connected`: both gateways report the tunnel as up. `Connecting`: it is not up, or a " +
					"gateway has stopped reporting. `Error`: a gateway reports that it failed. `Disconnected`: something is " +
					"missing or wrong, and the next apply repairs it.",
			},
		},
	}
}

func computedString(description string) schema.Attribute {
	return schema.StringAttribute{
		Computed:            true,
		MarkdownDescription: description,
		PlanModifiers:       []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
	}
}

// shortcutModel is a liqo_shortcut in configuration, plan and state. The models of its blocks are in the files of the
// blocks.
type shortcutModel struct {
	tunnelModel

	ID                 types.String   `tfsdk:"id"`
	Client             types.String   `tfsdk:"client"`
	Server             types.String   `tfsdk:"server"`
	Pods               types.Object   `tfsdk:"pods"`
	ServerGateway      types.Object   `tfsdk:"server_gateway"`
	ClientGateway      types.Object   `tfsdk:"client_gateway"`
	Allow              types.Set      `tfsdk:"allow"`
	WaitForConnection  types.Bool     `tfsdk:"wait_for_connection"`
	CIDRRemapping      types.String   `tfsdk:"cidr_remapping"`
	OnDestroy          types.String   `tfsdk:"on_destroy"`
	AbandonLostCluster types.Bool     `tfsdk:"abandon_lost_cluster"`
	DestroyPeering     types.Bool     `tfsdk:"destroy_peering_network"`
	Timeouts           timeouts.Value `tfsdk:"timeouts"`
	OwnerID            types.String   `tfsdk:"owner_id"`
	ClientClusterID    types.String   `tfsdk:"client_cluster_id"`
	ServerClusterID    types.String   `tfsdk:"server_cluster_id"`
	ClientClusterUID   types.String   `tfsdk:"client_cluster_uid"`
	ServerClusterUID   types.String   `tfsdk:"server_cluster_uid"`
	ClientNamespace    types.String   `tfsdk:"client_namespace"`
	ServerNamespace    types.String   `tfsdk:"server_namespace"`
	ClientNetwork      types.Object   `tfsdk:"client_network"`
	ServerNetwork      types.Object   `tfsdk:"server_network"`
	ServerEndpoint     types.Object   `tfsdk:"server_endpoint"`
	Status             types.String   `tfsdk:"status"`
}

// importedSettings are the settings of an imported shortcut that no leaf shows. They have their default values, so that
// a configuration without them gives an empty plan.
var importedSettings = map[string]any{
	"wait_for_connection": true, "cidr_remapping": remappingAllowed,
	"on_destroy": destroyResets, "abandon_lost_cluster": false, "destroy_peering_network": false,
}

// spec returns the planned shortcut. The plan has the defaults. Only the configuration shows what the user has left to
// the leaves, because the plan may have the value of the state instead.
func (m *shortcutModel) spec(ctx context.Context, config *shortcutModel) shortcut.Spec {
	spec := m.gatewaysSpec(ctx)
	spec.ClientEnd.Namespace = config.ClientNamespace.ValueString()
	spec.ServerEnd.Namespace = config.ServerNamespace.ValueString()
	readInto(ctx, config.ClientNetwork, &spec.ClientEnd.Announcement)
	readInto(ctx, config.ServerNetwork, &spec.ServerEnd.Announcement)
	spec.ForbidRemapping = m.CIDRRemapping.ValueString() == remappingForbidden
	spec.WaitForConnection = m.WaitForConnection.ValueBool()
	return spec
}

// gatewaysSpec returns the part of the planned shortcut that the gateways need.
func (m *shortcutModel) gatewaysSpec(ctx context.Context) shortcut.Spec {
	return shortcut.Spec{
		TunnelSettings: m.tunnelSettings(), Allow: allowSpec(ctx, m.Allow),
		Server: gatewaySettings(ctx, liqo.ServerRole, m.serverEnd().settings(ctx)),
		Client: gatewaySettings(ctx, liqo.ClientRole, m.clientEnd().settings(ctx)),
	}
}

// after adds to the spec of an update what it needs from the settings before the update.
func (m *shortcutModel) after(spec shortcut.Spec) shortcut.Spec {
	spec.ClientEnd.FormerKeySecret = keySecretOf(m.ClientGateway, m.ClientNamespace)
	spec.ServerEnd.FormerKeySecret = keySecretOf(m.ServerGateway, m.ServerNamespace)
	return spec
}

// removal returns what a destroy is to remove.
func (m *shortcutModel) removal() shortcut.Removal {
	return shortcut.Removal{
		KeepConfigurations: m.OnDestroy.ValueString() == destroyDisconnects,
		EvenFromPeering:    m.DestroyPeering.ValueBool(),
		ClientKeySecret:    keySecretOf(m.ClientGateway, m.ClientNamespace),
		ServerKeySecret:    keySecretOf(m.ServerGateway, m.ServerNamespace),
	}
}

// observed copies the shortcut on the leaves into the model. Settings of a missing object keep their value; the status
// shows that a repair is needed.
func (m *shortcutModel) observed(ctx context.Context, state shortcut.State) {
	m.observedEnds(ctx, state)
	m.observedTunnel(state)
	m.observedAllow(ctx, state)
	m.observedPods(ctx, &state)
	m.observedServerGateway(ctx, state)
	m.observedClientGateway(ctx, state)
}

// observedAfter copies the shortcut on the leaves into the plan that was applied. After a failure, the settings stay as
// planned: the next plan shows what is still to do. What can have changed meanwhile stays, too: the next refresh shows
// it. A replica on another node may have taken over from the one that the client was told to dial.
func (m *shortcutModel) observedAfter(ctx context.Context, failure error, state shortcut.State) {
	planned := *m
	if failure != nil {
		m.observedEnds(ctx, state)
	} else {
		m.observed(ctx, state)
	}
	m.ClientGateway = planned.ClientGateway
	keepKnown(&m.ServerEndpoint, planned.ServerEndpoint)
	keepKnown(&m.ClientClusterUID, planned.ClientClusterUID)
	keepKnown(&m.ServerClusterUID, planned.ServerClusterUID)
}

// observedEnds copies everything except the settings of the gateways.
func (m *shortcutModel) observedEnds(ctx context.Context, state shortcut.State) {
	m.ID = types.StringValue(string(state.Client.ClusterID) + "/" + string(state.Server.ClusterID))
	m.ClientClusterID = types.StringValue(string(state.Client.ClusterID))
	m.ServerClusterID = types.StringValue(string(state.Server.ClusterID))
	m.ClientClusterUID = known(m.ClientClusterUID, string(state.Client.ClusterUID))
	m.ServerClusterUID = known(m.ServerClusterUID, string(state.Server.ClusterUID))
	m.ClientNamespace = known(m.ClientNamespace, state.Client.Namespace)
	m.ServerNamespace = known(m.ServerNamespace, state.Server.Namespace)
	m.ClientNetwork = objectOf(ctx, networkTypes, &state.Client.Network)
	m.ServerNetwork = objectOf(ctx, networkTypes, &state.Server.Network)
	m.ServerEndpoint = objectOf(ctx, endpointTypes, state.ServerEndpoint)
	m.Status = types.StringValue(string(state.Status))
}

// changesSettingsOnly reports whether a plan changes only settings that no leaf shows. Such a change is recorded
// without contacting the leaves, so that a user can give up a lost leaf. [planMoves] must come first, because what it
// finds is not such a change.
func (m *shortcutModel) changesSettingsOnly(ctx context.Context, state *shortcutModel) bool {
	rest := *m
	rest.Client, rest.Server = state.Client, state.Server // names may change; the cluster IDs are compared below
	rest.OnDestroy, rest.AbandonLostCluster = state.OnDestroy, state.AbandonLostCluster
	rest.DestroyPeering = state.DestroyPeering
	rest.Timeouts = state.Timeouts
	rest.WaitForConnection = state.WaitForConnection       // without a change on a leaf there is no wait
	if m.CIDRRemapping.ValueString() == remappingAllowed { // only a leaf shows a remapping that is forbidden now
		rest.CIDRRemapping = state.CIDRRemapping
	}
	if m.clientEnd().settings(ctx).Equal(state.clientEnd().settings(ctx)) &&
		m.serverEnd().settings(ctx).Equal(state.serverEnd().settings(ctx)) { // wherever the configuration has them
		rest.Pods, rest.ClientGateway, rest.ServerGateway = state.Pods, state.ClientGateway, state.ServerGateway
	}
	rest.ClientClusterUID, rest.ServerClusterUID = state.ClientClusterUID, state.ServerClusterUID
	rest.Status, rest.ServerEndpoint = state.Status, state.ServerEndpoint
	return sameValues(&rest, state)
}
