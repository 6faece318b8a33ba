package provider

import (
	"context"
	"reflect"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

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

// keySecretOf is the Secret of the user's own that the state's settings of a gateway name; without a name where they name none.
func keySecretOf(gateway types.Object, namespace types.String) shortcut.KeySecret {
	name, ok := gateway.Attributes()["key_secret"].(types.String)
	if !ok || name.ValueString() == "" {
		return shortcut.KeySecret{}
	}
	return shortcut.KeySecret{Namespace: namespace.ValueString(), Name: name.ValueString()}
}

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
