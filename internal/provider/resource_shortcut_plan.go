package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
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

// planPair plans what depends on which clusters the leaves are. It returns the attributes that force a replacement; nothing of the state counts any more then.
func (r *shortcutResource) planPair(ctx context.Context, p *planning) (path.Paths, diag.Diagnostics) {
	replace, diags := planUnknownNames(&p.plan, &p.config, p.state)
	if !r.leaves.unknownAny(p.plan.Client, p.plan.Server) {
		p.pair = r.leaves.connect(ctx, p.plan.Client.ValueString(), p.plan.Server.ValueString())
		diags.Append(r.leaves.planTroubles(ctx, p.pair, &p.plan, p.state)...)
		others, leafDiags := planLeaves(p.pair, &p.plan, &p.config, p.state)
		replace = append(replace, others...)
		diags.Append(leafDiags...)
	}
	if len(replace) > 0 {
		p.state = nil
	} else {
		diags.Append(r.leaves.planned.claim(p.pair, p.own.Token)...)
		diags.Append(r.leaves.planned.claimNamespaces(p.pair, &p.config, p.own.Token)...)
	}
	diags.Append(planNetworks(ctx, p.pair, &p.plan, &p.config, p.state)...)
	return replace, diags
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

// planUnknownNames plans a replacement where the name of a leaf is not known yet, and returns the attributes that force it: nobody knows yet whether it will stand for
// the cluster that the shortcut joins.
func planUnknownNames(plan, config, state *shortcutModel) (path.Paths, diag.Diagnostics) {
	var (
		diags   diag.Diagnostics
		replace path.Paths
	)
	if state == nil {
		return nil, nil
	}
	for _, end := range []struct {
		attribute        string
		name, was, joins types.String
	}{
		{"client", plan.Client, state.Client, state.ClientClusterID},
		{"server", plan.Server, state.Server, state.ServerClusterID},
	} {
		if !end.name.IsUnknown() {
			continue
		}
		diags.AddAttributeWarning(path.Root(end.attribute), "Perhaps another cluster", "The name of the "+end.attribute+" will only be known during the apply. It "+
			"was \""+end.was.ValueString()+"\", and nobody can tell yet whether it will still stand for cluster \""+end.joins.ValueString()+"\". So the shortcut is "+
			"planned to be replaced. To keep it, first apply what the name comes from, with `-target`.")
		replace = append(replace, path.Root(end.attribute))
	}
	if len(replace) > 0 {
		plan.becomesAnother(config)
		plan.ClientClusterID, plan.ServerClusterID = types.StringUnknown(), types.StringUnknown()
	}
	return replace, diags
}

// planLeaves looks which clusters the names stand for, and returns the attributes that force a replacement if they are not those of the state.
func planLeaves(pair pair, plan, config, state *shortcutModel) (path.Paths, diag.Diagnostics) {
	var (
		diags   diag.Diagnostics
		replace path.Paths
	)
	diags.Append(pair.differ()...)
	for _, end := range []struct {
		leaf      *cluster.Leaf
		attribute string
		planned   *types.String
	}{
		{pair.client, "client", &plan.ClientClusterID},
		{pair.server, "server", &plan.ServerClusterID},
	} {
		if end.leaf == nil {
			continue
		}
		if state != nil && isAnother(end.leaf, end.planned.ValueString()) {
			diags.AddAttributeWarning(path.Root(end.attribute), "Another cluster", "The shortcut joins cluster \""+end.planned.ValueString()+
				"\" as its "+end.attribute+", and \""+end.leaf.Name+"\" stands for cluster \""+string(end.leaf.ID)+
				"\" now. So the shortcut must be replaced.")
			replace = append(replace, path.Root(end.attribute+"_cluster_id"))
		}
		*end.planned = types.StringValue(string(end.leaf.ID))
	}
	if len(replace) > 0 {
		plan.becomesAnother(config)
	}
	if pair.client != nil && pair.server != nil {
		plan.ID = types.StringValue(plan.ClientClusterID.ValueString() + "/" + plan.ServerClusterID.ValueString())
	}
	return replace, diags
}

// becomesAnother forgets what is only true of the clusters that the shortcut joins now, except for what the configuration says. [planNetworks] sees to the rest.
func (m *shortcutModel) becomesAnother(config *shortcutModel) {
	m.ID, m.ClientNamespace, m.ServerNamespace = types.StringUnknown(), config.ClientNamespace, config.ServerNamespace
	for _, namespace := range []*types.String{&m.ClientNamespace, &m.ServerNamespace} {
		if namespace.IsNull() {
			*namespace = types.StringUnknown()
		}
	}
}
