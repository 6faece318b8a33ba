package shortcut

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/steps"
)

// Removal says how to remove a shortcut. The zero value removes all of it, unless a peering uses the network.
type Removal struct {
	KeepConfigurations bool // remove only the gateways, so that a later shortcut of the pair has the same remapping
	EvenFromPeering    bool // even if a peering uses the network

	// ClientKeySecret and ServerKeySecret are the user's Secrets of the gateways. They stay, but lose Liqo's labels, even
	// if the gateways are already gone.
	ClientKeySecret, ServerKeySecret liqo.KeySecret

	// Kept, if not nil, is called for each leaf on which objects stay because someone else owns or needs them.
	Kept func(Kept)
}

// Kept describes the objects that a removal leaves on a leaf because someone else owns or needs them.
type Kept struct {
	Leaf string
	Why  string // which objects stay and why, in full sentences
}

// Disconnect removes the owner's objects of the shortcut, on both leaves at the same time. It returns when they are
// gone. It can be interrupted and repeated. Missing objects are not an error. A failure on one leaf does not stop the
// cleanup of the other leaf. The error is a [steps.Failure].
func (s *Shortcut) Disconnect(ctx context.Context, removal Removal) error {
	return s.disconnect(cluster.WithFence(ctx), removal, s.pairLock(false).forRemoval(), s.Ends()...)
}

// DisconnectEnd does the same at one end alone, for use when the other leaf is gone for good.
func (s *Shortcut) DisconnectEnd(ctx context.Context, e *end.End, removal Removal) error {
	return s.disconnect(cluster.WithFence(ctx), removal, newLock(e, false).forRemoval(), e)
}

// disconnect cleans up these ends at the same time.
//
// The lock is released when nothing is left but tenant namespaces that Kubernetes is deleting. That takes more than
// five seconds, and whoever acquires the lock next waits for it, too.
func (s *Shortcut) disconnect(ctx context.Context, removal Removal, lock *lock, ends ...*end.End) error {
	r := steps.NewIndependent(ctx, LogSubsystem)
	begin := steps.Act(r, lock.end.Leaf.Name, "wait for other operations on the pair", lock.acquire(r))
	before := []steps.Before{begin} // on both leaves, before anything is removed on either
	peerings := make([]*steps.Step[*end.Peering], len(ends))
	namespaces := make([]*steps.Step[*corev1.Namespace], len(ends))
	for i, e := range ends {
		peerings[i] = readEarly(r, lock, begin, e, "look for a peering", e.LivingPeering,
			func(*end.Peering) bool { return true }) // the lock is no matter of peerings
		namespaces[i] = readEarly(r, lock, begin, e, "look for the tenant namespace", e.TenantNamespace,
			func(namespace *corev1.Namespace) bool { return namespace != nil }) // its deletion fails if it has changed
		before = append(before, peerings[i])
		if !removal.EvenFromPeering {
			before = append(before,
				steps.ActWith(r, e.Leaf.Name, "check that no peering uses the network", peerings[i],
					e.CheckNoPeering))
		}
	}
	leftovers := make([]*steps.Step[end.Leftovers], len(ends))
	var done []steps.Before
	for i, e := range ends {
		userSecret := removal.keySecret(e == s.Client)
		gateways := steps.Act(r, e.Leaf.Name, "remove the gateway and its keys",
			func(ctx context.Context) error { return e.RemoveGateways(ctx, userSecret) }, before...)
		if removal.KeepConfigurations {
			leftovers[i] = steps.Do(r, e.Leaf.Name, "keep the Configuration for a later shortcut", e.KeepConfigurations,
				gateways)
		} else {
			leftovers[i] = startRest(r, e, userSecret, namespaces[i], peerings[i], gateways, before...)
		}
		done = append(done, leftovers[i])
	}
	steps.Act(r, lock.end.Leaf.Name, "let others work on the pair", lock.release, done...)
	for i, e := range ends {
		steps.ActWith(r, e.Leaf.Name, "wait until the tenant namespace is gone", leftovers[i], e.UntilGone)
	}
	err := lock.releaseAfter(ctx, r)
	for i, e := range ends {
		if rest, ok := leftovers[i].Result(); ok && rest.Kept != "" && removal.Kept != nil {
			removal.Kept(Kept{e.Leaf.Name, rest.Kept})
		}
	}
	return err
}

// readEarly starts a look at an end that does not wait for the lock. Its answer counts if counts returns true and no
// other operation had the lock meanwhile. Otherwise, and after a failure, the look is repeated under the lock.
func readEarly[T any](
	r *steps.Run, lock *lock, begin steps.Before, e *end.End, name string,
	look func(context.Context) (T, error), counts func(T) bool,
) *steps.Step[T] {
	ahead := steps.Do(r, e.Leaf.Name, name, func(ctx context.Context) (*T, error) {
		found, err := look(ctx)
		if err != nil || !counts(found) {
			return nil, nil //nolint:nilerr // the next step looks again
		}
		return &found, nil
	})
	return steps.With(r, e.Leaf.Name, name+" again if it may have changed", ahead,
		func(ctx context.Context, ahead *T) (T, error) {
			if ahead != nil && lock.lease.AtOnce {
				return *ahead, nil
			}
			return look(ctx)
		}, begin)
}

// keySecret returns the user's Secret of one of the gateways.
func (r Removal) keySecret(ofClient bool) liqo.KeySecret {
	if ofClient {
		return r.ClientKeySecret
	}
	return r.ServerKeySecret
}

// startRest starts the steps that remove everything at one end except the gateway.
func startRest(
	r *steps.Run, e *end.End, userSecret liqo.KeySecret, namespace *steps.Step[*corev1.Namespace],
	peering *steps.Step[*end.Peering], gateways steps.Before, before ...steps.Before,
) *steps.Step[end.Leftovers] {
	leaf := e.Leaf.Name
	leaving := steps.With2(r, leaf, "begin to remove the tenant namespace", namespace, peering,
		func(ctx context.Context, namespace *corev1.Namespace, peering *end.Peering) (*corev1.Namespace, error) {
			return e.BeginRemovingNamespace(ctx, namespace, peering, userSecret)
		}, before...)
	configuration := steps.Act(r, leaf, "remove the Configuration", e.RemoveConfigurations, before...)
	foreignCluster := steps.With2(r, leaf, "remove the ForeignCluster", leaving, peering, e.RemoveForeignCluster,
		gateways, configuration)
	return steps.With3(r, leaf, "remove the tenant namespace", leaving, peering, foreignCluster,
		func(ctx context.Context, namespace *corev1.Namespace, peering *end.Peering, gone bool) (end.Leftovers, error) {
			return e.RemoveNamespace(ctx, namespace, peering, gone, userSecret)
		})
}
