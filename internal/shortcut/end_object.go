package shortcut

import (
	"context"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/steps"
)

// EndObject is one object at one end of a network, which a resource of its own manages. It is for people who have
// credentials for one of the two clusters. They get what they need of the other end as values, and wait for
// nothing that the other end does.
//
// The type of the resource, [owner.Owner.Resource], says which object it is. The objects of one end share a
// tenant namespace, which has no owner. The first one creates it, and the last one removes it.
type EndObject struct {
	End *end.End

	// Create means that no Terraform state has the owner's token yet, as in [Spec].
	Create bool
}

// NewEndObject returns an object of the owner on a leaf. Remote is the ID of the other cluster.
func NewEndObject(leaf *cluster.Leaf, remote string, self owner.Owner) EndObject {
	on := end.New(leaf, end.Remote{Name: remote, ID: liqov1beta1.ClusterID(remote)})
	on.Owner = self
	return EndObject{End: on}
}

// EnsureConfiguration creates or changes the Configuration with the address ranges of the other cluster. It
// returns when Liqo has remapped them.
func (o EndObject) EnsureConfiguration(ctx context.Context, namespace string, other liqo.Ranges) error {
	on := o.End
	write := func(ctx context.Context, namespace string) (steps.None, error) {
		found, err := on.Find(ctx)
		if err != nil {
			return steps.None{}, err
		}
		if err := on.CheckAnnounced(ctx, other, found.ObservedNetwork()); err != nil {
			return steps.None{}, err
		}
		return steps.None{}, on.EnsureConfiguration(ctx, namespace, other)
	}
	remapping := func(ctx context.Context, _ steps.None) error {
		if err := on.WaitForRemapping(ctx, false); err != nil {
			return err
		}
		found, err := on.Find(ctx)
		gateway := found.Gateway()
		if err != nil || gateway == nil || !owner.IsEndObject(gateway) {
			return err // the gateway is someone else's
		}
		return on.RenewRanges(ctx)
	}
	return ensure(ctx, o, namespace, "Configuration", write, wait[steps.None]{"remapping by Liqo", remapping})
}

// EnsureGatewayServer creates or changes the gateway that the other one dials. It returns when the gateway has an
// address and keys, and has restarted if it had to.
func (o EndObject) EnsureGatewayServer(ctx context.Context, namespace string, spec liqo.GatewayServer) error {
	on := o.End
	write := func(ctx context.Context, namespace string) (end.EnsuredGateway, error) {
		replaces, err := on.ReplacesGatewayServer(ctx, namespace, spec)
		if err == nil {
			err = o.makeRoom(ctx, namespace, replaces)
		}
		if err != nil {
			return end.EnsuredGateway{}, err
		}
		return on.EnsureGatewayServer(ctx, namespace, spec, nil)
	}
	address := func(ctx context.Context, gateway end.EnsuredGateway) error {
		_, err := on.WaitForEndpoint(ctx, gateway)
		return err
	}
	return ensure(ctx, o, namespace, "GatewayServer", write, append(o.gatewayWaits(),
		wait[end.EnsuredGateway]{"address of the gateway", address})...)
}

// EnsureGatewayClient creates or changes the gateway that dials the other one at server. It returns when the
// gateway has keys, and has restarted if it had to.
func (o EndObject) EnsureGatewayClient(
	ctx context.Context, namespace string, server liqo.Endpoint, spec liqo.GatewayClient,
) error {
	on := o.End
	write := func(ctx context.Context, namespace string) (end.EnsuredGateway, error) {
		replaces, err := on.ReplacesGatewayClient(ctx, namespace, spec)
		if err == nil {
			err = o.makeRoom(ctx, namespace, replaces)
		}
		if err != nil {
			return end.EnsuredGateway{}, err
		}
		return on.EnsureGatewayClient(ctx, namespace, server, spec, nil)
	}
	return ensure(ctx, o, namespace, "GatewayClient", write, o.gatewayWaits()...)
}

// EnsurePublicKey gives this leaf's gateway, which may not exist yet, the public key of the other one.
func (o EndObject) EnsurePublicKey(ctx context.Context, namespace string, key []byte) error {
	write := func(ctx context.Context, namespace string) (steps.None, error) {
		return steps.None{}, o.End.EnsureLonePublicKey(ctx, namespace, key)
	}
	return ensure(ctx, o, namespace, "PublicKey", write)
}

// makeRoom removes the gateway that can't be changed in place. If there is none of the wanted direction, it
// removes what a killed operation has left behind, and waits until Kubernetes has done so with its keys.
func (o EndObject) makeRoom(ctx context.Context, namespace string, replaces bool) error {
	found, err := o.End.Find(ctx)
	if err != nil || !replaces && end.ObjectOf(found, o.End.Owner.Resource) != nil {
		return err
	}
	if err := o.End.RemoveGateways(ctx); err != nil {
		return err
	}
	_, err = o.End.UntilFormerKeysGone(ctx, namespace)
	return err
}

// gatewayWaits are what either gateway waits for. A change can let a gateway restart, but the tunnel may need
// the other end.
func (o EndObject) gatewayWaits() []wait[end.EnsuredGateway] {
	key := func(ctx context.Context, _ end.EnsuredGateway) error {
		_, err := o.End.WaitForKey(ctx)
		return err
	}
	return []wait[end.EnsuredGateway]{
		{"key of the gateway", key}, {"rollout of the gateway", o.End.WaitForRollout},
	}
}

// wait is a step that waits for what Liqo does after an object was written.
type wait[T any] struct {
	name string
	do   func(context.Context, T) error
}

// ensure writes an object, and then waits for what Liqo does. The asked namespace may be empty. The error is a
// [steps.Failure].
func ensure[T any](
	ctx context.Context, o EndObject, asked, object string, write func(ctx context.Context, namespace string) (T, error),
	waits ...wait[T],
) error {
	return patiently(ctx, o.End, func() error {
		return tryEnsure(cluster.WithFence(ctx), o, asked, object, write, waits)
	})
}

// tryEnsure does so unless there is a rival. It has the turn on the pair only while it writes, so that the objects of
// one end do not wait for each other. A create has the turn on its object until its end.
func tryEnsure[T any](
	ctx context.Context, o EndObject, asked, object string, write func(ctx context.Context, namespace string) (T, error),
	waits []wait[T],
) error {
	r := steps.New(ctx)
	own, pair, leaf := o.objectTurn(), o.pairTurn(), o.End.Leaf.Name
	var before []steps.Before
	if o.Create {
		before = append(before, steps.Act(r, leaf, "wait for another create of it", own.take(r)))
	}
	begin := steps.Act(r, leaf, "wait for other operations on the pair", pair.take(r), before...)
	free := steps.Act(r, leaf, "check that nobody else has it", o.checkTurn(own), begin)
	namespace := steps.Do(r, leaf, "namespace", o.ensureNamespace(asked), free)
	written := steps.With(r, leaf, object, namespace, write)
	done := []steps.Before{steps.Act(r, leaf, "let others work on the pair", pair.giveUp, written)}
	for _, one := range waits {
		done = append(done, steps.ActWith(r, leaf, one.name, written, one.do))
	}
	still := steps.Act(r, leaf, "check that nobody else has it now", o.checkStill, done...)
	steps.Act(r, leaf, "let others have it", own.giveUp, still)
	failure := pair.endAfter(ctx, r)
	_ = own.giveUp(ctx)
	return failure
}

// pairTurn returns the turn on the pair at this end.
func (o EndObject) pairTurn() *turn { return newTurn(o.End, false) }

// objectTurn returns the turn on the object. Both types of gateways have the same one.
func (o EndObject) objectTurn() *turn {
	t := newTurn(o.End, o.Create)
	t.name = objectLeaseName(o.End)
	t.keep = o.End.RecordEndObject
	return t
}

func objectLeaseName(at *end.End) string {
	kind := map[owner.Resource]string{
		owner.ConfigurationResource: "configuration", owner.PublicKeyResource: "public-key",
		owner.GatewayServerResource: "gateway", owner.GatewayClientResource: "gateway",
	}[at.Owner.Resource]
	return leaseName(at) + "." + kind
}

// ensureNamespace returns a step that creates the tenant namespace, without an owner, or checks the one that the
// user has set.
func (o EndObject) ensureNamespace(asked string) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		tenant, err := o.End.IsTenantNamespace(ctx, asked)
		if err != nil {
			return "", err
		}
		if tenant {
			asked = ""
		}
		return o.shared().EnsureNamespace(ctx, asked)
	}
}

// shared is this end without an owner. What the objects of an end share belongs to none of them.
func (o EndObject) shared() *end.End { return end.New(o.End.Leaf, o.End.Remote) }

// Remove removes the owner's object, and returns when it is gone. If it was the last one of the network, the
// tenant namespace and Liqo's record of the other cluster go, too. Given is the user's Secret of a gateway; it
// stays. The text says what else stays, and why. The error is a [steps.Failure].
func (o EndObject) Remove(ctx context.Context, given liqo.KeySecret) (string, error) {
	ctx = cluster.WithFence(ctx)
	r, turn, leaf := steps.New(ctx), o.pairTurn().toRemove(), o.End.Leaf.Name
	begin := steps.Act(r, leaf, "wait for other operations on the pair", turn.take(r))
	peering := steps.Do(r, leaf, "look for a peering", o.End.LivingPeering, begin)
	allowed := steps.ActWith(r, leaf, "check that no peering uses the network", peering, o.checkNoPeering)
	removed := steps.Act(r, leaf, "remove the object",
		func(ctx context.Context) error { return o.removeOwn(ctx, given) }, allowed)
	kept := steps.Do(r, leaf, "remove what nothing needs any longer",
		func(ctx context.Context) (string, error) { return o.removeShared(ctx, given) }, removed)
	steps.Act(r, leaf, "let others work on the pair", turn.giveUp, kept)
	err := turn.endAfter(ctx, r)
	why, _ := kept.Result()
	return why, err
}

func (o EndObject) removeOwn(ctx context.Context, given liqo.KeySecret) error {
	switch o.End.Owner.Resource {
	case owner.ConfigurationResource:
		return o.End.RemoveConfigurations(ctx)
	case owner.PublicKeyResource:
		return o.End.RemovePublicKeys(ctx)
	default:
		return o.End.RemoveGateways(ctx, given)
	}
}

// removeShared removes what the objects of this end share if none of them is left. A peering may have begun since the
// removal began, because a gateway goes slowly.
func (o EndObject) removeShared(ctx context.Context, given liqo.KeySecret) (string, error) {
	if empty, err := o.End.IsEmpty(ctx); err != nil || !empty {
		return "", err
	}
	peering, err := o.End.LivingPeering(ctx)
	if err != nil {
		return "", err
	}
	shared := o.shared()
	shared.Owner.Token = o.End.Owner.Token // the namespace may be from a shortcut of which this object was imported
	namespace, err := shared.TenantNamespace(ctx)
	if err != nil {
		return "", err
	}
	if namespace, err = shared.BeginRemovingNamespace(ctx, namespace, peering, given); err != nil {
		return "", err
	}
	gone, err := shared.RemoveForeignCluster(ctx, namespace, peering)
	if err != nil {
		return "", err
	}
	remains, err := shared.RemoveNamespace(ctx, namespace, peering, gone, given)
	if err != nil {
		return "", err
	}
	return remains.Kept, shared.UntilGone(ctx, remains)
}
