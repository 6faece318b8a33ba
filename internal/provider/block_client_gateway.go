package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/int32validator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
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
			"template":   templateAttribute(end.DefaultClientTemplateName, end.DefaultClientTemplateResource),
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
func clientGatewaySpec(ctx context.Context, set types.Object) (end.GatewayClient, diag.Diagnostics) {
	if set.IsNull() {
		return end.GatewayClient{}, nil
	}
	var model clientGatewayModel
	diags := set.As(ctx, &model, basetypes.ObjectAsOptions{})
	template, templateDiags := templateSpec(ctx, model.Template)
	diags.Append(templateDiags...)
	return end.GatewayClient{
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
	var set end.GatewayClient
	if given(m.ClientGateway) {
		var diags diag.Diagnostics
		if set, diags = clientGatewaySpec(ctx, m.ClientGateway); diags.HasError() {
			return diags
		}
	}
	found := set.Observed(*state.ClientGateway, state.ServerEndpoint, state.Client.LiqoNamespace)
	object, diags := types.ObjectValueFrom(ctx, clientGatewayTypes, clientGatewayModel{
		ConnectAddress: stringOrNull(found.ConnectAddress),
		ConnectPort:    int32OrNull(found.ConnectPort),
		KeySecret:      stringOrNull(found.KeySecret),
		Template:       templateObject(found.Template),
	})
	if m.ClientGateway.IsNull() && object.Equal(objectWith(ctx, clientGatewayTypes, nil)) {
		return diags // nothing was set, and nothing is as if something was
	}
	m.ClientGateway = object
	return diags
}
