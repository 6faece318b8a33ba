package provider

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// feasibility is what a plan asks the leaves: whether they can be joined as planned. A question about a part of the plan is asked when that part is known, and new or
// changed: a shortcut that is there can still be repaired, or destroyed, when a leaf has lost what only a new one would need.
type feasibility struct {
	*planning

	before   shortcutModel // the state; all of it is null where there is none
	shortcut *shortcut.Shortcut
}

// checkFeasible asks all questions at the same time. It is called for a shortcut that is to be made or changed, so that a refresh asks nothing.
func checkFeasible(ctx context.Context, p *planning) diag.Diagnostics {
	if p.pair.client == nil || p.pair.server == nil {
		return nil
	}
	f := feasibility{planning: p, shortcut: shortcut.New(p.pair.client, p.pair.server).OwnedBy(p.own.owner())}
	if p.state != nil {
		f.before = *p.state
	}
	questions := []func(context.Context) diag.Diagnostics{
		f.clientVersion, f.serverVersion, f.free, f.clientNamespace, f.serverNamespace,
		f.serverTemplate, f.clientTemplate, f.serverKeys, f.clientKeys, f.addressRanges,
	}
	answers := make([]diag.Diagnostics, len(questions))
	var asked sync.WaitGroup
	for i, ask := range questions {
		asked.Go(func() { answers[i] = ask(ctx) })
	}
	asked.Wait()
	var diags diag.Diagnostics
	for _, answer := range answers {
		diags.Append(answer...)
	}
	return diags
}

// concerns reports whether a part of the plan is known, and new or another than before.
func (f feasibility) concerns(ctx context.Context, planned, before attr.Value) bool {
	return fullyKnown(ctx, planned) && (f.state == nil || !planned.Equal(before))
}

func (f feasibility) clientVersion(ctx context.Context) diag.Diagnostics {
	return checkVersion(ctx, f.pair.client, path.Root("client"))
}

func (f feasibility) serverVersion(ctx context.Context) diag.Diagnostics {
	return checkVersion(ctx, f.pair.server, path.Root("server"))
}

func checkVersion(ctx context.Context, leaf *cluster.Leaf, at path.Path) diag.Diagnostics {
	if err := leaf.CheckLiqoVersion(ctx); err != nil {
		return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(at, summary("Unsupported version of Liqo", err), detail(err))}
	}
	return nil
}

// free finds a network of the pair that somebody else has made. One of another resource instance may be that of this very resource, tainted or under its former address.
func (f feasibility) free(ctx context.Context) diag.Diagnostics {
	if f.state != nil || !fullyKnown(ctx, f.plan.AdoptExisting, f.plan.ShareKeys) {
		return nil
	}
	err := f.shortcut.CheckFree(ctx, shortcut.Spec{Adopt: f.plan.AdoptExisting.ValueBool(), KeysByOthers: f.plan.keysByOthers()})
	if !shortcut.IsRival(err) {
		return found(path.Root("adopt_existing"), err)
	}
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(path.Root("adopt_existing"), summary("A shortcut exists already", err), detail(err)+
		"\n\nThis is no error yet, because the same apply may destroy that resource: it may be this one, tainted or under its former address. Any other apply "+
		"is refused.")}
}

// clientNamespace finds a namespace that the client can't keep the objects in.
func (f feasibility) clientNamespace(ctx context.Context) diag.Diagnostics {
	if !f.moves(f.plan.ClientNamespace, f.before.ClientNamespace, f.config.ClientNamespace) {
		return nil
	}
	return foundUnlessMade(path.Root("client_namespace"), f.shortcut.Client.CheckNamespace(ctx, f.config.ClientNamespace.ValueString()))
}

// serverNamespace finds a namespace that the server can't keep the objects in.
func (f feasibility) serverNamespace(ctx context.Context) diag.Diagnostics {
	if !f.moves(f.plan.ServerNamespace, f.before.ServerNamespace, f.config.ServerNamespace) {
		return nil
	}
	return foundUnlessMade(path.Root("server_namespace"), f.shortcut.Server.CheckNamespace(ctx, f.config.ServerNamespace.ValueString()))
}

// moves reports whether objects come to a namespace, and the configuration says to which, or to the tenant namespace.
func (f feasibility) moves(planned, before, configured types.String) bool {
	return !configured.IsUnknown() && (f.state == nil || !planned.Equal(before))
}

// addressRanges finds ranges that Liqo can't join, and those that it will remap.
func (f feasibility) addressRanges(ctx context.Context) diag.Diagnostics {
	if !fullyKnown(ctx, f.config.ClientNetwork, f.config.ServerNetwork, f.plan.CIDRRemapping) {
		return nil
	}
	same := remappingKnown(f.before.ClientNetwork, f.plan.ClientNetwork) && remappingKnown(f.before.ServerNetwork, f.plan.ServerNetwork)
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
	diags.Append(found(announcementPath("client_network", clientErr), clientErr)...)
	diags.Append(found(announcementPath("server_network", serverErr), serverErr)...)
	if len(diags) > 0 {
		return diags
	}
	return f.remapping(ctx, client, server)
}

// remapping tells of each pod CIDR that Liqo will remap; where that is forbidden, it is an error.
func (f feasibility) remapping(ctx context.Context, client, server end.Announcement) diag.Diagnostics {
	var diags diag.Diagnostics
	overlaps, err := f.shortcut.Overlaps(ctx, client, server)
	if err != nil {
		diags.AddWarning(summary("A remapping can't be foreseen", err), detail(err))
		return diags
	}
	for _, overlap := range overlaps {
		if f.plan.CIDRRemapping.ValueString() == remappingForbidden {
			diags.AddAttributeError(path.Root("cidr_remapping"), "Remapping is forbidden, and needed", overlap.String())
		} else {
			diags.AddWarning("A pod CIDR will be remapped", overlap.String()+" The remapped attributes tell where the pods are reached.")
		}
	}
	return diags
}

// clientTemplate finds a template of the client's gateway that does not exist.
func (f feasibility) clientTemplate(ctx context.Context) diag.Diagnostics {
	if !f.concerns(ctx, f.plan.ClientGateway, f.before.ClientGateway) {
		return nil
	}
	gateway, diags := clientGatewaySpec(ctx, f.plan.ClientGateway)
	if diags.HasError() {
		return diags
	}
	_, err := f.shortcut.Client.CheckTemplate(ctx, gateway)
	return found(path.Root("client_gateway").AtName("template"), err)
}

// serverTemplate finds a template of the server's gateway that does not exist, or has no use for a setting.
func (f feasibility) serverTemplate(ctx context.Context) diag.Diagnostics {
	if !f.concerns(ctx, f.plan.ServerGateway, f.before.ServerGateway) {
		return nil
	}
	gateway, diags := serverGatewaySpec(ctx, f.plan.ServerGateway)
	if diags.HasError() {
		return diags
	}
	at := path.Root("server_gateway")
	template, err := f.shortcut.Server.CheckTemplate(ctx, gateway)
	if err != nil {
		return found(at.AtName("template"), err)
	}
	useless := func(attribute, field string) {
		diags.AddAttributeError(at.AtName(attribute), "The template has no use for "+attribute, fmt.Sprintf("The Service that %s of %q describes takes no %s from the "+
			"gateway, so `%s` would change nothing. Leave it out, or name a template in `template` that takes it.", template.Name, f.pair.server.Name, field, attribute))
	}
	if gateway.NodePort != 0 && !template.TakesNodePort {
		useless("node_port", "node port")
	}
	if gateway.LoadBalancerIP != "" && !template.TakesLoadBalancerIP {
		useless("load_balancer_ip", "address of a load balancer")
	}
	return diags
}

// clientKeys finds a Secret that the client's gateway can't take its keys from.
func (f feasibility) clientKeys(ctx context.Context) diag.Diagnostics {
	if !f.keysConcerned(ctx, f.plan.ClientGateway, f.before.ClientGateway, f.plan.ClientNamespace, f.before.ClientNamespace, f.config.ClientNamespace) {
		return nil
	}
	gateway, diags := clientGatewaySpec(ctx, f.plan.ClientGateway)
	if diags.HasError() {
		return diags
	}
	secret := end.KeySecret{Namespace: f.config.ClientNamespace.ValueString(), Name: gateway.KeySecret}
	err := f.shortcut.Client.CheckKeySecret(ctx, secret, f.plan.AdoptExisting.ValueBool())
	return foundUnlessMade(path.Root("client_gateway").AtName("key_secret"), err)
}

// serverKeys finds a Secret that the server's gateway can't take its keys from.
func (f feasibility) serverKeys(ctx context.Context) diag.Diagnostics {
	if !f.keysConcerned(ctx, f.plan.ServerGateway, f.before.ServerGateway, f.plan.ServerNamespace, f.before.ServerNamespace, f.config.ServerNamespace) {
		return nil
	}
	gateway, diags := serverGatewaySpec(ctx, f.plan.ServerGateway)
	if diags.HasError() {
		return diags
	}
	secret := end.KeySecret{Namespace: f.config.ServerNamespace.ValueString(), Name: gateway.KeySecret}
	err := f.shortcut.Server.CheckKeySecret(ctx, secret, f.plan.AdoptExisting.ValueBool())
	return foundUnlessMade(path.Root("server_gateway").AtName("key_secret"), err)
}

// keysConcerned reports whether a gateway or its namespace is new or another than before, and all that its keys depend on is known.
func (f feasibility) keysConcerned(ctx context.Context, gateway, gatewayBefore types.Object, namespace, namespaceBefore, configured types.String) bool {
	if !fullyKnown(ctx, gateway, configured, f.plan.AdoptExisting) {
		return false
	}
	return f.state == nil || !gateway.Equal(gatewayBefore) || !namespace.Equal(namespaceBefore)
}

// foundUnlessMade says the same of what the configuration names and the same apply may still make: that it does not exist is only a warning.
func foundUnlessMade(at path.Path, err error) diag.Diagnostics {
	if !end.IsMissing(err) {
		return found(at, err)
	}
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(at, summary("It does not exist", err), detail(err)+
		"\n\nThis is no error yet, because the same apply may make it before the shortcut. Else the apply fails.")}
}

// found says what a check has found at the attribute that the user can change: what an apply would be refused for is an error, and what the leaf does not tell now is a
// warning.
func found(at path.Path, err error) diag.Diagnostics {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*explain.Problem](err); ok {
		return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(at, summary("It can't be done", err), detail(err))}
	}
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(at, summary("The leaf does not tell", err), detail(err)+
		"\n\nThe plan goes on without checking this attribute on the leaf.")}
}
