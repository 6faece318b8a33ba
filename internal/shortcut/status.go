package shortcut

import (
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// Status is the state of a shortcut as a whole.
type Status string

// The values of [Status], from best to worst.
const (
	// Connected means that all objects are in place and both ends report the tunnel as up.
	Connected Status = "Connected"
	// Connecting means that all objects are in place, but the tunnel is not up yet, or not any longer, or a gateway has
	// stopped reporting on it.
	Connecting Status = "Connecting"
	// Error means that at least one end reports that the tunnel failed.
	Error Status = "Error"
	// Disconnected means that at least one leaf lacks something that the tunnel needs, or has it wrong.
	Disconnected Status = "Disconnected"
)

// Unknown is the [Status] of a network if only one end can be read. A [State] never has it.
const Unknown Status = "Unknown"

// status returns the status of a network whose client and server are known.
func (n network) status() Status {
	client, server := n.client, n.server
	switch {
	case client.Configuration == nil || client.GatewayAs(liqo.ClientRole) == nil,
		server.Configuration == nil || server.GatewayAs(liqo.ServerRole) == nil,
		client.Dialled() == nil || !end.KeyInPlace(client) || !end.KeyInPlace(server),
		n.lacksRules():
		return Disconnected
	}
	atClient, atServer := client.Tunnel(), server.Tunnel()
	switch {
	case atClient == networkingv1beta1.ConnectionError || atServer == networkingv1beta1.ConnectionError:
		return Error
	case atClient == networkingv1beta1.Connected && atServer == networkingv1beta1.Connected:
		return Connected
	default:
		return Connecting
	}
}

// statusAt returns the status of a network as its gateway at one end reports it.
func statusAt(objects liqo.Objects) Status {
	if objects.Gateway == nil || objects.LimitsEdited() {
		return Disconnected
	}
	switch objects.Tunnel() {
	case networkingv1beta1.Connected:
		return Connected
	case networkingv1beta1.ConnectionError:
		return Error
	default:
		return Connecting
	}
}
