package shortcut

import (
	"context"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/steps"
)

// endSteps starts the steps that make one end of a network. A shortcut starts those of both ends, and what flows
// between them are the results of steps. A resource for one end starts those of its object.
type endSteps struct {
	*end.End

	run  *steps.Run
	spec EndSpec

	missing     *steps.Step[bool]   // whether the tenant namespace has to be created
	namespace   *steps.Step[string] // of the objects
	ranges      *steps.Step[liqo.Ranges]
	formerKeys  steps.Before // done when the keys of a former gateway are gone
	formerRules steps.Before // done when the rules of one are gone
	limits      steps.Before // done when the gateway has rules of what may cross, or none if everything may
	gateway     *steps.Step[end.EnsuredGateway]
	done        []steps.Before // what the operation waits for
}

// checkGateway fails if the gateway of this end can't follow a change of either one. A repair of something else needs
// no template.
func (e *endSteps) checkGateway(changes *steps.Step[bool], settings liqo.GatewaySettings) steps.Before {
	return steps.ActWith(e.run, e.Leaf.Name, "check that its gateway can follow", changes,
		func(ctx context.Context, changes bool) error {
			return e.CheckAgain(ctx, end.Intent{
				Namespace: &e.spec.Namespace, Gateway: &settings, NewNamespace: true, Follows: changes,
			})
		})
}

// awaitNamespace looks at the namespace of the objects before anything is written at either end, and waits until one
// that someone is deleting is gone. It comes ahead of all other steps.
func (e *endSteps) awaitNamespace() steps.Before {
	e.missing = steps.Do(e.run, e.Leaf.Name, "look for the namespace", func(ctx context.Context) (bool, error) {
		return e.AwaitNamespace(ctx, e.spec.Namespace)
	})
	return e.missing
}

// makeNamespace finds or creates the namespace of the objects. The look at it may be out of date: it counts only if
// there was no tenant namespace, and saves a round trip of a create then.
func (e *endSteps) makeNamespace(after ...steps.Before) {
	e.namespace = steps.With(e.run, e.Leaf.Name, "namespace", e.missing,
		func(ctx context.Context, missing bool) (string, error) {
			if missing {
				return e.CreateTenantNamespace(ctx)
			}
			return e.EnsureNamespace(ctx, e.spec.Namespace)
		}, after...)
}

// clear waits until the keys of a former gateway are gone, and removes its rules.
func (e *endSteps) clear(lock *lock, creates bool, after ...steps.Before) {
	e.formerKeys = steps.Act(e.run, e.Leaf.Name, "keys of a former gateway", func(ctx context.Context) error {
		return e.UntilFormerKeysGone(ctx, e.spec.Namespace)
	}, after...)
	e.formerRules = steps.Act(e.run, e.Leaf.Name, "rules of a former gateway", func(ctx context.Context) error {
		return e.RemoveLeftRules(ctx, lock.unfinished, creates)
	}, after...)
}

// configure gives the leaf the ranges of the other one. Liqo on it then decides how to remap them, which is the result.
func (e *endSteps) configure(ranges *steps.Step[liqo.Ranges], forbidRemapping bool) steps.Before {
	written := steps.ActWith2(e.run, e.Leaf.Name, "Configuration", e.namespace, ranges, e.EnsureConfiguration)
	remapped := steps.Act(e.run, e.Leaf.Name, "remapping by Liqo", func(ctx context.Context) error {
		if err := e.WaitForRemapping(ctx, forbidRemapping); err != nil {
			return err
		}
		return e.RenewRanges(ctx)
	}, written)
	e.done = append(e.done, written, remapped)
	return remapped
}

// limitsOf returns a step with what may cross as this end enforces it. The limits have the ranges of both leaves.
func (e *endSteps) limitsOf(allow *Allow, other *endSteps, isClient bool) *steps.Step[*liqo.Limits] {
	return steps.With2(e.run, e.Leaf.Name, "allowed traffic", e.ranges, other.ranges,
		func(_ context.Context, own, other liqo.Ranges) (*liqo.Limits, error) {
			return allow.Limits(own, other, isClient), nil
		})
}

// limit lets only that cross which the limits allow, or everything if they are nil. The rules come before the gateway,
// and after one that it replaces, and those that are left of a former one.
func (e *endSteps) limit(wanted *steps.Step[*liqo.Limits], removal steps.Before) {
	e.limits = steps.ActWith2(e.run, e.Leaf.Name, "FirewallConfiguration", e.namespace, wanted, e.EnsureLimits,
		e.formerRules, removal)
	e.done = append(e.done, e.limits)
}

// enforce waits until the gateway enforces the rules, if there are any. The other gateway's key comes afterwards, so
// that nothing crosses a new gateway before it has its rules. It returns the last write to the gateway.
func (e *endSteps) enforce(limited bool) steps.Before {
	if !limited {
		return e.gateway
	}
	bound := steps.ActWith(e.run, e.Leaf.Name, "owner of the rules", e.gateway, e.BindLimits)
	e.limits = steps.ActWith(e.run, e.Leaf.Name, "rules in the gateway", e.gateway, e.WaitForLimits, bound)
	e.done = append(e.done, e.limits)
	return bound
}

// removeReplaced removes a gateway that can't be changed in place, as the function replaces reports. Otherwise it only
// releases a Secret that the gateway no longer uses.
func (e *endSteps) removeReplaced(
	replaces func(ctx context.Context, namespace string) (bool, error), after ...steps.Before,
) steps.Before {
	compared := steps.With(e.run, e.Leaf.Name, "compare the gateway if there is one", e.namespace, replaces)
	return steps.ActWith(e.run, e.Leaf.Name, "remove a gateway that can't change in place", compared,
		func(ctx context.Context, replaces bool) error {
			if replaces {
				return e.RemoveGateways(ctx, e.spec.FormerKeySecret)
			}
			return e.ReleaseKeySecret(ctx, e.spec.FormerKeySecret)
		}, after...)
}

// serve makes the gateway that the other end dials. The result is where it can be reached. A gateway that the other one
// need not follow has restarted by then, perhaps at another address.
func (e *endSteps) serve(spec liqo.GatewaySettings) *steps.Step[liqo.Endpoint] {
	e.gateway = steps.With(e.run, e.Leaf.Name, "GatewayServer", e.namespace,
		func(ctx context.Context, namespace string) (end.EnsuredGateway, error) {
			return e.EnsureGateway(ctx, namespace, liqo.Endpoint{}, spec)
		}, e.formerKeys, e.limits)
	endpoint := steps.With(e.run, e.Leaf.Name, "address of the gateway", e.gateway, e.WaitForEndpoint,
		e.rolled(spec.Limited))
	e.done = append(e.done, e.gateway, endpoint)
	return endpoint
}

// dial makes the gateway that dials the other end at its endpoint.
func (e *endSteps) dial(spec liqo.GatewaySettings, server *steps.Step[liqo.Endpoint]) {
	e.gateway = steps.With2(e.run, e.Leaf.Name, "GatewayClient", e.namespace, server,
		func(ctx context.Context, namespace string, server liqo.Endpoint) (end.EnsuredGateway, error) {
			return e.EnsureGateway(ctx, namespace, server, spec)
		}, e.formerKeys, e.limits)
	e.done = append(e.done, e.gateway)
}

// key waits for the public key of the end's gateway. Liqo creates it before the gateway's pod.
func (e *endSteps) key() *steps.Step[[]byte] {
	key := steps.With(e.run, e.Leaf.Name, "key of the gateway", e.gateway, e.WaitForKey)
	e.done = append(e.done, key)
	return key
}

// trust gives the gateway the key of the other end's gateway. The result reports whether that was necessary.
func (e *endSteps) trust(key *steps.Step[[]byte]) *steps.Step[bool] {
	trusted := steps.With2(e.run, e.Leaf.Name, "PublicKey of the other gateway", key, e.gateway, e.EnsurePublicKey,
		e.limits)
	e.done = append(e.done, trusted)
	return trusted
}

// connect waits until the gateway reports the tunnel as up, once both gateways trust each other. A gateway that
// restarts gets new routes.
func (e *endSteps) connect(trusted, handshake steps.Before) {
	e.done = append(e.done,
		steps.ActWith(e.run, e.Leaf.Name, "routes to a gateway that restarts", e.gateway, e.RenewRoutes, trusted),
		steps.Act(e.run, e.Leaf.Name, "connection", e.WaitForConnection, handshake))
}

// rolled waits until a gateway has restarted with something that the other one need not follow, and enforces its rules
// again. So the other one does not restart at the same time, and a standby at either end keeps the tunnel up.
func (e *endSteps) rolled(limited bool) steps.Before {
	return steps.ActWith(e.run, e.Leaf.Name, "rollout of the gateway before the other one's", e.gateway,
		func(ctx context.Context, gateway end.EnsuredGateway) error {
			if !gateway.Rolls {
				return nil
			}
			if err := e.WaitForRollout(ctx, gateway); err != nil || !limited {
				return err
			}
			return e.WaitForLimits(ctx, gateway)
		})
}

// rollOut waits until a gateway that restarts has restarted. A tunnel that comes up shows it, too.
func (e *endSteps) rollOut() {
	e.done = append(e.done,
		steps.ActWith(e.run, e.Leaf.Name, "rollout of the gateway", e.gateway, e.WaitForRollout))
}
