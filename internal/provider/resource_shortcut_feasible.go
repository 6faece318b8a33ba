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

// feasibility checks on the leaves whether a plan is possible. A check applies to a part of the
// plan that is known, and that is new or changed. So an existing shortcut can still be repaired or
// destroyed on a leaf that no longer has what only a new shortcut needs.
type feasibility struct {
	*planning

	before   shortcutModel // the state; all values are null if there is none
	shortcut *shortcut.Shortcut
}

// checkFeasible runs all checks in parallel. It is called only for a shortcut that the plan creates
// or changes, so that a refresh makes no requests for it.
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

// concerns reports whether a part of the plan is known, and new or changed.
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
		return diag.Diagnostics{
			diag.NewAttributeErrorDiagnostic(at, summary("Unsupported version of Liqo", err), detail(err)),
		}
	}
	return nil
}

// free finds a network of the pair that someone else made. A network of another resource instance
// is only a warning, because it may belong to this resource: tainted, or under its former address.
func (f feasibility) free(ctx context.Context) diag.Diagnostics {
	if f.state != nil || !fullyKnown(ctx, f.plan.AdoptExisting, f.plan.ShareKeys) {
		return nil
	}
	spec := shortcut.Spec{Adopt: f.plan.AdoptExisting.ValueBool(), KeysByOthers: f.plan.keysByOthers()}
	err := f.shortcut.CheckFree(ctx, spec)
	if !shortcut.IsRival(err) {
		return found(path.Root("adopt_existing"), err)
	}
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(path.Root("adopt_existing"),
		summary("A shortcut exists already", err), detail(err)+
			"\n\nThis is only a warning, because the same apply may destroy the other resource. It may be this resource, "+
			"tainted or under its former address. In all other cases the apply fails.")}
}

// clientNamespace finds a namespace that cannot have the objects of the client.
func (f feasibility) clientNamespace(ctx context.Context) diag.Diagnostics {
	if !f.moves(f.plan.ClientNamespace, f.before.ClientNamespace, f.config.ClientNamespace) {
		return nil
	}
	err := f.shortcut.Client.CheckNamespace(ctx, f.config.ClientNamespace.ValueString())
	return foundUnlessMade(path.Root("client_namespace"), err)
}

// serverNamespace finds a namespace that cannot have the objects of the server.
func (f feasibility) serverNamespace(ctx context.Context) diag.Diagnostics {
	if !f.moves(f.plan.ServerNamespace, f.before.ServerNamespace, f.config.ServerNamespace) {
		return nil
	}
	err := f.shortcut.Server.CheckNamespace(ctx, f.config.ServerNamespace.ValueString())
	return foundUnlessMade(path.Root("server_namespace"), err)
}

// moves reports whether objects are created in or moved to a namespace, and whether that is known:
// the configured one, or the tenant namespace.
func (f feasibility) moves(planned, before, configured types.String) bool {
	return !configured.IsUnknown() && (f.state == nil || !planned.Equal(before))
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
	diags.Append(found(announcementPath("client_network", clientErr), clientErr)...)
	diags.Append(found(announcementPath("server_network", serverErr), serverErr)...)
	if len(diags) > 0 {
		return diags
	}
	return f.remapping(ctx, client, server)
}

// remapping returns a diagnostic for each pod CIDR that Liqo will remap: an error if remapping is
// forbidden, otherwise a warning.
func (f feasibility) remapping(ctx context.Context, client, server end.Announcement) diag.Diagnostics {
	var diags diag.Diagnostics
	overlaps, err := f.shortcut.Overlaps(ctx, client, server)
	if err != nil {
		diags.AddWarning(summary("Remapping can't be predicted", err), detail(err))
		return diags
	}
	for _, overlap := range overlaps {
		if f.plan.CIDRRemapping.ValueString() == remappingForbidden {
			diags.AddAttributeError(path.Root("cidr_remapping"), "Remapping is forbidden, and needed", overlap.String())
		} else {
			diags.AddWarning("A pod CIDR will be remapped", overlap.String()+" The remapped attributes show the new ranges.")
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

// serverTemplate finds a template of the server's gateway that does not exist, or that ignores a
// setting.
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
	ignored := func(attribute, field string) {
		diags.AddAttributeError(at.AtName(attribute), "The template ignores "+attribute, fmt.Sprintf("The Service in "+
			"template %s on leaf %q does not use the %s of the gateway, so `%s` would have no effect. Remove it, or set a "+
			"`template` that uses it.", template.Name, f.pair.server.Name, field, attribute))
	}
	if gateway.NodePort != 0 && !template.TakesNodePort {
		ignored("node_port", "node port")
	}
	if gateway.LoadBalancerIP != "" && !template.TakesLoadBalancerIP {
		ignored("load_balancer_ip", "load balancer's address")
	}
	return diags
}

// clientKeys finds a Secret that the client's gateway cannot read its keys from.
func (f feasibility) clientKeys(ctx context.Context) diag.Diagnostics {
	if !f.keysConcerned(ctx, f.plan.ClientGateway, f.before.ClientGateway,
		f.plan.ClientNamespace, f.before.ClientNamespace, f.config.ClientNamespace) {
		return nil
	}
	secret := keySecretOf(f.plan.ClientGateway, f.config.ClientNamespace)
	err := f.shortcut.Client.CheckKeySecret(ctx, secret, f.plan.AdoptExisting.ValueBool())
	return foundUnlessMade(path.Root("client_gateway").AtName("key_secret"), err)
}

// serverKeys finds a Secret that the server's gateway cannot read its keys from.
func (f feasibility) serverKeys(ctx context.Context) diag.Diagnostics {
	if !f.keysConcerned(ctx, f.plan.ServerGateway, f.before.ServerGateway,
		f.plan.ServerNamespace, f.before.ServerNamespace, f.config.ServerNamespace) {
		return nil
	}
	secret := keySecretOf(f.plan.ServerGateway, f.config.ServerNamespace)
	err := f.shortcut.Server.CheckKeySecret(ctx, secret, f.plan.AdoptExisting.ValueBool())
	return foundUnlessMade(path.Root("server_gateway").AtName("key_secret"), err)
}

// keysConcerned reports whether a gateway or its namespace is new or changed, and whether
// everything that its keys depend on is known.
func (f feasibility) keysConcerned(
	ctx context.Context, gateway, gatewayBefore types.Object, namespace, namespaceBefore, configured types.String,
) bool {
	if !fullyKnown(ctx, gateway, configured, f.plan.AdoptExisting) {
		return false
	}
	return f.state == nil || !gateway.Equal(gatewayBefore) || !namespace.Equal(namespaceBefore)
}

// foundUnlessMade is like found, but a missing object is only a warning: the same apply may create
// it.
func foundUnlessMade(at path.Path, err error) diag.Diagnostics {
	if !end.IsMissing(err) {
		return found(at, err)
	}
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(at, summary("It does not exist", err), detail(err)+
		"\n\nThis is only a warning, because the same apply may create it before the shortcut. Otherwise the "+
		"apply fails.")}
}

// found reports the result of a check at the attribute that the user can change. A problem that
// would make the apply fail is an error. If the leaf cannot be read, it is a warning.
func found(at path.Path, err error) diag.Diagnostics {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*explain.Problem](err); ok {
		return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(at, summary("The plan is not possible", err), detail(err))}
	}
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(at, summary("The leaf can't be checked", err), detail(err)+
		"\n\nThe plan continues without this check.")}
}
