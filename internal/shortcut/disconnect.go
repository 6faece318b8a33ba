package shortcut

import (
	"context"

	"github.com/leafmesh/terraform-provider-liqo/internal/steps"
)

// Removal is how a shortcut shall be taken apart. The zero value removes all of it, unless a peering uses the network.
type Removal struct {
	KeepConfigurations bool // remove the gateways only, so that a later shortcut of the pair finds the remapping as it was
	EvenFromPeering    bool // although a peering uses the network

	// The Secrets that the gateways were given. They stay, and lose the labels that Liqo has given them, also where the gateways are gone already.
	ClientKeySecret, ServerKeySecret KeySecret

	// Kept, if not nil, is told what stays because it is somebody else's.
	Kept func(Kept)
}

// Kept is what a removal leaves on a leaf because somebody else has it or needs it.
type Kept struct {
	Leaf string
	Why  string // which objects stay and why, in sentences
}

// Disconnect removes what the owner has of the shortcut, on both leaves at once, and returns when it is gone. What the owner has begun to adopt and never had whole, it
// gives back. It can be interrupted and repeated; missing objects are not an error. A failure on one leaf does not stop the cleanup of the other. The error is a
// [steps.Failure].
func (s *Shortcut) Disconnect(ctx context.Context, removal Removal) error {
	adopting, err := s.adopting(ctx)
	if err != nil {
		return err
	}
	if adopting && !s.client.owner.Claims {
		return giveBack(ctx, s.first(), s.sides()...)
	}
	return disconnect(ctx, removal, s.first(), cleanup{s.client, removal.ClientKeySecret}, cleanup{s.server, removal.ServerKeySecret})
}

// DisconnectClient does the same on the client alone, when the server is gone for good.
func (s *Shortcut) DisconnectClient(ctx context.Context, removal Removal) error {
	return disconnect(ctx, removal, s.client, cleanup{s.client, removal.ClientKeySecret})
}

// DisconnectServer does the same on the server alone, when the client is gone for good.
func (s *Shortcut) DisconnectServer(ctx context.Context, removal Removal) error {
	return disconnect(ctx, removal, s.server, cleanup{s.server, removal.ServerKeySecret})
}

// disconnect cleans leaves at the same time; lease is the side that keeps the lease of the pair.
func disconnect(ctx context.Context, removal Removal, lease *side, leaves ...cleanup) error {
	r := steps.NewIndependent(ctx)
	turn := &turn{}
	begin := steps.Act(r, lease.leaf.Name, "wait for other operations on the pair", turn.take(r, lease))
	allowed := []steps.Before{begin} // on both leaves, before anything is removed on either
	peerings := make([]*steps.Step[string], len(leaves))
	for i, on := range leaves {
		peerings[i] = steps.Do(r, on.leaf.Name, "look for a peering", on.livingPeering, begin)
		allowed = append(allowed, peerings[i])
		if !removal.EvenFromPeering {
			allowed = append(allowed, steps.ActWith(r, on.leaf.Name, "check that no peering uses the network", peerings[i], on.checkNoPeering))
		}
	}
	kept := make([]*steps.Step[string], len(leaves))
	for i, on := range leaves {
		gateways := steps.Act(r, on.leaf.Name, "remove the gateway and its keys", on.removeGateway, allowed...)
		if removal.KeepConfigurations {
			kept[i] = steps.Do(r, on.leaf.Name, "keep the Configuration for a later shortcut", on.keepConfigurations, gateways)
		} else {
			kept[i] = on.startRest(r, peerings[i], gateways, allowed...)
		}
	}
	err := turn.endAfter(ctx, r)
	for i, on := range leaves {
		if why, ok := kept[i].Result(); ok && why != "" && removal.Kept != nil {
			removal.Kept(Kept{on.leaf.Name, why})
		}
	}
	return err
}

// giveBack gives back on both leaves what the owner has begun to adopt.
func giveBack(ctx context.Context, lease *side, sides ...*side) error {
	r := steps.NewIndependent(ctx)
	turn := &turn{}
	begin := steps.Act(r, lease.leaf.Name, "wait for other operations on the pair", turn.take(r, lease))
	for _, on := range sides {
		steps.Act(r, on.leaf.Name, "give back what was taken over", on.giveBack, begin)
	}
	return turn.endAfter(ctx, r)
}
