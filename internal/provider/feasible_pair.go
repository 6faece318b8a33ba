package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	corev1 "k8s.io/api/core/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
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
	ends, diags := f.checkedEnds(ctx)
	if diags.HasError() {
		return diags
	}
	questions := []check{f.free, f.addressRanges, f.rules, f.lostNode}
	for _, one := range ends {
		questions = append(questions, one.checks()...)
	}
	return append(diags, askEach(ctx, questions)...)
}

// checkedEnds returns the two ends, the client's first.
func (f feasibility) checkedEnds(ctx context.Context) ([]checkedEnd, diag.Diagnostics) {
	var diags diag.Diagnostics
	var ends []checkedEnd
	changes := f.changesGateways(ctx)
	for i, e := range f.ends() {
		ends = append(ends, checkedEnd{
			end: f.shortcut.Ends()[i], leafAt: path.Root(e.planned.attribute), namespaceAt: e.planned.path("namespace"),
			gatewayAt: e.planned.path("gateway"), podsAt: e.planned.podsPath(), namespace: *e.configured.namespace,
			gatewayChanges:   f.state == nil || !e.planned.settings(ctx).Equal(e.recorded.settings(ctx)),
			followsChange:    f.state != nil && changes,
			namespaceChanges: f.state == nil || !e.planned.namespace.Equal(*e.recorded.namespace),
		})
	}
	client, server := f.plan.clientEnd().settings(ctx), f.plan.serverEnd().settings(ctx)
	tunnelKnown := fullyKnown(ctx, f.plan.MTU, f.plan.KeyRotationTrigger)
	if fullyKnown(ctx, client) {
		set, clientDiags := clientGatewaySpec(ctx, client)
		diags.Append(clientDiags...)
		set.TunnelSettings = f.plan.tunnelSettings()
		ends[0].gateway = &plannedGateway{set, tunnelKnown}
	}
	if fullyKnown(ctx, server) {
		set, serverDiags := serverGatewaySpec(ctx, server)
		diags.Append(serverDiags...)
		set.TunnelSettings = f.plan.tunnelSettings()
		ends[1].gateway = &plannedGateway{set, tunnelKnown}
	}
	return ends, diags
}

// changesGateways reports whether the apply makes, changes or replaces a gateway. That is assumed of settings that are
// not known yet, and if it can't be found out. The checks say why.
func (f feasibility) changesGateways(ctx context.Context) bool {
	if f.state == nil || !fullyKnown(ctx, f.plan.Pods, f.plan.ClientGateway, f.plan.ServerGateway, f.plan.MTU,
		f.plan.KeyRotationTrigger, f.plan.Allow) {
		return true
	}
	spec, diags := f.plan.gatewaysSpec(ctx)
	if diags.HasError() {
		return true
	}
	changes, err := f.shortcut.ChangesGateways(ctx, spec)
	return changes || err != nil
}

// lostNode warns of replicas that help against a lost pod, but not against a lost node: the client dials the address of
// one node, and goes on to dial it when the node is gone. Liqo's gateway takes only the first address of an endpoint.
func (f feasibility) lostNode(ctx context.Context) diag.Diagnostics {
	settings := f.plan.serverEnd().settings(ctx)
	if !fullyKnown(ctx, f.plan.ClientGateway, settings) {
		return nil
	}
	server, diags := serverGatewaySpec(ctx, settings)
	client, clientDiags := clientGatewaySpec(ctx, f.plan.ClientGateway)
	diags.Append(clientDiags...)
	pods := server.Pods
	if diags.HasError() || pods == nil || pods.Replicas < 2 || client.ServerAddress != "" ||
		server.ServiceType != corev1.ServiceTypeNodePort {
		return diags
	}
	return append(diags, report("node-port-on-lost-node", "The client dials one node of the server",
		fmt.Sprintf("With `service_type = \"NodePort\"`, the gateway of %q dials the address of the node with the active "+
			"pod of %q. Replicas help there if a pod is lost. If the node is lost, nobody dials another one before the "+
			"next apply. Use a load balancer, or set `server_address` of `client_gateway` to an address that moves, such as "+
			"a virtual IP.", f.plan.Client.ValueString(), f.plan.Server.ValueString())).
		warningAt(f.plan.serverEnd().podsPath().AtName("replicas")))
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
	client, diags := announcementSpec(ctx, f.config.ClientNetwork)
	server, serverDiags := announcementSpec(ctx, f.config.ServerNetwork)
	diags.Append(serverDiags...)
	if diags.HasError() {
		return diags
	}
	_, clientErr := f.shortcut.Announce(ctx, f.shortcut.Client, client)
	_, serverErr := f.shortcut.Announce(ctx, f.shortcut.Server, server)
	diags.Append(checkResult(announcementPath("client_network", clientErr), clientErr)...)
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
	allow, diags := allowSpec(ctx, f.plan.Allow)
	clientSpec, clientDiags := announcementSpec(ctx, f.config.ClientNetwork)
	serverSpec, serverDiags := announcementSpec(ctx, f.config.ServerNetwork)
	if diags.Append(append(clientDiags, serverDiags...)...); diags.HasError() {
		return diags
	}
	client, clientErr := f.shortcut.Announce(ctx, f.shortcut.Client, clientSpec)
	server, serverErr := f.shortcut.Announce(ctx, f.shortcut.Server, serverSpec)
	if clientErr != nil || serverErr != nil {
		return nil // another check reports them
	}
	at := path.Root("allow")
	diags.Append(checkResult(at, f.shortcut.Client.CheckLimits(ctx, *allow.Limits(client, server, true)))...)
	diags.Append(checkResult(at, f.shortcut.Server.CheckLimits(ctx, *allow.Limits(server, client, false)))...)
	return diags
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
