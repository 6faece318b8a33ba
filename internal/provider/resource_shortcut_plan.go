package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// planning is the plan of one instance in the making.
type planning struct {
	plan, config shortcutModel
	state        *shortcutModel // nil for a shortcut that is to be made, be it in place of another
	own          ownership
	pair         pair // without leaves as long as it is not known which they are
}

// ModifyPlan implements [resource.ResourceWithModifyPlan]. It finds what can be known before an apply: names that stand for nothing, for one and the
// same cluster, or for another than before; leaves that can't be joined as wished; and a shortcut that needs repair.
func (r *shortcutResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() || r.leaves == nil {
		return // a destroy, or a validation without a configured provider
	}
	p, diags := planningOf(ctx, req)
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
		settingsOnly, diags = p.planUpdate(ctx, req.Private)
		resp.Diagnostics.Append(diags...)
	}
	if changed := p.state == nil || !p.plan.equal(p.state); changed && !settingsOnly {
		p.plan.ServerEndpoint, p.plan.Status = types.ObjectUnknown(endpointTypes), types.StringUnknown()
		if len(replace) == 0 { // else Terraform plans once more, without a state
			resp.Diagnostics.Append(checkFeasible(ctx, p)...)
		}
	}
	if !p.plan.equal(&proposed) { // else all the framework's work on a plan would be done once more for nothing
		resp.Diagnostics.Append(resp.Plan.Set(ctx, &p.plan)...)
	}
}

// planningOf reads what Terraform proposes. The second plan of a replacement is given the private state that the first one saved, and no other state.
func planningOf(ctx context.Context, req resource.ModifyPlanRequest) (*planning, diag.Diagnostics) {
	p := &planning{}
	diags := req.Plan.Get(ctx, &p.plan)
	diags.Append(req.Config.Get(ctx, &p.config)...)
	if !req.State.Raw.IsNull() {
		diags.Append(req.State.Get(ctx, &p.state)...)
	}
	own, ownDiags := ownershipOf(ctx, req.Private)
	diags.Append(ownDiags...)
	if p.state == nil && own.Token == "" {
		own.Unadopted = false // there is nothing yet that could have been imported
	}
	p.own = own.named()
	if p.state != nil {
		p.own = p.own.as(p.state.OwnerID)
		p.plan.OwnerID = p.own.id(p.state.OwnerID)
	}
	return p, diags
}

// planUpdate plans what is to be done to a shortcut that exists. It reports whether nothing is to be done on a leaf.
func (p *planning) planUpdate(ctx context.Context, private privateState) (bool, diag.Diagnostics) {
	broken, diags := planRepair(ctx, p.pair, p.own.owner(), &p.plan, p.state)
	diags.Append(planNamespaces(ctx, p.pair, &p.plan, &p.config)...)
	planMoves(&p.plan, p.state)
	if broken {
		return false, diags
	}
	settingsOnly, settingsDiags := planSettings(ctx, private, p.pair, &p.plan, p.state)
	diags.Append(settingsDiags...)
	return settingsOnly, diags
}

// planRepair plans an update of a shortcut that a write can mend, and reports whether there is anything to mend. Where all of it is in place and only the tunnel is down,
// there is nothing to plan: Terraform can't mend a cable. Nor is there where a leaf is lost and given up: that must be applied without it.
func planRepair(ctx context.Context, pair pair, owner end.Owner, plan, state *shortcutModel) (bool, diag.Diagnostics) {
	if plan.ForceDestroy.ValueBool() && len(pair.failed()) > 0 {
		return false, nil
	}
	broken, diags := needsRepair(ctx, pair, owner, shortcut.Status(state.Status.ValueString()))
	if broken {
		plan.ServerEndpoint, plan.Status = types.ObjectUnknown(endpointTypes), types.StringUnknown()
		plan.ClientNamespace, plan.ServerNamespace = unknownIfNull(plan.ClientNamespace), unknownIfNull(plan.ServerNamespace)
	}
	return broken, diags
}

// needsRepair reports whether an apply has something to do for a shortcut of this status. Only while the tunnel is down the leaves are asked.
func needsRepair(ctx context.Context, pair pair, owner end.Owner, status shortcut.Status) (bool, diag.Diagnostics) {
	if status == shortcut.Disconnected {
		return true, nil
	}
	if status == shortcut.Connected || pair.client == nil || pair.server == nil {
		return false, nil
	}
	lost, err := shortcut.New(pair.client, pair.server).OwnedBy(owner).Lost(ctx)
	if err != nil {
		return false, diag.Diagnostics{diag.NewWarningDiagnostic("Whether the shortcut needs repair is not known", detail(err))}
	}
	return lost, nil
}

// planSettings plans that the shortcut stays as it is, and returns true, where nothing is to be done on a leaf.
func planSettings(ctx context.Context, private privateState, pair pair, plan, state *shortcutModel) (bool, diag.Diagnostics) {
	own, diags := ownershipOf(ctx, private)
	if diags.HasError() || own.Unadopted || !pair.knowsNewNames(plan, state) || !plan.changesSettingsOnly(state) {
		return false, diags
	}
	plan.promiseStatusOf(state)
	return true, diags
}

// promiseStatusOf plans that the shortcut stays as the state says. An update does not connect to the leaves then.
func (m *shortcutModel) promiseStatusOf(state *shortcutModel) {
	m.Status, m.ServerEndpoint = state.Status, state.ServerEndpoint
}

// promisesStatus reports whether the plan says already what will be of the shortcut, because the update is none of the leaves' business.
func (m *shortcutModel) promisesStatus() bool { return !m.Status.IsUnknown() }
