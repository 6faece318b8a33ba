package provider

import (
	"cmp"
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// planning is the plan of a shortcut while it is made.
type planning struct {
	*proposal[*shortcutModel]

	leaves *leaves
	origin owner.Origin
	pair   pair // empty until the leaves are known
	broken bool // an apply repairs the shortcut
}

// ModifyPlan implements [resource.ResourceWithModifyPlan]. It finds problems before the apply: names that refer to no
// cluster, to the same cluster, or to another cluster than before, and leaves that cannot be connected as planned. It
// also finds a shortcut that needs repair.
func (r *shortcutResource) ModifyPlan(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
	planResource(ctx, r.leaves, req, resp, func(p *proposal[*shortcutModel]) planner {
		return &planning{proposal: p, leaves: r.leaves, origin: r.leaves.origin()}
	})
}

func (p *planning) propose(ctx context.Context) diag.Diagnostics {
	if p.state != nil {
		p.plan.OwnerID = p.state.OwnerID
	}
	diags := p.planPair(ctx)
	if p.state != nil && !diags.HasError() {
		diags.Append(p.planUpdate(ctx)...)
	}
	return diags
}

func (p *planning) foresee(ctx context.Context) diag.Diagnostics {
	p.plan.Status = types.StringUnknown()
	if p.own.Claims && p.state != nil {
		p.plan.OwnerID = types.StringValue(p.own.Token)
	}
	p.plan.ServerEndpoint = types.ObjectUnknown(endpointTypes)
	if p.state != nil && len(p.replace) == 0 && !p.broken && !p.plan.mayMove(ctx, p.state) {
		p.plan.ServerEndpoint = p.state.ServerEndpoint
	}
	if len(p.replace) > 0 {
		return nil
	}
	return append(checkFeasible(ctx, p), p.costs(ctx)...)
}

// planUpdate plans the change of an existing shortcut.
func (p *planning) planUpdate(ctx context.Context) diag.Diagnostics {
	diags := p.planRepair(ctx)
	diags.Append(p.planNamespaces(ctx)...)
	p.planMoves()
	p.keepsLeaves = !p.broken && p.planSettings(ctx)
	return diags
}

// planRepair plans an update of a shortcut that an apply can repair.
// If everything is in place and only the tunnel is down, there is nothing to plan: Terraform cannot repair a broken
// link. If a leaf is lost and abandon_lost_cluster gives it up, there is no repair either, because abandon_lost_cluster
// must be applied without this leaf.
func (p *planning) planRepair(ctx context.Context) (diags diag.Diagnostics) {
	if p.givesUp() {
		return nil
	}
	p.broken, diags = p.needsRepair(ctx, shortcut.Status(p.state.Status.ValueString()))
	if p.broken {
		p.plan.ServerEndpoint, p.plan.Status = types.ObjectUnknown(endpointTypes), types.StringUnknown()
		for _, end := range p.ends() {
			*end.planned.namespace = unknownIfNull(*end.planned.namespace)
		}
	}
	return diags
}

// needsRepair reports whether an apply can repair a shortcut with this status. It asks the leaves only if the tunnel is
// down. A check that fails is a warning, and leaves what the others find.
func (p *planning) needsRepair(ctx context.Context, status shortcut.Status) (bool, diag.Diagnostics) {
	if status == shortcut.Disconnected {
		return true, nil
	}
	if p.pair.client == nil || p.pair.server == nil {
		return false, nil
	}
	s := shortcut.New(p.pair.client, p.pair.server).OwnedBy(p.own.owner(p.origin))
	checks := []func(context.Context) (bool, error){s.HasStrays, s.Unrecorded, s.IsBeingDeleted}
	if status != shortcut.Connected {
		checks = append(checks, s.Lost)
	}
	var (
		broken  bool
		failure error
	)
	for _, check := range checks {
		if !broken {
			found, err := check(ctx)
			broken, failure = found, cmp.Or(failure, err)
		}
	}
	outdated, templatesErr := s.OutdatedTemplates(ctx)
	rules, rulesErr := s.OutdatedLimits(ctx)
	outdated = append(outdated, rules...)
	diags := warningsOf(append(outdated, s.StandbysMissing(ctx)...)...)
	if err := cmp.Or(failure, templatesErr, rulesErr); err != nil {
		diags.Append(because("repairs-not-checked", "The shortcut can't be checked for repairs", err).asWarning())
	}
	return broken || len(outdated) > 0, diags
}

// planSettings plans that the shortcut stays as it is, and returns true, if the leaves stay unchanged. The first update
// after an import changes them, because it marks the network, but not if it gives up a lost leaf. Then a later update
// marks it.
func (p *planning) planSettings(ctx context.Context) bool {
	marks := p.own.Claims && !p.givesUp()
	if marks || !p.pair.knowsNewNames(p.plan, p.state) || !p.plan.changesSettingsOnly(ctx, p.state) {
		return false
	}
	p.plan.Status, p.plan.ServerEndpoint = p.state.Status, p.state.ServerEndpoint
	return true
}

// givesUp reports whether a leaf is lost and the plan has abandon_lost_cluster.
func (p *planning) givesUp() bool {
	return p.plan.AbandonLostCluster.ValueBool() && len(p.pair.failed()) > 0
}
