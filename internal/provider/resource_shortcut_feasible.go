package provider

import (
	"context"
	"errors"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/parallel"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// feasibility checks on the leaves whether a plan is possible. A check applies to a part of the plan that is known, and
// that is new or changed. So an existing shortcut can still be repaired or destroyed on a leaf that no longer has what
// only a new shortcut needs.
type feasibility struct {
	*planning

	before   shortcutModel // the state; all values are null if there is none
	shortcut *shortcut.Shortcut
}

// check asks a leaf, and returns what is not possible.
type check func(context.Context) diag.Diagnostics

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
	questions := []check{f.free, f.addressRanges}
	for _, one := range ends {
		questions = append(questions, one.checks()...)
	}
	return append(diags, askEach(ctx, questions)...)
}

// askEach asks all questions at the same time. It returns the answers in their order.
func askEach(ctx context.Context, questions []check) diag.Diagnostics {
	return slices.Concat(parallel.Map(questions, func(ask check) diag.Diagnostics { return ask(ctx) })...)
}

// free finds a network of the pair that someone else made.
func (f feasibility) free(ctx context.Context) diag.Diagnostics {
	if f.state != nil || !fullyKnown(ctx, f.plan.AdoptExisting, f.plan.ShareKeys) {
		return nil
	}
	spec := shortcut.Spec{Adopt: f.plan.AdoptExisting.ValueBool(), KeysByOthers: f.plan.keysByOthers()}
	return checkNotTaken(path.Root("adopt_existing"), f.shortcut.CheckFree(ctx, spec))
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

// remapping returns a diagnostic for each pod CIDR that Liqo will remap: an error if remapping is forbidden, otherwise
// a warning.
func (f feasibility) remapping(ctx context.Context, client, server end.Announcement) diag.Diagnostics {
	var diags diag.Diagnostics
	overlaps, err := f.shortcut.Overlaps(ctx, client, server)
	if err != nil {
		diags.Append(failureOf("remapping-not-predicted", "Remapping can't be predicted", err).asWarning())
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

// checkUnlessMade is like [checkResult], but a missing object is only a warning: the same apply may create it.
func checkUnlessMade(attribute path.Path, err error) diag.Diagnostics {
	if !end.IsMissing(err) {
		return checkResult(attribute, err)
	}
	return diag.Diagnostics{explained(err,
		"This is only a warning, because the same apply may create it before the shortcut. Otherwise the "+
			"apply fails.").warningAt(attribute)}
}

// checkNotTaken is like [checkResult], but what another resource instance has is only a warning: it may belong to this
// one, tainted or under its former address.
func checkNotTaken(attribute path.Path, err error) diag.Diagnostics {
	if !shortcut.HasOtherOwner(err) {
		return checkResult(attribute, err)
	}
	return diag.Diagnostics{explained(err,
		"This is only a warning, because the same apply may destroy the other resource. It may be this resource, "+
			"tainted or under its former address. In all other cases the apply fails.").warningAt(attribute)}
}

// checkResult reports the result of a check at the attribute that the user can change. A problem that would make the
// apply fail is an error. If the leaf cannot be read, it is a warning.
func checkResult(attribute path.Path, err error) diag.Diagnostics {
	if err == nil {
		return nil
	}
	var diags diag.Diagnostics
	if _, ok := errors.AsType[*trouble.Problem](err); ok {
		diags.Append(explained(err).errorAt(attribute))
	} else {
		diags.Append(failureOf("leaf-not-checked", "The leaf can't be checked", err,
			"The plan continues without this check.").warningAt(attribute))
	}
	return diags
}
