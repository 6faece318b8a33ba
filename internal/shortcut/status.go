package shortcut

import networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"

// Status is the state of a shortcut as a whole.
type Status string

// The values of [Status], from best to worst.
const (
	// Connected means that all objects are in place and both ends report the tunnel as up.
	Connected Status = "Connected"
	// Connecting means that all objects are in place, and the tunnel is not up yet, or no more, or that a gateway has
	// stopped to report on it.
	Connecting Status = "Connecting"
	// Error means that at least one end reports that the tunnel failed.
	Error Status = "Error"
	// Disconnected means that something is missing or wrong on at least one leaf without which there can be no tunnel.
	Disconnected Status = "Disconnected"
)

// Unknown is the [Status] of a network of which only one end can be read. A [State] never has it.
const Unknown Status = "Unknown"

// status is that of a network whose client and server are known. Where the keys are left to others, theirs to come is
// no fault of the shortcut's.
func (n network) status(keysByOthers bool) Status {
	client, server := n.client, n.server
	switch {
	case client.Configuration == nil || client.GatewayClient == nil, server.Configuration == nil || server.GatewayServer == nil:
		return Disconnected
	case !keysByOthers && (!client.KeyInPlace() || !server.KeyInPlace()):
		return Disconnected
	}
	atClient, atServer := client.ConnectionStatus(client.GatewayClient), server.ConnectionStatus(server.GatewayServer)
	switch {
	case atClient == networkingv1beta1.ConnectionError || atServer == networkingv1beta1.ConnectionError:
		return Error
	case atClient == networkingv1beta1.Connected && atServer == networkingv1beta1.Connected:
		return Connected
	default:
		return Connecting
	}
}
