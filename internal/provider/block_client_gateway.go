package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/int32validator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// clientGatewayAttribute returns the schema of `client_gateway` of a liqo_shortcut.
func clientGatewayAttribute() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Optional:            true,
		MarkdownDescription: "Settings of the client's gateway." + costsInGuide,
		Attributes: map[string]schema.Attribute{
			"server_address": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "IP address or DNS name to dial. Default: the first one of `server_endpoint`. A change " +
					"restarts the gateway.",
				Validators: []validator.String{hostAddress()},
			},
			"server_port": schema.Int32Attribute{
				Optional:            true,
				MarkdownDescription: "UDP port to dial. Default: that of `server_endpoint`. A change restarts the gateway.",
				Validators:          []validator.Int32{int32validator.Between(1, maxPort)},
			},
			"key_secret_name": keySecretAttribute("client_namespace"),
			"template":        templateAttribute(liqo.DefaultClientTemplateName, liqo.DefaultClientTemplateResource),
			"pods":            podsAttribute(podsOfOne),
		},
	}
}

type clientGatewayModel struct {
	ServerAddress types.String `tfsdk:"server_address"`
	ServerPort    types.Int32  `tfsdk:"server_port"`

	gatewayModel
}

var clientGatewayTypes = attributeTypes(clientGatewayAttribute().Attributes)

// observedClientGateway copies the settings of the gateway client from the leaf into the model, if the leaf has one.
// The settings may leave the address and the port to the server. So it sets these two only if the leaf has others than
// the settings lead to.
func (m *shortcutModel) observedClientGateway(ctx context.Context, state shortcut.State) {
	if state.ClientGateway == nil {
		return
	}
	set := gatewaySettings(ctx, liqo.ClientRole, m.ClientGateway)
	observed := set.Observed(*state.ClientGateway, state.ServerEndpoint, state.Client.LiqoNamespace)
	object := objectOf(ctx, clientGatewayTypes, &observed)
	if m.ClientGateway.IsNull() && object.Equal(objectWith(ctx, clientGatewayTypes, nil)) {
		return // the configuration has no block, and the leaf has defaults only
	}
	m.ClientGateway = object
}
