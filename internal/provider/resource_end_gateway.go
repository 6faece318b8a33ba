package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	corev1 "k8s.io/api/core/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// gatewayAttributes returns the attributes of a gateway for one end: its own, and those that both of them have.
func gatewayAttributes(own map[string]schema.Attribute) map[string]schema.Attribute {
	attributes := map[string]schema.Attribute{
		"mtu": mtuAttribute("MTU of the tunnel, in bytes, from 576 to 65535. Both ends need the same. Default: `1340`. " +
			"A change restarts the gateway."),
		"allow": allowAttribute(allowAtEndDescription),
		"key_rotation_trigger": schema.StringAttribute{
			Optional: true,
			MarkdownDescription: "Any value, such as the `id` of a `time_rotating`. A change gives the gateway new " +
				"WireGuard keys and restarts it: the tunnel is down until the remote cluster has the new `public_key`. " +
				"Removing it changes nothing. Conflicts with `key_secret_name`.",
			Validators: []validator.String{
				stringvalidator.LengthAtLeast(1), stringvalidator.ConflictsWith(path.MatchRoot("key_secret_name")),
			},
		},
		"key_secret_name": keySecretAttribute("namespace"),
		"public_key": schema.StringAttribute{
			Computed: true,
			MarkdownDescription: "Public key of this gateway, in base64, for the `liqo_public_key` on the remote cluster. " +
				"It is no secret.",
		},
		"status": schema.StringAttribute{
			Computed: true,
			MarkdownDescription: "The tunnel, as this gateway reports it: `Connected`, `Connecting` or `Error`. " +
				"`Disconnected`: the rules of `allow` were edited or removed.",
		},
	}
	for name, attribute := range own {
		if _, common := attributes[name]; !common {
			attributes[name] = attribute
		}
	}
	return attributes
}

// gatewayModel has the settings that both gateways have, in a block or in a resource for one end.
type gatewayModel struct {
	KeySecretName types.String `tfsdk:"key_secret_name"`
	Template      types.Object `tfsdk:"template"`
	Pods          types.Object `tfsdk:"pods"`
}

// endGatewayModel has the attributes that both gateways for one end have, except for those of a block.
type endGatewayModel struct {
	endCommonModel
	tunnelModel

	Allow     types.Set    `tfsdk:"allow"`
	PublicKey types.String `tfsdk:"public_key"`
	Status    types.String `tfsdk:"status"`
}

// check finds rules of what may cross that the gateway can't enforce.
func (m *endGatewayModel) check(ctx context.Context, object shortcut.EndObject) diag.Diagnostics {
	if !given(m.Allow) || !fullyKnown(ctx, m.Allow) {
		return nil
	}
	return checkResult(path.Root("allow"), object.CheckAllow(ctx, allowSpec(ctx, m.Allow)))
}

func (m *endGatewayModel) rules() types.Set { return m.Allow }

// ensureGateway creates or changes the gateway with the settings of a resource. One that dials has a whole address.
func (m *endGatewayModel) ensureGateway(
	ctx context.Context, object shortcut.EndObject, namespace string, spec liqo.GatewaySettings,
) error {
	spec.TunnelSettings = m.tunnelSettings()
	server := liqo.Endpoint{Protocol: string(corev1.ProtocolUDP)}
	return object.EnsureGateway(ctx, namespace, allowSpec(ctx, m.Allow), server, spec)
}

func (m *endGatewayModel) secretOf(gateway gatewayModel) liqo.KeySecret {
	return liqo.KeySecret{Namespace: m.Namespace.ValueString(), Name: gateway.KeySecretName.ValueString()}
}

// promiseKey plans the key and the status of the state. They are unknown without a state, and the key also if the
// gateway gets new keys. isReplaced says whether the settings replace the gateway.
func (m *endGatewayModel) promiseKey(state *endGatewayModel, isReplaced bool) {
	m.PublicKey, m.Status = types.StringUnknown(), types.StringUnknown()
	if state == nil {
		return
	}
	m.Status = state.Status
	if given(state.PublicKey) && !isReplaced && m.KeyRotationTrigger.Equal(state.KeyRotationTrigger) {
		m.PublicKey = state.PublicKey
	}
}

func (m *endGatewayModel) planChanges() { m.Status = types.StringUnknown() }

// observedEnd copies what both gateways have, except for the settings of a block.
func (m *endGatewayModel) observedEnd(ctx context.Context, observed shortcut.EndObjectState) {
	m.tunnelModel = newTunnelModel(observed.Gateway.TunnelSettings)
	m.Allow = observedRules(ctx, m.Allow, observed.Allow, observed.Limited)
	m.Status = types.StringValue(string(observed.Status))
	switch {
	case !observed.KeyUnreadable:
		m.PublicKey = keyOrNull(observed.Key)
	case m.PublicKey.IsUnknown(): // otherwise the known one stays
		m.PublicKey = types.StringNull()
	}
}
