package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	corev1 "k8s.io/api/core/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// spec is how the shortcut shall be. The plan has the defaults; what the user has left to the leaves can only be told from the configuration, because the
// plan may have the state's value in its place.
func (m *shortcutModel) spec(ctx context.Context, config *shortcutModel) (shortcut.Spec, diag.Diagnostics) {
	server, diags := m.serverGatewaySpec(ctx)
	client, clientDiags := m.clientGatewaySpec(ctx)
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

// keysByOthers is the opposite of `share_keys`, whose default is true.
func (m *shortcutModel) keysByOthers() bool { return !m.ShareKeys.IsNull() && !m.ShareKeys.ValueBool() }

func (m *shortcutModel) removal() shortcut.Removal {
	return shortcut.Removal{
		KeepConfigurations: m.OnDestroy.ValueString() == destroyDisconnects,
		EvenFromPeering:    m.DestroyPeering.ValueBool(),
		ClientKeySecret:    keySecretOf(m.ClientGateway, m.ClientNamespace),
		ServerKeySecret:    keySecretOf(m.ServerGateway, m.ServerNamespace),
	}
}

// after adds to the spec of an update what it must know of the settings before it.
func (m *shortcutModel) after(spec shortcut.Spec) shortcut.Spec {
	spec.ClientEnd.FormerKeySecret = keySecretOf(m.ClientGateway, m.ClientNamespace)
	spec.ServerEnd.FormerKeySecret = keySecretOf(m.ServerGateway, m.ServerNamespace)
	return spec
}

// keySecretOf is the Secret of the user's own that the state's settings of a gateway name; without a name where they name none.
func keySecretOf(gateway types.Object, namespace types.String) end.KeySecret {
	name, ok := gateway.Attributes()["key_secret"].(types.String)
	if !ok || name.ValueString() == "" {
		return end.KeySecret{}
	}
	return end.KeySecret{Namespace: namespace.ValueString(), Name: name.ValueString()}
}

func (m *shortcutModel) serverGatewaySpec(ctx context.Context) (end.GatewayServer, diag.Diagnostics) {
	var model serverGatewayModel
	diags := m.ServerGateway.As(ctx, &model, basetypes.ObjectAsOptions{})
	gateway := end.GatewayServer{
		ServiceType:    corev1.ServiceType(model.ServiceType.ValueString()),
		Port:           model.Port.ValueInt32(),
		NodePort:       model.NodePort.ValueInt32(),
		LoadBalancerIP: model.LoadBalancerIP.ValueString(),
		KeySecret:      model.KeySecret.ValueString(),
	}
	diags.Append(model.ServiceAnnotations.ElementsAs(ctx, &gateway.ServiceAnnotations, false)...)
	diags.Append(model.ServiceLabels.ElementsAs(ctx, &gateway.ServiceLabels, false)...)
	template, templateDiags := templateSpec(ctx, model.Template)
	gateway.Template = template
	diags.Append(templateDiags...)
	return gateway, diags
}

func (m *shortcutModel) clientGatewaySpec(ctx context.Context) (end.GatewayClient, diag.Diagnostics) {
	if m.ClientGateway.IsNull() {
		return end.GatewayClient{}, nil
	}
	var model clientGatewayModel
	diags := m.ClientGateway.As(ctx, &model, basetypes.ObjectAsOptions{})
	template, templateDiags := templateSpec(ctx, model.Template)
	diags.Append(templateDiags...)
	return end.GatewayClient{
		ConnectAddress: model.ConnectAddress.ValueString(),
		ConnectPort:    model.ConnectPort.ValueInt32(),
		KeySecret:      model.KeySecret.ValueString(),
		Template:       template,
	}, diags
}

func templateSpec(ctx context.Context, object types.Object) (end.Template, diag.Diagnostics) {
	if object.IsNull() {
		return end.Template{}, nil
	}
	var model templateModel
	diags := object.As(ctx, &model, basetypes.ObjectAsOptions{})
	return end.Template{
		Name: model.Name.ValueString(), Namespace: model.Namespace.ValueString(), Resource: model.Resource.ValueString(),
	}, diags
}

func endSpec(ctx context.Context, namespace types.String, network types.Object) (shortcut.EndSpec, diag.Diagnostics) {
	announcement, diags := announcementSpec(ctx, network)
	return shortcut.EndSpec{Namespace: namespace.ValueString(), Announcement: announcement}, diags
}

func announcementSpec(ctx context.Context, network types.Object) (end.Announcement, diag.Diagnostics) {
	if network.IsNull() {
		return end.Announcement{}, nil
	}
	var model networkModel
	diags := network.As(ctx, &model, basetypes.ObjectAsOptions{})
	announcement := end.Announcement{ExternalCIDR: model.ExternalCIDR.ValueString()}
	diags.Append(model.PodCIDRs.ElementsAs(ctx, &announcement.PodCIDRs, false)...)
	return announcement, diags
}
