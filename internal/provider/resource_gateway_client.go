package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/int32validator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// newGatewayClientResource returns the resource liqo_gateway_client: the gateway that dials the other one.
func newGatewayClientResource() resource.Resource {
	return newEndResource[gatewayClientModel](owner.GatewayClientResource, gatewayClientSchema)
}

func gatewayClientSchema(ctx context.Context) schema.Schema {
	return schema.Schema{
		MarkdownDescription: "The client gateway of a network: it dials the server gateway on the remote cluster. An " +
			"apply waits for its keys, but not for the tunnel." + oneEndInGuide,
		Attributes: endAttributes(ctx, gatewayAttributes(map[string]schema.Attribute{
			"server_address": schema.StringAttribute{
				Required: true,
				MarkdownDescription: "IP address or DNS name to dial: the first one of the remote `liqo_gateway_server`'s " +
					"`endpoint`, or another one that leads there. A change restarts the gateway.",
				Validators: []validator.String{hostAddress()},
			},
			"server_port": schema.Int32Attribute{
				Required: true,
				MarkdownDescription: "UDP port to dial: that of the `endpoint`, or another one that leads there. A change " +
					"restarts the gateway.",
				Validators: []validator.Int32{int32validator.Between(1, maxPort)},
			},
			"template": templateAttribute(liqo.DefaultClientTemplateName, liqo.DefaultClientTemplateResource),
			"pods":     podsAttribute(podsOfEnd + podsChange),
		})),
	}
}

type gatewayClientModel struct {
	endGatewayModel
	clientGatewayModel
}

func (m *gatewayClientModel) validate(ctx context.Context) diag.Diagnostics {
	return append(validatePods(ctx, m.Pods, path.Empty()), validateAllow(ctx, m.Allow)...)
}

func (m *gatewayClientModel) spec(ctx context.Context) liqo.GatewaySettings {
	return gatewaySettings(ctx, liqo.ClientRole, objectOf(ctx, clientGatewayTypes, &m.clientGatewayModel))
}

// intent leaves out what the gateway dials, which another resource may make.
func (m *gatewayClientModel) intent(ctx context.Context) end.Intent {
	gateway := clientGatewayModel{gatewayModel: m.gatewayModel}
	return m.intentFor(ctx, knownSettings(ctx, liqo.ClientRole, objectOf(ctx, clientGatewayTypes, &gateway)))
}

func (m *gatewayClientModel) keySecret() liqo.KeySecret { return m.secretOf(m.gatewayModel) }

// planComputed keeps the key while Liqo does not make another gateway.
func (m *gatewayClientModel) planComputed(_ context.Context, state *gatewayClientModel) {
	if state == nil {
		m.promiseKey(nil, false)
		return
	}
	m.promiseKey(&state.endGatewayModel, !m.KeySecretName.Equal(state.KeySecretName) || !m.Template.Equal(state.Template))
}

func (m *gatewayClientModel) ensure(ctx context.Context, object shortcut.EndObject, namespace string) error {
	return m.ensureGateway(ctx, object, namespace, m.spec(ctx))
}

func (m *gatewayClientModel) observed(ctx context.Context, observed shortcut.EndObjectState) diag.Diagnostics {
	set := m.spec(ctx)
	set.ServerAddress, set.ServerPort = observed.Gateway.ServerAddress, observed.Gateway.ServerPort
	found := set.Observed(*observed.Gateway, nil, observed.LiqoNamespace)
	m.observedEnd(ctx, observed)
	return objectOf(ctx, clientGatewayTypes, &found).As(ctx, &m.clientGatewayModel, basetypes.ObjectAsOptions{})
}

func (m *gatewayClientModel) keepPlanned(plan *gatewayClientModel) {
	keepKnown(&m.PublicKey, plan.PublicKey)
}
