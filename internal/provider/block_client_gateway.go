package provider

import (
	"cmp"
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/int32validator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// clientGatewayAttribute is the `client_gateway` of a liqo_shortcut.
func clientGatewayAttribute() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Optional:            true,
		MarkdownDescription: "How the client's gateway dials, if not as the server's gateway says." + interruptsClient,
		Attributes: map[string]schema.Attribute{
			"connect_address": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "IP address or DNS name to dial. Default: the first of the server's own.",
				Validators:          []validator.String{hostAddress()},
			},
			"connect_port": schema.Int32Attribute{
				Optional:            true,
				MarkdownDescription: "UDP port to dial. Default: the server's own.",
				Validators:          []validator.Int32{int32validator.Between(1, maxPort)},
			},
			"key_secret": keySecretAttribute("client"),
			"template":   templateAttribute(shortcut.DefaultClientTemplateName, shortcut.DefaultClientTemplateResource),
		},
	}
}

type clientGatewayModel struct {
	ConnectAddress types.String `tfsdk:"connect_address"`
	ConnectPort    types.Int32  `tfsdk:"connect_port"`
	KeySecret      types.String `tfsdk:"key_secret"`
	Template       types.Object `tfsdk:"template"`
}

var clientGatewayTypes = attributeTypes(clientGatewayAttribute().Attributes)

// clientGatewaySpec is where and how the client shall dial, if not as the server says.
func clientGatewaySpec(ctx context.Context, set types.Object) (shortcut.ClientGateway, diag.Diagnostics) {
	if set.IsNull() {
		return shortcut.ClientGateway{}, nil
	}
	var model clientGatewayModel
	diags := set.As(ctx, &model, basetypes.ObjectAsOptions{})
	template, templateDiags := templateSpec(ctx, model.Template)
	diags.Append(templateDiags...)
	return shortcut.ClientGateway{
		ConnectAddress: model.ConnectAddress.ValueString(),
		ConnectPort:    model.ConnectPort.ValueInt32(),
		KeySecret:      model.KeySecret.ValueString(),
		Template:       template,
	}, diags
}

// observedClientGateway takes over how the client dials, if it has a gateway: its address and port only if they are not what the settings lead to, which may leave
// them to the server.
func (m *shortcutModel) observedClientGateway(ctx context.Context, state shortcut.State) diag.Diagnostics {
	if state.ClientGateway == nil {
		return nil
	}
	var set clientGatewayModel
	if given(m.ClientGateway) {
		if diags := m.ClientGateway.As(ctx, &set, basetypes.ObjectAsOptions{}); diags.HasError() {
			return diags
		}
	}
	found := state.ClientGateway
	address, port := set.ConnectAddress.ValueString(), set.ConnectPort.ValueInt32()
	if endpoint := state.ServerEndpoint; endpoint != nil {
		address, port = cmp.Or(address, endpoint.Addresses[0]), cmp.Or(port, endpoint.Port)
	} else { // the server has none for a moment, and nobody knows yet whether it will be another
		address, port = cmp.Or(address, found.ConnectAddress), cmp.Or(port, found.ConnectPort)
	}
	if found.ConnectAddress != address {
		set.ConnectAddress = stringOrNull(found.ConnectAddress)
	}
	if found.ConnectPort != port {
		set.ConnectPort = int32OrNull(found.ConnectPort)
	}
	set.KeySecret = stringOrNull(found.KeySecret)
	set.Template = templateObject(set.Template, found.Template, shortcut.Template{
		Name: shortcut.DefaultClientTemplateName, Namespace: state.Client.LiqoNamespace, Resource: shortcut.DefaultClientTemplateResource,
	})
	object, diags := types.ObjectValueFrom(ctx, clientGatewayTypes, set)
	if m.ClientGateway.IsNull() && object.Equal(objectWith(ctx, clientGatewayTypes, nil)) {
		return diags // nothing was set, and nothing is as if something was
	}
	m.ClientGateway = object
	return diags
}
