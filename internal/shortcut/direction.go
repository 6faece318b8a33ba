package shortcut

// dials reports whether, of two leaves that hold these objects, it is the one rather than the other that dials. Without a gateway at either end, or with as many
// that speak for either direction, it is the one.
func (o objects) dials(other objects) bool {
	return gateways(o, other) >= gateways(other, o)
}

// gateways counts those that there are for one leaf to dial another.
func gateways(client, server objects) int {
	count := 0
	if client.client != nil {
		count++
	}
	if server.server != nil {
		count++
	}
	return count
}
