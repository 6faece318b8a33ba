package shortcut

import (
	"context"
	"fmt"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/steps"
)

// EndObject is one object at one end of a network, which a resource of its own manages. It is for people who have
// credentials for one of the two clusters. They get what they need of the other end as values, and wait for nothing
// that the other end does.
//
// The type of the resource, [owner.Owner.Resource], says which object it is. The objects of one end share a tenant
// namespace, which has no owner. The first one creates it, and the last one removes it.
type EndObject struct {
	End *end.End

	// Create means that no Terraform state has the owner's token yet, as in [Spec].
	Create bool
}

// NewEndObject returns an object of the owner on a leaf. Remote is the ID of the other cluster.
func NewEndObject(leaf *cluster.Leaf, remote string, self owner.Owner) EndObject {
	e := end.New(leaf, end.Remote{Name: remote, ID: liqov1beta1.ClusterID(remote)})
	e.Owner = self
	return EndObject{End: e}
}

// EnsureConfiguration creates or changes the Configuration with the address ranges of the other cluster. It returns
// when Liqo has remapped them.
func (o EndObject) EnsureConfiguration(ctx context.Context, namespace string, other liqo.Ranges) error {
	possible := func(ctx context.Context) error {
		objects, err := o.End.Find(ctx)
		if err != nil {
			return err
		}
		return o.End.CheckAnnounced(ctx, other, objects.ObservedRemote())
	}
	return o.ensure(ctx, namespace, possible, func(e *endSteps) steps.Before {
		given := func(context.Context) (liqo.Ranges, error) { return other, nil }
		e.configure(steps.Do(e.run, e.Leaf.Name, "address ranges of the other cluster", given), false)
		return e.done[0]
	})
}

// EnsureGateway creates or changes the gateway, and what may cross. A client dials the other one at server. It returns
// when the gateway has keys, and a server its address, and has restarted if it had to, and enforces the rules. A change
// can let a gateway restart, but the tunnel may need the other end.
func (o EndObject) EnsureGateway(
	ctx context.Context, namespace string, allow *Allow, server liqo.Endpoint, spec liqo.GatewaySettings,
) error {
	spec.Limited = allow != nil
	possible := func(ctx context.Context) error {
		return o.End.CheckAgain(ctx, end.Intent{
			Namespace: &namespace, Gateway: &spec, NewNamespace: true, NewGateway: o.Create, Follows: !o.Create,
		})
	}
	return o.ensure(ctx, namespace, possible, func(e *endSteps) steps.Before {
		e.limit(o.limitsOf(e, allow), o.removeReplaced(e, spec))
		if spec.Role == liqo.ServerRole {
			e.serve(spec)
		} else {
			given := func(context.Context) (liqo.Endpoint, error) { return server, nil }
			e.dial(spec, steps.Do(e.run, e.Leaf.Name, "address of the other gateway", given))
		}
		e.key()
		e.rollOut()
		return e.enforce(spec.Limited)
	})
}

// EnsurePublicKey gives this leaf's gateway, which may not exist yet, the public key of the other one.
func (o EndObject) EnsurePublicKey(ctx context.Context, namespace string, key []byte) error {
	possible := func(context.Context) error { return nil }
	return o.ensure(ctx, namespace, possible, func(e *endSteps) steps.Before {
		return steps.ActWith(e.run, e.Leaf.Name, "PublicKey", e.namespace, func(ctx context.Context, namespace string) error {
			return e.EnsureLonePublicKey(ctx, namespace, key)
		})
	})
}

// removeReplaced removes a gateway that can't be changed in place, as [endSteps] does, also if there is none of the
// desired direction. A killed operation may have left something behind then, and Kubernetes may not have deleted the
// keys yet.
func (o EndObject) removeReplaced(e *endSteps, spec liqo.GatewaySettings) steps.Before {
	removal := e.removeReplaced(func(ctx context.Context, namespace string) (bool, error) {
		objects, err := e.Find(ctx)
		if err != nil || objects.GatewayAs(spec.Role) == nil {
			return err == nil, err
		}
		return e.ReplacesGateway(ctx, namespace, spec)
	})
	e.formerKeys = steps.ActWith(e.run, e.Leaf.Name, "keys of a former gateway", e.namespace, e.UntilFormerKeysGone,
		removal)
	return removal
}

// ensure writes an object, if that is possible, and waits for what Liqo does then. The function start starts the steps,
// and returns the last one that writes. The namespace may be empty. The error is a [steps.Failure].
func (o EndObject) ensure(
	ctx context.Context, namespace string, possible func(context.Context) error, start func(*endSteps) steps.Before,
) error {
	return retryOnceReleased(ctx, o.End, func() error {
		return o.tryEnsure(cluster.WithFence(ctx), namespace, possible, start)
	})
}

// tryEnsure does so unless there is another owner. It has the lock on the pair only while it writes, so that the
// objects of one end do not wait for each other. A create has the lock on its object until its end.
func (o EndObject) tryEnsure(
	ctx context.Context, namespace string, possible func(context.Context) error, start func(*endSteps) steps.Before,
) error {
	r := steps.New(ctx, LogSubsystem)
	objectLock, pairLock, leaf := o.objectLock(), o.pairLock(), o.End.Leaf.Name
	var before []steps.Before
	if o.Create {
		before = append(before, steps.Act(r, leaf, "wait for another create of it", objectLock.acquire(r)))
	}
	begin := steps.Act(r, leaf, "wait for other operations on the pair", pairLock.acquire(r), before...)
	free := steps.Act(r, leaf, "check that nobody else has it", o.checkLocked(objectLock), begin)
	checked := steps.Act(r, leaf, "check that it is possible", possible, begin)
	e := &endSteps{End: o.End, run: r, spec: EndSpec{Namespace: namespace}}
	e.formerRules = steps.Act(r, leaf, "rules of a former gateway", func(ctx context.Context) error {
		return o.End.RemoveLeftRules(ctx, objectLock.unfinished, true) // its own ones go with what is left of a gateway
	}, free, checked)
	e.namespace = steps.Do(r, leaf, "namespace", o.ensureNamespace(namespace), e.formerRules)
	written := start(e)
	e.done = append(e.done, steps.Act(r, leaf, "let others work on the pair", pairLock.release, written))
	still := steps.Act(r, leaf, "check that nobody else has it now", o.checkStill, e.done...)
	steps.Act(r, leaf, "let others have it", objectLock.release, still)
	failure := objectLock.judged(pairLock.releaseAfter(ctx, r))
	_ = objectLock.release(ctx)
	return failure
}

// pairLock returns the lock on the pair at this end.
func (o EndObject) pairLock() *lock { return newLock(o.End, false) }

// objectLock returns the lock on the object. Both types of gateways have the same one.
func (o EndObject) objectLock() *lock {
	l := newLock(o.End, o.Create)
	l.name = objectLeaseName(o.End)
	l.on = fmt.Sprintf("the %s for %s", lockedObjects[o.End.Owner.Resource].name, nameOther(o.End))
	l.recordEnd = o.End.RecordEndObject
	return l
}

// lockedObjects has the objects that have a lock, by the resources that make them.
var lockedObjects = map[owner.Resource]struct{ name, lease string }{
	owner.ConfigurationResource: {"Configuration", "configuration"},
	owner.PublicKeyResource:     {"PublicKey", "public-key"},
	owner.GatewayServerResource: {"gateway", "gateway"},
	owner.GatewayClientResource: {"gateway", "gateway"},
}

func objectLeaseName(e *end.End) string {
	return leaseName(e) + "." + lockedObjects[e.Owner.Resource].lease
}

// ensureNamespace returns a step that creates the tenant namespace, without an owner, or checks the one that the user
// has set.
func (o EndObject) ensureNamespace(namespace string) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		tenant, err := o.End.IsTenantNamespace(ctx, namespace)
		if err != nil {
			return "", err
		}
		if tenant {
			namespace = ""
		}
		return o.shared().EnsureNamespace(ctx, namespace)
	}
}

// shared is this end without an owner. What the objects of an end share belongs to none of them.
func (o EndObject) shared() *end.End { return end.New(o.End.Leaf, o.End.Remote) }

// Remove removes the owner's object, and returns when it is gone. If it was the last one of the network, the tenant
// namespace and Liqo's record of the other cluster go, too. The user's Secret of a gateway stays. The text says what
// else stays, and why. The error is a [steps.Failure].
func (o EndObject) Remove(ctx context.Context, userSecret liqo.KeySecret) (string, error) {
	ctx = cluster.WithFence(ctx)
	r, lock, leaf := steps.New(ctx, LogSubsystem), o.pairLock().forRemoval(), o.End.Leaf.Name
	begin := steps.Act(r, leaf, "wait for other operations on the pair", lock.acquire(r))
	peering := steps.Do(r, leaf, "look for a peering", o.End.LivingPeering, begin)
	check := steps.ActWith(r, leaf, "check that no peering uses the network", peering, o.checkNoPeering)
	removed := steps.Act(r, leaf, "remove the object",
		func(ctx context.Context) error { return o.removeOwn(ctx, userSecret) }, check)
	kept := steps.Do(r, leaf, "remove what nothing needs any longer",
		func(ctx context.Context) (string, error) { return o.removeShared(ctx, userSecret) }, removed)
	steps.Act(r, leaf, "let others work on the pair", lock.release, kept)
	err := lock.releaseAfter(ctx, r)
	why, _ := kept.Result()
	return why, err
}

func (o EndObject) removeOwn(ctx context.Context, userSecret liqo.KeySecret) error {
	switch o.End.Owner.Resource {
	case owner.ConfigurationResource:
		return o.End.RemoveConfigurations(ctx)
	case owner.PublicKeyResource:
		return o.End.RemovePublicKeys(ctx)
	default:
		return o.End.RemoveGateways(ctx, userSecret)
	}
}

// removeShared removes what the objects of this end share if none of them is left. A peering may have begun since the
// removal began, because a gateway goes slowly.
func (o EndObject) removeShared(ctx context.Context, userSecret liqo.KeySecret) (string, error) {
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
	if namespace, err = shared.BeginRemovingNamespace(ctx, namespace, peering, userSecret); err != nil {
		return "", err
	}
	gone, err := shared.RemoveForeignCluster(ctx, namespace, peering)
	if err != nil {
		return "", err
	}
	leftovers, err := shared.RemoveNamespace(ctx, namespace, peering, gone, userSecret)
	if err != nil {
		return "", err
	}
	return leftovers.Kept, shared.UntilGone(ctx, leftovers)
}
