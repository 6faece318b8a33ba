package shortcut

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/steps"
)

// Removal is how a shortcut shall be taken apart. The zero value removes all of it, unless a peering uses the network.
type Removal struct {
	KeepConfigurations bool // remove the gateways only, so that a later shortcut of the pair finds the remapping as it was
	EvenFromPeering    bool // although a peering uses the network

	// The Secrets that the gateways were given. They stay, and lose the labels that Liqo has given them, also where the
	// gateways are gone already.
	ClientKeySecret, ServerKeySecret end.KeySecret

	// Kept, if not nil, is told what stays because it is somebody else's.
	Kept func(Kept)
}

// Kept is what a removal leaves on a leaf because somebody else has it or needs it.
type Kept struct {
	Leaf string
	Why  string // which objects stay and why, in sentences
}

// Disconnect removes what the owner has of the shortcut, on both leaves at once, and returns when it is gone. What the
// owner has begun to adopt and never had whole, it gives back. It can be interrupted and repeated; missing objects are
// not an error. A failure on one leaf does not stop the cleanup of the other. The error is a [steps.Failure].
func (s *Shortcut) Disconnect(ctx context.Context, removal Removal) error {
	adopting, err := s.adopting(ctx)
	if err != nil {
		return err
	}
	if adopting && !s.Client.Owner.Claims {
		return giveBack(ctx, s.first(), s.ends()...)
	}
	return s.disconnect(ctx, removal, s.first(), s.ends()...)
}

// DisconnectEnd does the same at one end alone, when the leaf at the other one is gone for good.
func (s *Shortcut) DisconnectEnd(ctx context.Context, on *end.End, removal Removal) error {
	return s.disconnect(ctx, removal, on, on)
}

// disconnect cleans the leaves at these ends at the same time; lease is the end that keeps the lease of the pair.
func (s *Shortcut) disconnect(ctx context.Context, removal Removal, lease *end.End, ends ...*end.End) error {
	r := steps.NewIndependent(ctx)
	turn := &turn{}
	begin := steps.Act(r, lease.Leaf.Name, "wait for other operations on the pair", turn.take(r, lease))
	allowed := []steps.Before{begin} // on both leaves, before anything is removed on either
	peerings := make([]*steps.Step[string], len(ends))
	for i, on := range ends {
		peerings[i] = steps.Do(r, on.Leaf.Name, "look for a peering", on.LivingPeering, begin)
		allowed = append(allowed, peerings[i])
		if !removal.EvenFromPeering {
			allowed = append(allowed,
				steps.ActWith(r, on.Leaf.Name, "check that no peering uses the network", peerings[i], on.CheckNoPeering))
		}
	}
	kept := make([]*steps.Step[string], len(ends))
	for i, on := range ends {
		given := removal.keySecret(on == s.Client)
		gateways := steps.Act(r, on.Leaf.Name, "remove the gateway and its keys",
			func(ctx context.Context) error { return on.RemoveGateways(ctx, given) }, allowed...)
		if removal.KeepConfigurations {
			kept[i] = steps.Do(r, on.Leaf.Name, "keep the Configuration for a later shortcut", on.KeepConfigurations, gateways)
		} else {
			kept[i] = startRest(r, on, given, peerings[i], gateways, allowed...)
		}
	}
	err := turn.endAfter(ctx, r)
	for i, on := range ends {
		if why, ok := kept[i].Result(); ok && why != "" && removal.Kept != nil {
			removal.Kept(Kept{on.Leaf.Name, why})
		}
	}
	return err
}

// keySecret is the Secret that one of the gateways was given.
func (r Removal) keySecret(ofClient bool) end.KeySecret {
	if ofClient {
		return r.ClientKeySecret
	}
	return r.ServerKeySecret
}

// startRest starts what removes everything at one end but the gateway. The result is what stays, and why.
func startRest(
	r *steps.Run, on *end.End, given end.KeySecret, peering *steps.Step[string], gateways steps.Before,
	allowed ...steps.Before,
) *steps.Step[string] {
	leaf := on.Leaf.Name
	namespace := steps.With(r, leaf, "begin to remove the tenant namespace", peering,
		func(ctx context.Context, peering string) (*corev1.Namespace, error) {
			return on.BeginRemovingNamespace(ctx, peering, given)
		}, allowed...)
	configuration := steps.Act(r, leaf, "remove the Configuration", on.RemoveConfigurations, allowed...)
	record := steps.With2(r, leaf, "remove the ForeignCluster", namespace, peering, on.RemoveForeignCluster,
		gateways, configuration)
	return steps.With3(r, leaf, "remove the tenant namespace", namespace, peering, record,
		func(ctx context.Context, namespace *corev1.Namespace, peering string, gone bool) (string, error) {
			return on.RemoveNamespace(ctx, namespace, peering, gone, given)
		})
}

// giveBack gives back on both leaves what the owner has begun to adopt.
func giveBack(ctx context.Context, lease *end.End, ends ...*end.End) error {
	r := steps.NewIndependent(ctx)
	turn := &turn{}
	begin := steps.Act(r, lease.Leaf.Name, "wait for other operations on the pair", turn.take(r, lease))
	for _, on := range ends {
		steps.Act(r, on.Leaf.Name, "give back what was taken over", on.GiveBack, begin)
	}
	return turn.endAfter(ctx, r)
}
