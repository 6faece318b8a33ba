package provider

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

// The plan of every resource is made here, as its life is in lifecycle.go. A resource only says what its leaves decide.

// planner plans one instance of a resource.
type planner interface {
	// propose plans what the leaves show and what follows from it. It finds what forces a replacement.
	propose(ctx context.Context) diag.Diagnostics
	// foresee plans what an apply will find out, and asks the leaves whether it is possible. It is called only if an apply
	// would change something on them. If the plan replaces the instance, Terraform plans again, without a state.
	foresee(ctx context.Context) diag.Diagnostics
}

// proposal is the plan of one instance while it is made. P is a pointer to the model of its resource.
type proposal[P any] struct {
	plan, config P
	state        P // nil for a new instance, also for the second plan of a replacement
	own          ownership
	replace      path.Paths // the attributes that force a replacement
	keepsLeaves  bool       // an apply only records the settings
}

// ModifyPlan implements [resource.ResourceWithModifyPlan]. A plan has the limit of a refresh.
func (r *managed[M, P]) ModifyPlan(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
	l := r.known()
	if req.Plan.Raw.IsNull() || l == nil {
		return // a destroy, or a validation without a configured provider
	}
	p, diags := proposed[M, P](ctx, req)
	limit, limitDiags := p.plan.life().timeouts.Read(ctx, defaultReadTimeout)
	diags.Append(limitDiags...)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	diags.Append(p.own.save(ctx, resp.Private)...)
	if resp.Diagnostics.Append(diags...); diags.HasError() {
		return
	}
	if p.state != nil {
		resp.Diagnostics.Append(l.notYet(p.plan.life().leaves)...)
	}
	plan, before := r.begin(p), *p.plan
	diags = plan.propose(ctx)
	resp.RequiresReplace = append(resp.RequiresReplace, p.replace...)
	if resp.Diagnostics.Append(diags...); diags.HasError() {
		return
	}
	if isNew := p.state == nil; !p.keepsLeaves && (isNew || !sameValues((*M)(p.plan), (*M)(p.state))) {
		resp.Diagnostics.Append(plan.foresee(ctx)...)
	}
	if !sameValues((*M)(p.plan), &before) { // most plans change nothing, and the framework takes half a millisecond
		resp.Diagnostics.Append(resp.Plan.Set(ctx, p.plan)...)
	}
	resp.Diagnostics.Append(plannedChange{KeepsLeaves: p.keepsLeaves}.save(ctx, resp.Private)...)
}

// proposed reads what Terraform proposes. A new instance has the private state of a first plan, and so the same token,
// if this is the second plan of a replacement.
func proposed[M any, P lifeModel[M]](
	ctx context.Context, req resource.ModifyPlanRequest,
) (*proposal[P], diag.Diagnostics) {
	p := &proposal[P]{plan: new(M), config: new(M)}
	diags := req.Plan.Get(ctx, p.plan)
	diags.Append(req.Config.Get(ctx, p.config)...)
	own, ownDiags := savedOwnership(ctx, req.Private)
	if !req.State.Raw.IsNull() {
		p.state = new(M)
		diags.Append(req.State.Get(ctx, p.state)...)
		own, ownDiags = ownershipOf(ctx, req.Private, p.state.life().ownerID)
	}
	p.own = own.named()
	return p, append(diags, ownDiags...)
}

// changeKey is the key of the [plannedChange] in the private state of a resource.
const changeKey = "planned_change"

// plannedChange is what a plan tells its apply, in the private state. Every plan writes it again.
type plannedChange struct {
	// KeepsLeaves means that the plan changes nothing on a leaf. Then the apply only records the settings, and connects to
	// no leaf, so that a user can give up a lost one.
	KeepsLeaves bool `json:"keeps_leaves"`
}

// plannedChangeOf reads what the plan has written.
func plannedChangeOf(ctx context.Context, private privateState) (plannedChange, diag.Diagnostics) {
	var change plannedChange
	text, diags := private.GetKey(ctx, changeKey)
	if len(text) == 0 {
		return change, diags
	}
	if err := json.Unmarshal(text, &change); err != nil {
		diags.Append(report("state-unreadable", "The plan can't be read",
			"It does not have the format of this provider: "+err.Error()+".").asError())
	}
	return change, diags
}

// save writes it for the apply.
func (c plannedChange) save(ctx context.Context, private privateState) diag.Diagnostics {
	text, err := json.Marshal(c)
	if err != nil {
		return diag.Diagnostics{report("state-unreadable", "The plan can't be written", err.Error()+".").asError()}
	}
	return private.SetKey(ctx, changeKey, text)
}
