package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	corev1 "k8s.io/api/core/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// feasibility checks on the leaves whether a plan is possible. A check applies to a part of the plan that is known, and
// that is new or changed. So an existing shortcut can still be repaired or destroyed on a leaf that no longer has what
// only a new shortcut needs.
type feasibility struct {
	*planning

	before   shortcutModel // the state; all values are null if there is none
	shortcut *shortcut.Shortcut
}

// checkFeasible runs all checks in parallel. It is called only for a shortcut that the plan creates or changes, so that
// a refresh makes no requests for it.
func checkFeasible(ctx context.Context, p *planning) diag.Diagnostics {
	if p.pair.client == nil || p.pair.server == nil {
		return nil
	}
	f := feasibility{planning: p, shortcut: shortcut.New(p.pair.client, p.pair.server).OwnedBy(p.own.owner(p.origin))}
	if p.state != nil {
		f.before = *p.state
	}
	questions := []check{f.free, f.network, f.lostNode}
	changes := f.changesGateways(ctx)
	for i, e := range f.ends() {
		paths := endPaths{
			path.Root(e.planned.attribute), e.planned.path("namespace"), e.planned.path("gateway"), e.planned.podsPath(),
		}
		questions = append(questions, paths.preview(f.shortcut.Ends()[i], f.intent(ctx, e, changes)))
	}
	return askEach(ctx, questions)
}

// intent returns what the plan says about one end. Changes says whether either gateway changes.
func (f feasibility) intent(ctx context.Context, e planEnd, changes bool) end.Intent {
	intent := f.plan.intentFor(ctx, e.planned.known(ctx))
	intent.Namespace = namespaceOf(*e.configured.namespace)
	intent.NewNamespace = f.state == nil || !e.planned.namespace.Equal(*e.recorded.namespace)
	intent.NewGateway = f.state == nil || !e.planned.settings(ctx).Equal(e.recorded.settings(ctx))
	intent.Follows = f.state != nil && changes
	return intent
}

// changesGateways reports whether the apply makes, changes or replaces a gateway. That is assumed of settings that are
// not known yet, and if it can't be found out. The checks say why.
func (f feasibility) changesGateways(ctx context.Context) bool {
	if f.state == nil || !fullyKnown(ctx, f.plan.Pods, f.plan.ClientGateway, f.plan.ServerGateway, f.plan.MTU,
		f.plan.KeyRotationTrigger, f.plan.Allow) {
		return true
	}
	changes, err := f.shortcut.ChangesGateways(ctx, f.plan.gatewaysSpec(ctx))
	return changes || err != nil
}

// lostNode warns of replicas that help against a lost pod, but not against a lost node: the client dials the address of
// one node, and goes on to dial it when the node is gone. Liqo's gateway takes only the first address of an endpoint.
func (f feasibility) lostNode(ctx context.Context) diag.Diagnostics {
	client, server := f.plan.clientEnd().known(ctx), f.plan.serverEnd().known(ctx)
	if client == nil || server == nil || server.Pods == nil || server.Pods.Replicas < 2 || client.ServerAddress != "" ||
		server.ServiceType != corev1.ServiceTypeNodePort {
		return nil
	}
	return diag.Diagnostics{report("node-port-on-lost-node", "The client dials one node of the server",
		fmt.Sprintf("With `service_type = \"NodePort\"`, the gateway of %q dials the address of the node with the active "+
			"pod of %q. Replicas help there if a pod is lost. If the node is lost, nobody dials another one before the "+
			"next apply. Use a load balancer, or set `server_address` of `client_gateway` to an address that moves, such as "+
			"a virtual IP.", f.plan.Client.ValueString(), f.plan.Server.ValueString())).
		warningAt(f.plan.serverEnd().podsPath().AtName("replicas"))}
}

// free finds a network of the pair that someone else made.
func (f feasibility) free(ctx context.Context) diag.Diagnostics {
	if f.state != nil {
		return nil
	}
	err := f.shortcut.CheckFree(ctx, shortcut.Spec{Create: true})
	return f.leaves.checkNotTaken(path.Root("server"), f.shortcut.Client.Owner, reservationOf(f.pair), err)
}

// network finds ranges that Liqo can't connect or will remap, and rules of `allow` that a leaf can't enforce.
func (f feasibility) network(ctx context.Context) diag.Diagnostics {
	remaps, limits := f.changesRanges(), !f.plan.Allow.IsNull() && fullyKnown(ctx, f.plan.Allow)
	if !fullyKnown(ctx, f.config.ClientNetwork, f.config.ServerNetwork) || !limits && !remaps {
		return nil
	}
	var ranges [2]liqo.Ranges
	announce := func(i int, network string, configured types.Object) check {
		return func(ctx context.Context) diag.Diagnostics {
			var (
				announced end.Announcement
				err       error
			)
			readInto(ctx, configured, &announced)
			ranges[i], err = f.shortcut.Announce(ctx, f.shortcut.Ends()[i], announced)
			return checkResult(announcementPath(network, err), err)
		}
	}
	diags := askEach(ctx, []check{
		announce(0, "client_network", f.config.ClientNetwork), announce(1, "server_network", f.config.ServerNetwork),
	})
	if len(diags) > 0 {
		return diags
	}
	var questions []check
	if remaps {
		questions = append(questions, func(ctx context.Context) diag.Diagnostics { return f.remapping(ctx, ranges) })
	}
	if limits {
		questions = append(questions, func(ctx context.Context) diag.Diagnostics { return f.rules(ctx, ranges) })
	}
	return askEach(ctx, questions)
}

// changesRanges reports whether the plan may change which ranges the leaves announce or remap.
func (f feasibility) changesRanges() bool {
	return !f.plan.CIDRRemapping.IsUnknown() && (f.state == nil || !f.plan.CIDRRemapping.Equal(f.before.CIDRRemapping) ||
		!remappingKnown(f.before.ClientNetwork, f.plan.ClientNetwork) ||
		!remappingKnown(f.before.ServerNetwork, f.plan.ServerNetwork))
}

// rules finds leaves that can't enforce `allow`, and ranges in it that have no pods. The ranges are what the client and
// the server announce.
func (f feasibility) rules(ctx context.Context, ranges [2]liqo.Ranges) diag.Diagnostics {
	at, allow := path.Root("allow"), allowSpec(ctx, f.plan.Allow)
	client, server := allow.Limits(ranges[0], ranges[1], true), allow.Limits(ranges[1], ranges[0], false)
	return append(checkResult(at, f.shortcut.Client.CheckLimits(ctx, *client)),
		checkResult(at, f.shortcut.Server.CheckLimits(ctx, *server))...)
}

// remapping returns a diagnostic for each pod CIDR that Liqo will remap: an error if remapping is forbidden, otherwise
// a warning.
func (f feasibility) remapping(ctx context.Context, ranges [2]liqo.Ranges) diag.Diagnostics {
	var diags diag.Diagnostics
	overlaps, err := f.shortcut.Overlaps(ctx, ranges)
	if err != nil {
		diags.Append(failureOf("leaf-unreadable", "Remapping can't be predicted", err).asWarning())
		return diags
	}
	for _, overlap := range overlaps {
		if f.plan.CIDRRemapping.ValueString() == remappingForbidden {
			diags.Append(report("remapping-forbidden", "Remapping is forbidden, and needed",
				overlap.String()).errorAt(path.Root("cidr_remapping")))
		} else {
			diags.Append(report("pod-cidr-remapped", "A pod CIDR will be remapped",
				overlap.String()+" The remapped attributes show the new ranges.").asWarning())
		}
	}
	return diags
}
