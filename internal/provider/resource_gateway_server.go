package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// newGatewayServerResource returns the resource liqo_gateway_server: the gateway that the other one dials.
func newGatewayServerResource() resource.Resource {
	return newEndResource[gatewayServerModel](owner.GatewayServerResource, gatewayServerSchema)
}

func gatewayServerSchema(ctx context.Context) schema.Schema {
	own := serverGatewayAttributes()
	own["pods"] = podsAttribute(podsOfEnd + podsChange)
	own["endpoint"] = schema.SingleNestedAttribute{
		Computed: true, Attributes: endpointAttributes(),
		MarkdownDescription: "Address and port of this gateway, as it reports them, for `server_address` and " +
			"`server_port` of the remote `liqo_gateway_client`.",
	}
	return schema.Schema{
		MarkdownDescription: "The server gateway of a network: the client gateway on the remote cluster dials it. An " +
			"apply waits for its address and keys, but not for the tunnel." + oneEndInGuide,
		Attributes: endAttributes(ctx, gatewayAttributes(own)),
	}
}

type gatewayServerModel struct {
	endGatewayModel
	serverGatewayModel

	Endpoint types.Object `tfsdk:"endpoint"`
}

func (m *gatewayServerModel) validate(ctx context.Context) diag.Diagnostics {
	return append(m.serverGatewayModel.validate(ctx, path.Empty()), validateAllow(ctx, m.Allow)...)
}

func (m *gatewayServerModel) settings(ctx context.Context) types.Object {
	return objectOf(ctx, serverGatewayTypes, &m.serverGatewayModel)
}

func (m *gatewayServerModel) spec(ctx context.Context) liqo.GatewaySettings {
	return gatewaySettings(ctx, liqo.ServerRole, m.settings(ctx))
}

func (m *gatewayServerModel) intent(ctx context.Context) end.Intent {
	return m.intentFor(ctx, knownSettings(ctx, liqo.ServerRole, m.settings(ctx)))
}

func (m *gatewayServerModel) keySecret() liqo.KeySecret { return m.secretOf(m.gatewayModel) }

// planComputed keeps the address while the settings of the Service stay the same, and the key while Liqo does not make
// another gateway.
func (m *gatewayServerModel) planComputed(ctx context.Context, state *gatewayServerModel) {
	m.Endpoint = types.ObjectUnknown(endpointTypes)
	if state == nil {
		m.promiseKey(nil, false)
		return
	}
	// Without an endpoint, the Service may be lost, and then the gateway is replaced.
	isReplaced := !m.KeySecretName.Equal(state.KeySecretName) || !m.Template.Equal(state.Template) ||
		!given(state.Endpoint) ||
		!given(state.PublicKey)
	m.promiseKey(&state.endGatewayModel, isReplaced)
	if !isReplaced && !serverMayMove(m.settings(ctx), state.settings(ctx)) {
		m.Endpoint = state.Endpoint
	}
}

func (m *gatewayServerModel) ensure(ctx context.Context, object shortcut.EndObject, namespace string) error {
	return m.ensureGateway(ctx, object, namespace, m.spec(ctx))
}

func (m *gatewayServerModel) observed(ctx context.Context, observed shortcut.EndObjectState) diag.Diagnostics {
	found := m.spec(ctx).Observed(*observed.Gateway, nil, observed.LiqoNamespace)
	m.Endpoint = objectOf(ctx, endpointTypes, observed.Endpoint)
	m.observedEnd(ctx, observed)
	return objectOf(ctx, serverGatewayTypes, &found).As(ctx, &m.serverGatewayModel, basetypes.ObjectAsOptions{})
}

func (m *gatewayServerModel) keepPlanned(plan *gatewayServerModel) {
	keepKnown(&m.Endpoint, plan.Endpoint)
	keepKnown(&m.PublicKey, plan.PublicKey)
}
