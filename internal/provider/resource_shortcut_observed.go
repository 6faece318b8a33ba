package provider

import (
	"cmp"
	"context"

	"github.com/hashicorp/terraform-plugin-framework-nettypes/cidrtypes"
	"github.com/hashicorp/terraform-plugin-framework-nettypes/iptypes"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// observed takes over how the shortcut really is. Settings whose object is missing keep their value: the status tells that something is to be
// repaired.
func (m *shortcutModel) observed(ctx context.Context, state shortcut.State) diag.Diagnostics {
	m.ID = types.StringValue(string(state.Client.ClusterID) + "/" + string(state.Server.ClusterID))
	m.ClientClusterID = types.StringValue(string(state.Client.ClusterID))
	m.ServerClusterID = types.StringValue(string(state.Server.ClusterID))
	m.ClientNamespace = known(m.ClientNamespace, state.Client.Namespace)
	m.ServerNamespace = known(m.ServerNamespace, state.Server.Namespace)
	m.ClientNetwork = networkObject(state.Client.Network)
	m.ServerNetwork = networkObject(state.Server.Network)
	m.ServerEndpoint = endpointObject(state.ServerEndpoint)
	m.Status = types.StringValue(string(state.Status))
	m.observedMTU(state)
	diags := m.observedServerGateway(ctx, state)
	diags.Append(m.observedClientGateway(ctx, state)...)
	return diags
}

// observedMTU takes over the MTU of that end which is not as it should be, if there is one.
func (m *shortcutModel) observedMTU(state shortcut.State) {
	for _, mtu := range []int{state.Server.MTU, state.Client.MTU} {
		if mtu != 0 && int32(mtu) != m.MTU.ValueInt32() { //nolint:gosec // Liqo's API holds it in far fewer bits
			m.MTU = types.Int32Value(int32(mtu)) //nolint:gosec // as above
			return
		}
	}
}

func (m *shortcutModel) observedServerGateway(ctx context.Context, state shortcut.State) diag.Diagnostics {
	if state.ServerGateway == nil {
		return nil
	}
	var settings serverGatewayModel
	if !m.ServerGateway.IsNull() && !m.ServerGateway.IsUnknown() {
		if diags := m.ServerGateway.As(ctx, &settings, basetypes.ObjectAsOptions{}); diags.HasError() {
			return diags
		}
	}
	found := state.ServerGateway
	object, diags := types.ObjectValueFrom(ctx, serverGatewayTypes, serverGatewayModel{
		ServiceType:        types.StringValue(string(found.ServiceType)),
		Port:               types.Int32Value(found.Port),
		NodePort:           int32OrNull(found.NodePort),
		LoadBalancerIP:     ipOrNull(found.LoadBalancerIP),
		ServiceAnnotations: textMap(settings.ServiceAnnotations, found.ServiceAnnotations),
		ServiceLabels:      textMap(settings.ServiceLabels, found.ServiceLabels),
		KeySecret:          stringOrNull(found.KeySecret),
		Template: templateObject(settings.Template, found.Template, end.Template{
			Name: end.DefaultServerTemplateName, Namespace: state.Server.LiqoNamespace, Resource: end.DefaultServerTemplateResource,
		}),
	})
	m.ServerGateway = object
	return diags
}

// observedClientGateway takes over where the client dials only if that is not what its settings lead to: they may leave the address or the port to
// the server.
func (m *shortcutModel) observedClientGateway(ctx context.Context, state shortcut.State) diag.Diagnostics {
	if state.ClientGateway == nil {
		return nil
	}
	var settings clientGatewayModel
	if !m.ClientGateway.IsNull() && !m.ClientGateway.IsUnknown() {
		if diags := m.ClientGateway.As(ctx, &settings, basetypes.ObjectAsOptions{}); diags.HasError() {
			return diags
		}
	}
	found := state.ClientGateway
	address, port := settings.ConnectAddress.ValueString(), settings.ConnectPort.ValueInt32()
	if endpoint := state.ServerEndpoint; endpoint != nil {
		address, port = cmp.Or(address, endpoint.Addresses[0]), cmp.Or(port, endpoint.Port)
	} else { // the server has none for a moment, and nobody knows yet whether it will be another
		address, port = cmp.Or(address, found.ConnectAddress), cmp.Or(port, found.ConnectPort)
	}
	if found.ConnectAddress != address {
		settings.ConnectAddress = stringOrNull(found.ConnectAddress)
	}
	if found.ConnectPort != port {
		settings.ConnectPort = int32OrNull(found.ConnectPort)
	}
	settings.KeySecret = stringOrNull(found.KeySecret)
	settings.Template = templateObject(settings.Template, found.Template, end.Template{
		Name: end.DefaultClientTemplateName, Namespace: state.Client.LiqoNamespace, Resource: end.DefaultClientTemplateResource,
	})
	if m.ClientGateway.IsNull() && settings.empty() {
		return nil
	}
	object, diags := types.ObjectValueFrom(ctx, clientGatewayTypes, settings)
	m.ClientGateway = object
	return diags
}

func (m clientGatewayModel) empty() bool {
	return m.ConnectAddress.IsNull() && m.ConnectPort.IsNull() && m.KeySecret.IsNull() && m.Template.IsNull()
}

func defaultServerGateway() types.Object {
	return types.ObjectValueMust(serverGatewayTypes, map[string]attr.Value{
		"service_type":        types.StringValue(string(end.DefaultServiceType)),
		"port":                types.Int32Value(end.DefaultPort),
		"node_port":           types.Int32Null(),
		"load_balancer_ip":    iptypes.NewIPAddressNull(),
		"service_annotations": types.MapNull(types.StringType),
		"service_labels":      types.MapNull(types.StringType),
		"key_secret":          types.StringNull(),
		"template":            types.ObjectNull(templateTypes),
	})
}

// templateObject is null where nothing was set and nothing but the default was found. A namespace that was not set stays so while it is the default.
func templateObject(set types.Object, found, byDefault end.Template) types.Object {
	if set.IsNull() && found == byDefault {
		return types.ObjectNull(templateTypes)
	}
	namespace := types.StringValue(found.Namespace)
	if given, ok := set.Attributes()["namespace"]; (!ok || given.IsNull()) && found.Namespace == byDefault.Namespace {
		namespace = types.StringNull()
	}
	return types.ObjectValueMust(templateTypes, map[string]attr.Value{
		"name": types.StringValue(found.Name), "namespace": namespace, "resource": types.StringValue(found.Resource),
	})
}

func networkObject(network end.Network) types.Object {
	return types.ObjectValueMust(networkTypes, map[string]attr.Value{
		"pod_cidrs":              cidrList(network.PodCIDRs),
		"external_cidr":          cidrOrNull(network.ExternalCIDR),
		"remapped_pod_cidrs":     cidrList(network.RemappedPodCIDRs),
		"remapped_external_cidr": cidrOrNull(network.RemappedExternalCIDR),
	})
}

func endpointObject(endpoint *end.Endpoint) types.Object {
	if endpoint == nil {
		return types.ObjectNull(endpointTypes)
	}
	addresses := make([]attr.Value, len(endpoint.Addresses))
	for i, address := range endpoint.Addresses {
		addresses[i] = types.StringValue(address)
	}
	return types.ObjectValueMust(endpointTypes, map[string]attr.Value{
		"addresses": types.ListValueMust(types.StringType, addresses),
		"port":      types.Int32Value(endpoint.Port),
		"protocol":  types.StringValue(endpoint.Protocol),
	})
}

// cidrList is null for nil.
func cidrList(cidrs []string) types.List {
	if cidrs == nil {
		return types.ListNull(cidrtypes.IPPrefixType{})
	}
	values := make([]attr.Value, len(cidrs))
	for i, cidr := range cidrs {
		values[i] = cidrtypes.NewIPPrefixValue(cidr)
	}
	return types.ListValueMust(cidrtypes.IPPrefixType{}, values)
}

func cidrOrNull(cidr string) cidrtypes.IPPrefix {
	if cidr == "" {
		return cidrtypes.NewIPPrefixNull()
	}
	return cidrtypes.NewIPPrefixValue(cidr)
}

// textMap is as null as it was set where there is nothing in it.
func textMap(set types.Map, found map[string]string) types.Map {
	if len(found) == 0 && (set.IsNull() || set.IsUnknown()) {
		return types.MapNull(types.StringType)
	}
	values := make(map[string]attr.Value, len(found))
	for key, text := range found {
		values[key] = types.StringValue(text)
	}
	return types.MapValueMust(types.StringType, values)
}

func stringOrNull(text string) types.String {
	if text == "" {
		return types.StringNull()
	}
	return types.StringValue(text)
}

func int32OrNull(number int32) types.Int32 {
	if number == 0 {
		return types.Int32Null()
	}
	return types.Int32Value(number)
}

func ipOrNull(address string) iptypes.IPAddress {
	if address == "" {
		return iptypes.NewIPAddressNull()
	}
	return iptypes.NewIPAddressValue(address)
}

// known is the new text, or the old one while there is no new one.
func known(old types.String, text string) types.String {
	if text == "" && !old.IsUnknown() {
		return old
	}
	return stringOrNull(text)
}
