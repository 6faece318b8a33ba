package shortcut

import "context"

// Removal is how a shortcut shall be taken apart. The zero value removes all of it, unless a peering uses the network.
type Removal struct {
	KeepConfigurations bool // remove the gateways only, so that a later shortcut of the pair finds the remapping as it was
	EvenFromPeering    bool // although a peering uses the network
}

// Disconnect removes what the owner has of the shortcut, on both leaves at once, and returns when it is gone. What the owner has begun to adopt and never had whole, it
// gives back. It can be interrupted and repeated; missing objects are not an error. A failure on one leaf does not stop the cleanup of the other. The error is a
// [Failure].
func (s *Shortcut) Disconnect(ctx context.Context, removal Removal) error {
	adopting, err := s.adopting(ctx)
	if err != nil {
		return err
	}
	if adopting && !s.client.owner.Claims {
		return giveBack(ctx, s.first(), s.sides()...)
	}
	return disconnect(ctx, removal, s.first(), s.sides()...)
}

// DisconnectClient does the same on the client alone, when the server is gone for good.
func (s *Shortcut) DisconnectClient(ctx context.Context, removal Removal) error {
	return disconnect(ctx, removal, s.client, s.client)
}

// DisconnectServer does the same on the server alone, when the client is gone for good.
func (s *Shortcut) DisconnectServer(ctx context.Context, removal Removal) error {
	return disconnect(ctx, removal, s.server, s.server)
}

// disconnect works on the sides at the same time; lease is the one that keeps the lease of the pair.
func disconnect(ctx context.Context, removal Removal, lease *side, sides ...*side) error {
	r := newRun(ctx)
	r.independent = true
	turn := &turn{}
	begin := start(r, lease, "wait for other operations on the pair", turn.take(r, lease))
	allowed := []dependency{begin} // on both leaves, before anything is removed on either
	for _, on := range sides {
		if !removal.EvenFromPeering {
			allowed = append(allowed, start(r, on, "check that no peering uses the network", on.checkNoPeering, begin))
		}
	}
	for _, on := range sides {
		gateways := start(r, on, "remove the gateway and its keys", func(ctx context.Context) (none, error) {
			return none{}, on.removeGateways(ctx)
		}, allowed...)
		if removal.KeepConfigurations {
			start(r, on, "keep the Configuration for a later shortcut", on.disownConfigurations, gateways)
			continue
		}
		namespace := start(r, on, "begin to remove the tenant namespace", on.beginNamespace, allowed...)
		configuration := start(r, on, "remove the Configuration", on.removeConfigurations, allowed...)
		unused := start(r, on, "remove the ForeignCluster", func(ctx context.Context) (bool, error) {
			return on.removeForeignCluster(ctx, namespace.get())
		}, namespace, gateways, configuration)
		start(r, on, "remove the tenant namespace", func(ctx context.Context) (none, error) {
			return none{}, on.removeNamespace(ctx, namespace.get(), unused.get())
		}, unused)
	}
	return turn.endAfter(ctx, r)
}

// giveBack gives back on both leaves what the owner has begun to adopt.
func giveBack(ctx context.Context, lease *side, sides ...*side) error {
	r := newRun(ctx)
	r.independent = true
	turn := &turn{}
	begin := start(r, lease, "wait for other operations on the pair", turn.take(r, lease))
	for _, on := range sides {
		start(r, on, "give back what was taken over", on.giveBack, begin)
	}
	return turn.endAfter(ctx, r)
}
