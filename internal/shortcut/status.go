package shortcut

import networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"

// deriveStatus tells how a shortcut is from what there is of it at the client's and at the server's end. Where the keys are left to others, theirs to come
// is no fault of the shortcut's.
func deriveStatus(client, server objects, keysByOthers bool) Status {
	if client.configuration == nil || client.client == nil || server.configuration == nil || server.server == nil {
		return Disconnected
	}
	if !keysByOthers && (client.publicKey == nil || server.publicKey == nil || edited(client.publicKey) || edited(server.publicKey)) {
		return Disconnected
	}
	ends := [2]networkingv1beta1.ConnectionStatusValue{client.connected(client.client), server.connected(server.server)}
	switch {
	case ends[0] == networkingv1beta1.ConnectionError || ends[1] == networkingv1beta1.ConnectionError:
		return Error
	case ends[0] == networkingv1beta1.Connected && ends[1] == networkingv1beta1.Connected:
		return Connected
	default:
		return Connecting
	}
}
