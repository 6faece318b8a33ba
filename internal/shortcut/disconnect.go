package shortcut

import "context"

// Removal is how a shortcut shall be taken apart. The zero value removes all of it, unless a peering uses the network.
type Removal struct {
	KeepConfigurations bool // remove the gateways only, so that a later shortcut of the pair finds the remapping as it was
	EvenFromPeering    bool // although a peering uses the network
	Adopt              bool // also what this provider did not make
}

// Disconnect removes what the shortcut is made of, on both leaves at once, and returns when it is gone. It can be interrupted and repeated; what is gone
// already is no error. Trouble on one leaf does not keep the other from being cleaned. The error is a [Failure].
func (s *Shortcut) Disconnect(ctx context.Context, removal Removal) error {
	return disconnect(ctx, removal, s.sides()...)
}

// DisconnectClient does the same on the client alone, when the server is gone for good.
func (s *Shortcut) DisconnectClient(ctx context.Context, removal Removal) error {
	return disconnect(ctx, removal, s.client)
}

// DisconnectServer does the same on the server alone, when the client is gone for good.
func (s *Shortcut) DisconnectServer(ctx context.Context, removal Removal) error {
	return disconnect(ctx, removal, s.server)
}

func disconnect(ctx context.Context, removal Removal, sides ...*side) error {
	r := newRun(ctx)
	r.independent = true
	var allowed []dependency // on both leaves, before anything is removed on either
	for _, on := range sides {
		if !removal.EvenFromPeering {
			allowed = append(allowed, start(r, on, "check that no peering uses the network", on.checkNoPeering(removal.Adopt)))
		}
	}
	for _, on := range sides {
		begin := allowed
		if removal.Adopt {
			begin = []dependency{start(r, on, "adopt what is there", on.adopt, allowed...)}
		}
		gateways := start(r, on, "remove the gateway and its keys", func(ctx context.Context) (none, error) {
			return none{}, on.removeGateways(ctx)
		}, begin...)
		if removal.KeepConfigurations {
			continue
		}
		namespace := start(r, on, "begin to remove the tenant namespace", on.beginNamespace, begin...)
		configuration := start(r, on, "remove the Configuration", on.removeConfiguration, begin...)
		unused := start(r, on, "remove the ForeignCluster", func(ctx context.Context) (bool, error) {
			return on.removeForeignCluster(ctx, namespace.get())
		}, namespace, gateways, configuration)
		start(r, on, "remove the tenant namespace", func(ctx context.Context) (none, error) {
			return none{}, on.removeNamespace(ctx, namespace.get(), unused.get())
		}, unused)
	}
	return r.wait()
}
