package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
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
	questions := []check{f.free, f.addressRanges, f.rules, f.lostNode}
	for _, one := range f.checkedEnds(ctx) {
		questions = append(questions, one.checks()...)
	}
	return askEach(ctx, questions)
}

// checkedEnds returns the two ends, the client's first.
func (f feasibility) checkedEnds(ctx context.Context) []checkedEnd {
	var ends []checkedEnd
	changes := f.changesGateways(ctx)
	for i, e := range f.ends() {
		settings := e.planned.settings(ctx)
		here := checkedEnd{
			end: f.shortcut.Ends()[i], leafAt: path.Root(e.planned.attribute), namespaceAt: e.planned.path("namespace"),
			gatewayAt: e.planned.path("gateway"), podsAt: e.planned.podsPath(), namespace: *e.configured.namespace,
			gatewayChanges:   f.state == nil || !settings.Equal(e.recorded.settings(ctx)),
			followsChange:    f.state != nil && changes,
			namespaceChanges: f.state == nil || !e.planned.namespace.Equal(*e.recorded.namespace),
		}
		if fullyKnown(ctx, settings) {
			set := gatewaySettings(ctx, e.planned.role, settings)
			set.TunnelSettings = f.plan.tunnelSettings()
			here.gateway = &plannedGateway{set, fullyKnown(ctx, f.plan.MTU, f.plan.KeyRotationTrigger)}
		}
		ends = append(ends, here)
	}
	return ends
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
	settings := f.plan.serverEnd().settings(ctx)
	if !fullyKnown(ctx, f.plan.ClientGateway, settings) {
		return nil
	}
	server := gatewaySettings(ctx, liqo.ServerRole, settings)
	client := gatewaySettings(ctx, liqo.ClientRole, f.plan.ClientGateway)
	if server.Pods == nil || server.Pods.Replicas < 2 || client.ServerAddress != "" ||
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

// addressRanges finds ranges that Liqo cannot connect, and ranges that it will remap.
func (f feasibility) addressRanges(ctx context.Context) diag.Diagnostics {
	if !fullyKnown(ctx, f.config.ClientNetwork, f.config.ServerNetwork, f.plan.CIDRRemapping) {
		return nil
	}
	same := remappingKnown(f.before.ClientNetwork, f.plan.ClientNetwork) &&
		remappingKnown(f.before.ServerNetwork, f.plan.ServerNetwork)
	if f.state != nil && same && f.plan.CIDRRemapping.Equal(f.before.CIDRRemapping) {
		return nil
	}
	client, server := f.announcements(ctx)
	_, clientErr := f.shortcut.Announce(ctx, f.shortcut.Client, client)
	_, serverErr := f.shortcut.Announce(ctx, f.shortcut.Server, server)
	diags := checkResult(announcementPath("client_network", clientErr), clientErr)
	diags.Append(checkResult(announcementPath("server_network", serverErr), serverErr)...)
	if len(diags) > 0 {
		return diags
	}
	return f.remapping(ctx, client, server)
}

// rules finds leaves that can't enforce `allow`, and ranges in it that have no pods.
func (f feasibility) rules(ctx context.Context) diag.Diagnostics {
	if f.plan.Allow.IsNull() || !fullyKnown(ctx, f.plan.Allow, f.config.ClientNetwork, f.config.ServerNetwork) {
		return nil
	}
	clientSays, serverSays := f.announcements(ctx)
	client, clientErr := f.shortcut.Announce(ctx, f.shortcut.Client, clientSays)
	server, serverErr := f.shortcut.Announce(ctx, f.shortcut.Server, serverSays)
	if clientErr != nil || serverErr != nil {
		return nil // another check reports them
	}
	at, allow := path.Root("allow"), allowSpec(ctx, f.plan.Allow)
	return append(checkResult(at, f.shortcut.Client.CheckLimits(ctx, *allow.Limits(client, server, true))),
		checkResult(at, f.shortcut.Server.CheckLimits(ctx, *allow.Limits(server, client, false)))...)
}

// announcements are what the configuration announces of each leaf.
func (f feasibility) announcements(ctx context.Context) (client, server end.Announcement) {
	readInto(ctx, f.config.ClientNetwork, &client)
	readInto(ctx, f.config.ServerNetwork, &server)
	return client, server
}

// remapping returns a diagnostic for each pod CIDR that Liqo will remap: an error if remapping is forbidden, otherwise
// a warning.
func (f feasibility) remapping(ctx context.Context, client, server end.Announcement) diag.Diagnostics {
	var diags diag.Diagnostics
	overlaps, err := f.shortcut.Overlaps(ctx, client, server)
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
