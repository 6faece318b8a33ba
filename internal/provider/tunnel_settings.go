package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/int32validator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int32default"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

const (
	minMTU = 576   // the largest datagram that every IPv4 host must accept: RFC 791
	maxMTU = 65535 // the largest IPv4 packet
)

func mtuAttribute(description string) schema.Attribute {
	return schema.Int32Attribute{
		Optional: true, Computed: true,
		Default:             int32default.StaticInt32(liqo.DefaultMTU),
		MarkdownDescription: description,
		Validators:          []validator.Int32{int32validator.Between(minMTU, maxMTU)},
	}
}

// tunnelModel has the settings that both gateways of a network have in common.
type tunnelModel struct {
	MTU                types.Int32  `tfsdk:"mtu"`
	KeyRotationTrigger types.String `tfsdk:"key_rotation_trigger"`
}

func newTunnelModel(found liqo.TunnelSettings) tunnelModel {
	return tunnelModel{MTU: mtuOrNull(found.MTU), KeyRotationTrigger: stringOrNull(found.KeyRotation)}
}

func (m tunnelModel) tunnelSettings() liqo.TunnelSettings {
	return liqo.TunnelSettings{MTU: int(m.MTU.ValueInt32()), KeyRotation: m.KeyRotationTrigger.ValueString()}
}

// intentFor returns the intent of a gateway with these settings, which is nil if they are not known, and the tunnel's.
func (m tunnelModel) intentFor(ctx context.Context, gateway *liqo.GatewaySettings) end.Intent {
	if gateway != nil {
		gateway.TunnelSettings = m.tunnelSettings()
	}
	return end.Intent{Gateway: gateway, TunnelUnknown: !fullyKnown(ctx, m.MTU, m.KeyRotationTrigger)}
}

// observedTunnel copies the settings of both gateways, or of the only one. A setting is null if the two ends differ,
// for example after an update that was killed. No single value would show this: the next plan would be empty if it were
// the configured one.
func (m *tunnelModel) observedTunnel(state shortcut.State) {
	client, server := state.ClientGateway, state.ServerGateway
	switch {
	case client == nil && server == nil:
	case client == nil:
		*m = newTunnelModel(server.TunnelSettings)
	case server == nil:
		*m = newTunnelModel(client.TunnelSettings)
	default:
		*m = newTunnelModel(agreed(client.TunnelSettings, server.TunnelSettings))
	}
}

// agreed returns the settings that two gateways agree in, and leaves the others empty.
func agreed(one, other liqo.TunnelSettings) liqo.TunnelSettings {
	if one.MTU != other.MTU {
		one.MTU = 0
	}
	if one.KeyRotation != other.KeyRotation {
		one.KeyRotation = ""
	}
	return one
}
