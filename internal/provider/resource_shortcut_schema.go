package provider

import (
	"context"
	"reflect"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/int32validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int32default"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

const (
	minMTU = 576   // the largest datagram that every IPv4 host must accept: RFC 791
	maxMTU = 65535 // the largest IPv4 packet
)

// Values of cidr_remapping and on_destroy.
const (
	remappingAllowed   = "allow"
	remappingForbidden = "forbid"
	destroyResets      = "reset"
	destroyDisconnects = "disconnect"
)

// interrupts ends the description of an attribute whose change replaces both gateways; what is nested in it need not repeat it.
const interrupts = " A change replaces both gateways and interrupts traffic for some seconds."

// interruptsClient ends the description of one whose change replaces the client's gateway alone.
const interruptsClient = " A change replaces the client's gateway and interrupts traffic for some seconds."

// Schema implements [resource.Resource].
func (r *shortcutResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		Version: shortcutVersion,
		MarkdownDescription: "Joins two leaf clusters of a Liqo topology directly, so that traffic between them does not take the detour through " +
			"the central cluster. Does what `liqoctl network connect` does, and on destroy what `liqoctl network reset` does.",
		Attributes: map[string]schema.Attribute{
			"id": computedString("The two cluster IDs, as `client_cluster_id/server_cluster_id`."),
			"client": schema.StringAttribute{
				Required: true,
				MarkdownDescription: "Name of the leaf that dials: a key of the provider's `clusters`, or a context of its kubeconfig. " +
					"Another cluster behind the name forces replacement; another name for the same cluster does not.",
				Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"server": schema.StringAttribute{
				Required: true,
				MarkdownDescription: "Name of the leaf that exposes the gateway: a key of the provider's `clusters`, or a context of its kubeconfig. " +
					"Another cluster behind the name forces replacement; another name for the same cluster does not.",
				Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"mtu": schema.Int32Attribute{
				Optional: true, Computed: true,
				Default:             int32default.StaticInt32(end.DefaultMTU),
				MarkdownDescription: "MTU of the tunnel at both ends, in bytes, from 576 to 65535. Default: `1340`." + interrupts,
				Validators:          []validator.Int32{int32validator.Between(minMTU, maxMTU)},
			},
			"server_gateway": serverGatewayAttribute(ctx),
			"client_gateway": clientGatewayAttribute(),
			"wait_for_connection": schema.BoolAttribute{
				Optional: true, Computed: true,
				Default: booldefault.StaticBool(true),
				MarkdownDescription: "Whether an apply waits until both ends report the tunnel as up. With `false` it ends once everything is in " +
					"place. A tunnel that is down is no change to plan in either case. Default: `true`.",
			},
			"share_keys": schema.BoolAttribute{
				Optional: true, Computed: true,
				Default: booldefault.StaticBool(true),
				MarkdownDescription: "Whether each leaf is told the public key of the other's gateway. With `false` somebody else must do that, and an apply " +
					"does not wait for the tunnel. Default: `true`.",
			},
			"cidr_remapping": schema.StringAttribute{
				Optional: true, Computed: true,
				Default: stringdefault.StaticString(remappingAllowed),
				MarkdownDescription: "`allow`: Liqo remaps what overlaps. `forbid`: an apply fails, before any gateway exists, if a leaf would reach a pod CIDR " +
					"of the other at another address. Default: `allow`.",
				Validators: []validator.String{stringvalidator.OneOf(remappingAllowed, remappingForbidden)},
			},
			"adopt_existing": schema.BoolAttribute{
				Optional: true, Computed: true,
				Default: booldefault.StaticBool(false),
				MarkdownDescription: "Whether to take over a network that already joins the two leaves, made by liqoctl or by a peering, in either direction. What " +
					"is taken over is removed on destroy. Default: `false`.",
			},
			"on_destroy": schema.StringAttribute{
				Optional: true, Computed: true,
				Default: stringdefault.StaticString(destroyResets),
				MarkdownDescription: "`reset`: a destroy leaves nothing behind. `disconnect`: it removes the gateways and keeps the Configurations, so that a " +
					"later shortcut of the same leaves finds the same remapping. Default: `reset`.",
				Validators: []validator.String{stringvalidator.OneOf(destroyResets, destroyDisconnects)},
			},
			"force_destroy": schema.BoolAttribute{
				Optional: true, Computed: true,
				Default: booldefault.StaticBool(false),
				MarkdownDescription: "Whether to destroy although one of the leaves is lost: it does not answer, the provider block does not list its cluster any more, or there " +
					"is no Liqo or another certificate where it was. The other one is cleaned then. It must be applied before the destroy, which needs no leaf if nothing else changes. " +
					"Default: `false`.",
			},
			"destroy_peering_network": schema.BoolAttribute{
				Optional: true, Computed: true,
				Default: booldefault.StaticBool(false),
				MarkdownDescription: "Whether to destroy although a peering uses the network, which then has none. The peering's tenant namespaces stay. It must be " +
					"applied before the destroy, which needs no leaf if nothing else changes. Default: `false`.",
			},
			"timeouts": timeoutsAttribute(ctx),

			"owner_id":          computedString("Random ID of this resource instance. It marks on the leaves what belongs to the instance; nothing else is changed or removed."),
			"client_cluster_id": computedString("Liqo's cluster ID of the client."),
			"server_cluster_id": computedString("Liqo's cluster ID of the server."),
			"client_namespace":  namespaceAttribute("client", "server", interruptsClient),
			"server_namespace":  namespaceAttribute("server", "client", interrupts),
			"client_network":    networkAttribute("client", "server"),
			"server_network":    networkAttribute("server", "client"),
			"server_endpoint":   serverEndpointAttribute(),
			"status": schema.StringAttribute{
				Computed: true,
				MarkdownDescription: "`Connected`: both ends report the tunnel as up. `Connecting`: everything is in place and the tunnel is not up, or a gateway has stopped reporting. " +
					"`Error`: an end reports that the tunnel failed. `Disconnected`: something is missing; the next apply repairs it in place.",
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

// shortcutModel is a liqo_shortcut in configuration, plan and state. What is nested in it has a model of its own, in the file of its block.
type shortcutModel struct {
	ID                types.String   `tfsdk:"id"`
	Client            types.String   `tfsdk:"client"`
	Server            types.String   `tfsdk:"server"`
	MTU               types.Int32    `tfsdk:"mtu"`
	ServerGateway     types.Object   `tfsdk:"server_gateway"`
	ClientGateway     types.Object   `tfsdk:"client_gateway"`
	WaitForConnection types.Bool     `tfsdk:"wait_for_connection"`
	ShareKeys         types.Bool     `tfsdk:"share_keys"`
	CIDRRemapping     types.String   `tfsdk:"cidr_remapping"`
	AdoptExisting     types.Bool     `tfsdk:"adopt_existing"`
	OnDestroy         types.String   `tfsdk:"on_destroy"`
	ForceDestroy      types.Bool     `tfsdk:"force_destroy"`
	DestroyPeering    types.Bool     `tfsdk:"destroy_peering_network"`
	Timeouts          timeouts.Value `tfsdk:"timeouts"`
	OwnerID           types.String   `tfsdk:"owner_id"`
	ClientClusterID   types.String   `tfsdk:"client_cluster_id"`
	ServerClusterID   types.String   `tfsdk:"server_cluster_id"`
	ClientNamespace   types.String   `tfsdk:"client_namespace"`
	ServerNamespace   types.String   `tfsdk:"server_namespace"`
	ClientNetwork     types.Object   `tfsdk:"client_network"`
	ServerNetwork     types.Object   `tfsdk:"server_network"`
	ServerEndpoint    types.Object   `tfsdk:"server_endpoint"`
	Status            types.String   `tfsdk:"status"`
}

// importedSettings are what an import takes for granted: what no leaf shows is as it is by default, so that a configuration that says nothing of it makes an empty plan.
var importedSettings = map[string]any{
	"wait_for_connection": true, "share_keys": true, "cidr_remapping": remappingAllowed, "adopt_existing": false, "on_destroy": destroyResets,
	"force_destroy": false, "destroy_peering_network": false,
}

// spec is how the shortcut shall be. The plan has the defaults; what the user has left to the leaves can only be told from the configuration, because the
// plan may have the state's value in its place.
func (m *shortcutModel) spec(ctx context.Context, config *shortcutModel) (shortcut.Spec, diag.Diagnostics) {
	server, diags := serverGatewaySpec(ctx, m.ServerGateway)
	client, clientDiags := clientGatewaySpec(ctx, m.ClientGateway)
	diags.Append(clientDiags...)
	clientEnd, clientEndDiags := endSpec(ctx, config.ClientNamespace, config.ClientNetwork)
	diags.Append(clientEndDiags...)
	serverEnd, serverEndDiags := endSpec(ctx, config.ServerNamespace, config.ServerNetwork)
	diags.Append(serverEndDiags...)
	return shortcut.Spec{
		MTU:               int(m.MTU.ValueInt32()),
		Server:            server,
		Client:            client,
		ClientEnd:         clientEnd,
		ServerEnd:         serverEnd,
		ForbidRemapping:   m.CIDRRemapping.ValueString() == remappingForbidden,
		KeysByOthers:      m.keysByOthers(),
		Adopt:             m.AdoptExisting.ValueBool(),
		WaitForConnection: m.WaitForConnection.ValueBool(),
	}, diags
}

// after adds to the spec of an update what it must know of the settings before it.
func (m *shortcutModel) after(spec shortcut.Spec) shortcut.Spec {
	spec.ClientEnd.FormerKeySecret = keySecretOf(m.ClientGateway, m.ClientNamespace)
	spec.ServerEnd.FormerKeySecret = keySecretOf(m.ServerGateway, m.ServerNamespace)
	return spec
}

// removal is what a destroy shall remove.
func (m *shortcutModel) removal() shortcut.Removal {
	return shortcut.Removal{
		KeepConfigurations: m.OnDestroy.ValueString() == destroyDisconnects,
		EvenFromPeering:    m.DestroyPeering.ValueBool(),
		ClientKeySecret:    keySecretOf(m.ClientGateway, m.ClientNamespace),
		ServerKeySecret:    keySecretOf(m.ServerGateway, m.ServerNamespace),
	}
}

// keysByOthers is the opposite of `share_keys`, whose default is true.
func (m *shortcutModel) keysByOthers() bool { return !m.ShareKeys.IsNull() && !m.ShareKeys.ValueBool() }

// observed takes over how the shortcut really is. Settings whose object is missing keep their value: the status tells that something is to be
// repaired.
func (m *shortcutModel) observed(ctx context.Context, state shortcut.State) diag.Diagnostics {
	m.observedEnds(state)
	m.observedMTU(state)
	diags := m.observedServerGateway(ctx, state)
	diags.Append(m.observedClientGateway(ctx, state)...)
	return diags
}

// observedEnds takes over what there is of the shortcut, and no setting of a gateway.
func (m *shortcutModel) observedEnds(state shortcut.State) {
	m.ID = types.StringValue(string(state.Client.ClusterID) + "/" + string(state.Server.ClusterID))
	m.ClientClusterID = types.StringValue(string(state.Client.ClusterID))
	m.ServerClusterID = types.StringValue(string(state.Server.ClusterID))
	m.ClientNamespace = known(m.ClientNamespace, state.Client.Namespace)
	m.ServerNamespace = known(m.ServerNamespace, state.Server.Namespace)
	m.ClientNetwork = networkObject(state.Client.Network)
	m.ServerNetwork = networkObject(state.Server.Network)
	m.ServerEndpoint = endpointObject(state.ServerEndpoint)
	m.Status = types.StringValue(string(state.Status))
}

// observedMTU takes over the MTU of that end which is not as it should be, if there is one.
func (m *shortcutModel) observedMTU(state shortcut.State) {
	for _, end := range []struct {
		exists bool
		mtu    int
	}{
		{state.ServerGateway != nil, state.Server.MTU},
		{state.ClientGateway != nil, state.Client.MTU},
	} {
		if mtu := types.Int32Value(int32(end.mtu)); end.exists && !mtu.Equal(m.MTU) { //nolint:gosec // Liqo's API holds it in far fewer bits
			m.MTU = mtu
			return
		}
	}
}

func (m *shortcutModel) equal(other *shortcutModel) bool {
	ours, theirs := reflect.ValueOf(*m), reflect.ValueOf(*other)
	for i := range ours.NumField() {
		our, ok := reflect.TypeAssert[attr.Value](ours.Field(i))
		their, alsoOK := reflect.TypeAssert[attr.Value](theirs.Field(i))
		if !ok || !alsoOK || !our.Equal(their) {
			return false
		}
	}
	return true
}

// changesSettingsOnly reports whether a plan changes nothing but settings that no leaf shows, so that it can be recorded without the leaves: one that is gone
// for good must not keep anybody from giving it up. What [planMoves] finds is no such change, so it comes first.
func (m *shortcutModel) changesSettingsOnly(state *shortcutModel) bool {
	rest := *m
	rest.Client, rest.Server = state.Client, state.Server // other names for the same clusters: their IDs are compared below
	rest.OnDestroy, rest.ForceDestroy, rest.DestroyPeering = state.OnDestroy, state.ForceDestroy, state.DestroyPeering
	rest.Timeouts = state.Timeouts
	rest.WaitForConnection = state.WaitForConnection   // nothing is waited for where nothing is written
	if m.AdoptExisting.Equal(types.BoolValue(false)) { // to adopt is work on the leaves
		rest.AdoptExisting = state.AdoptExisting
	}
	if m.CIDRRemapping.ValueString() == remappingAllowed { // only a leaf reports whether it has remapped what is forbidden now
		rest.CIDRRemapping = state.CIDRRemapping
	}
	rest.promiseStatusOf(state)
	return rest.equal(state)
}
