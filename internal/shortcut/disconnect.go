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
	removals := make([]*endRemoval, len(ends))
	for i, e := range ends {
		removals[i] = &endRemoval{End: e, run: r, userSecret: removal.keySecret(e == s.Client)}
		before = append(before, removals[i].look(lock, begin, removal.EvenFromPeering)...)
	}
	var done []steps.Before
	for _, e := range removals {
		if removal.KeepConfigurations {
			e.keepConfiguration(before...)
		} else {
			e.removeAll(before...)
		}
		done = append(done, e.leftovers)
	}
	steps.Act(r, lock.end.Leaf.Name, "let others work on the pair", lock.release, done...)
	for _, e := range removals {
		steps.ActWith(r, e.Leaf.Name, "wait until the tenant namespace is gone", e.leftovers, e.UntilGone)
	}
	err := lock.releaseAfter(ctx, r)
	for _, e := range removals {
		if rest, ok := e.leftovers.Result(); ok && rest.Kept != "" && removal.Kept != nil {
			removal.Kept(Kept{e.Leaf.Name, rest.Kept})
		}
	}
	return err
}

// endRemoval starts the steps that remove one end of a network.
type endRemoval struct {
	*end.End

	run        *steps.Run
	userSecret liqo.KeySecret

	peering   *steps.Step[*end.Peering]
	namespace *steps.Step[*corev1.Namespace] // the tenant namespace
	leftovers *steps.Step[end.Leftovers]
}

// look finds out what else uses the network and its namespace. It returns what must succeed before anything is removed.
func (e *endRemoval) look(lock *lock, begin steps.Before, evenFromPeering bool) []steps.Before {
	e.peering = readEarly(e, lock, begin, "look for a peering", e.LivingPeering,
		func(*end.Peering) bool { return true }) // the lock is no matter of peerings
	e.namespace = readEarly(e, lock, begin, "look for the tenant namespace", e.TenantNamespace,
		func(namespace *corev1.Namespace) bool { return namespace != nil }) // its deletion fails if it has changed
	if evenFromPeering {
		return []steps.Before{e.peering}
	}
	return []steps.Before{e.peering, steps.ActWith(
		e.run, e.Leaf.Name, "check that no peering uses the network", e.peering, e.CheckNoPeering)}
}

// readEarly starts a look at an end that does not wait for the lock. Its answer counts if counts returns true and no
// other operation had the lock meanwhile. Otherwise, and after a failure, the look is repeated under the lock.
func readEarly[T any](
	e *endRemoval, lock *lock, begin steps.Before, name string, look func(context.Context) (T, error), counts func(T) bool,
) *steps.Step[T] {
	ahead := steps.Do(e.run, e.Leaf.Name, name, func(ctx context.Context) (*T, error) {
		found, err := look(ctx)
		if err != nil || !counts(found) {
			return nil, nil //nolint:nilerr // the next step looks again
		}
		return &found, nil
	})
	return steps.With(e.run, e.Leaf.Name, name+" again if it may have changed", ahead,
		func(ctx context.Context, ahead *T) (T, error) {
			if ahead != nil && lock.lease.AtOnce {
				return *ahead, nil
			}
			return look(ctx)
		}, begin)
}

func (e *endRemoval) removeGateway(before ...steps.Before) steps.Before {
	return steps.Act(e.run, e.Leaf.Name, "remove the gateway and its keys",
		func(ctx context.Context) error { return e.RemoveGateways(ctx, e.userSecret) }, before...)
}

// keepConfiguration removes the gateway only.
func (e *endRemoval) keepConfiguration(before ...steps.Before) {
	e.leftovers = steps.Do(e.run, e.Leaf.Name, "keep the Configuration for a later shortcut", e.KeepConfigurations,
		e.removeGateway(before...))
}

func (e *endRemoval) removeAll(before ...steps.Before) {
	leaf, gateway := e.Leaf.Name, e.removeGateway(before...)
	leaving := steps.With2(e.run, leaf, "begin to remove the tenant namespace", e.namespace, e.peering,
		func(ctx context.Context, namespace *corev1.Namespace, peering *end.Peering) (*corev1.Namespace, error) {
			return e.BeginRemovingNamespace(ctx, namespace, peering, e.userSecret)
		}, before...)
	configuration := steps.Act(e.run, leaf, "remove the Configuration", e.RemoveConfigurations, before...)
	foreignCluster := steps.With2(e.run, leaf, "remove the ForeignCluster", leaving, e.peering, e.RemoveForeignCluster,
		gateway, configuration)
	e.leftovers = steps.With3(e.run, leaf, "remove the tenant namespace", leaving, e.peering, foreignCluster,
		func(ctx context.Context, namespace *corev1.Namespace, peering *end.Peering, gone bool) (end.Leftovers, error) {
			return e.RemoveNamespace(ctx, namespace, peering, gone, e.userSecret)
		})
}

// keySecret returns the user's Secret of one of the gateways.
func (r Removal) keySecret(ofClient bool) liqo.KeySecret {
	if ofClient {
		return r.ClientKeySecret
	}
	return r.ServerKeySecret
}
