package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// planning is the plan of one instance while it is made.
type planning struct {
	plan, config shortcutModel
	state        *shortcutModel // nil for a new shortcut, also for a replacement
	own          ownership
	origin       owner.Origin
	pair         pair // empty until the leaves are known
}

// ModifyPlan implements [resource.ResourceWithModifyPlan]. It finds problems before the apply: names that refer to no
// cluster, to the same cluster, or to another cluster than before, and leaves that cannot be connected as planned. It
// also finds a shortcut that needs repair.
func (r *shortcutResource) ModifyPlan(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
	if req.Plan.Raw.IsNull() || r.leaves == nil {
		return // a destroy, or a validation without a configured provider
	}
	p, diags := planningOf(ctx, req)
	p.origin = r.leaves.origin()
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(p.own.save(ctx, resp.Private)...)
	if resp.Diagnostics.HasError() {
		return
	}
	proposed := p.plan
	replace, diags := r.planPair(ctx, p)
	resp.RequiresReplace = append(resp.RequiresReplace, replace...)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	var settingsOnly bool
	if p.state != nil {
		settingsOnly, diags = p.planUpdate(ctx)
		resp.Diagnostics.Append(diags...)
	}
	if changed := p.state == nil || !p.plan.equal(p.state); changed && !settingsOnly {
		p.plan.Status = types.StringUnknown()
		if p.state == nil || len(replace) > 0 || p.plan.mayMove(p.state) {
			p.plan.ServerEndpoint = types.ObjectUnknown(endpointTypes)
		}
		if len(replace) == 0 { // otherwise Terraform plans again, without a state
			resp.Diagnostics.Append(checkFeasible(ctx, p)...)
			resp.Diagnostics.Append(p.costs(ctx)...)
		}
	}
	resp.Diagnostics.Append(plannedChange{KeepsLeaves: settingsOnly}.save(ctx, resp.Private)...)
	if !p.plan.equal(&proposed) { // an unchanged plan needs no second pass of the framework
		resp.Diagnostics.Append(resp.Plan.Set(ctx, &p.plan)...)
	}
}

// planningOf reads what Terraform proposes. The second plan of a replacement has the private state that the first plan
// saved, but no state.
func planningOf(ctx context.Context, req resource.ModifyPlanRequest) (*planning, diag.Diagnostics) {
	p := &planning{}
	diags := req.Plan.Get(ctx, &p.plan)
	diags.Append(req.Config.Get(ctx, &p.config)...)
	if !req.State.Raw.IsNull() {
		diags.Append(req.State.Get(ctx, &p.state)...)
	}
	var id types.String
	if p.state != nil {
		id = p.state.OwnerID
	}
	own, ownDiags := ownershipOf(ctx, req.Private, id)
	diags.Append(ownDiags...)
	if p.state == nil && own.Token == "" {
		own.Unadopted = false // a new resource was not imported
	}
	p.own = own.named()
	if p.state != nil {
		p.own = p.own.as(id)
		p.plan.OwnerID = p.own.id(id)
	}
	return p, diags
}

// planUpdate plans the change of an existing shortcut. It reports whether the leaves stay unchanged.
func (p *planning) planUpdate(ctx context.Context) (bool, diag.Diagnostics) {
	broken, diags := p.planRepair(ctx)
	diags.Append(p.planNamespaces(ctx)...)
	p.planMoves()
	return !broken && p.planSettings(), diags
}

// planRepair plans an update of a shortcut that an apply can repair, and reports whether there is anything to repair.
// If everything is in place and only the tunnel is down, there is nothing to plan: Terraform cannot repair a broken
// link. If a leaf is lost and force_destroy gives it up, there is no repair either, because force_destroy must be
// applied without this leaf.
func (p *planning) planRepair(ctx context.Context) (bool, diag.Diagnostics) {
	if p.givesUp() {
		return false, nil
	}
	broken, diags := p.needsRepair(ctx, shortcut.Status(p.state.Status.ValueString()))
	if broken {
		p.plan.ServerEndpoint, p.plan.Status = types.ObjectUnknown(endpointTypes), types.StringUnknown()
		for _, end := range p.ends() {
			*end.planned.namespace = unknownIfNull(*end.planned.namespace)
		}
	}
	return broken, diags
}

// needsRepair reports whether an apply can repair a shortcut with this status. It asks the leaves only if the tunnel is
// down.
func (p *planning) needsRepair(ctx context.Context, status shortcut.Status) (bool, diag.Diagnostics) {
	if status == shortcut.Disconnected {
		return true, nil
	}
	if p.pair.client == nil || p.pair.server == nil {
		return false, nil
	}
	s := shortcut.New(p.pair.client, p.pair.server).OwnedBy(p.own.owner(p.origin))
	strays, err := s.Strays(ctx)
	broken := len(strays) > 0
	if err == nil && !broken && status != shortcut.Connected {
		broken, err = s.Lost(ctx)
	}
	if err != nil {
		return false, diag.Diagnostics{
			because("repairs-not-checked", "The shortcut can't be checked for repairs", err).asWarning(),
		}
	}
	return broken, nil
}

// planSettings plans that the shortcut stays as it is, and returns true, if the leaves stay unchanged. The first update
// after an import changes them, because it adopts the network, but not if it gives up a lost leaf. Then the shortcut
// stays unadopted until a later update.
func (p *planning) planSettings() bool {
	adopts := p.own.Unadopted && !p.givesUp()
	if adopts || !p.pair.knowsNewNames(&p.plan, p.state) || !p.plan.changesSettingsOnly(p.state) {
		return false
	}
	p.plan.Status, p.plan.ServerEndpoint = p.state.Status, p.state.ServerEndpoint
	return true
}

// givesUp reports whether a leaf is lost and the plan has force_destroy.
func (p *planning) givesUp() bool { return p.plan.ForceDestroy.ValueBool() && len(p.pair.failed()) > 0 }
