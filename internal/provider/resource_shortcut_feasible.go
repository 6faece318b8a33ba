package provider

import (
	"context"
	"errors"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

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
