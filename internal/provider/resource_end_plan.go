package provider

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// ModifyPlan implements [resource.ResourceWithModifyPlan]. It finds problems before the apply, and plans the computed
// attributes.
func (r *endResource[M, P]) ModifyPlan(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
	if req.Plan.Raw.IsNull() || r.leaves == nil {
		return // a destroy, or a validation without a configured provider
	}
	plan, isNew := P(new(M)), req.State.Raw.IsNull()
	resp.Diagnostics.Append(req.Plan.Get(ctx, plan)...)
	var state P
	if !isNew {
		state = P(new(M))
		resp.Diagnostics.Append(req.State.Get(ctx, state)...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	leaf, replace, diags := r.planLeaf(ctx, plan, state)
	resp.RequiresReplace = append(resp.RequiresReplace, replace...)
	own, ownDiags := plannedOwnership(ctx, req.Private, plan.common(), isNew)
	diags.Append(ownDiags...)
	diags.Append(own.save(ctx, resp.Private)...)
	if resp.Diagnostics.Append(diags...); diags.HasError() {
		return
	}
	if leaf != nil {
		plan.common().locate(leaf)
		if len(resp.RequiresReplace) == 0 {
			resp.Diagnostics.Append(r.reserve(plan.common(), own)...)
		}
	}
	if leaf != nil && !isNew && len(resp.RequiresReplace) == 0 {
		replace, diags := r.planNamespace(ctx, leaf, plan.common(), req.Config)
		resp.RequiresReplace = append(resp.RequiresReplace, replace...)
		resp.Diagnostics.Append(diags...)
	}
	plan.planComputed(state)
	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
	if resp.Diagnostics.HasError() || resp.Plan.Raw.Equal(req.State.Raw) {
		return
	}
	plan.planChanges()
	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
	if leaf != nil && len(resp.RequiresReplace) == 0 { // otherwise Terraform plans again, without a state
		resp.Diagnostics.Append(r.checkFeasible(ctx, leaf, plan, isNew, own, req.Config)...)
	}
}

// plannedOwnership returns the ownership of the instance. A new one gets a token, which it keeps when Terraform plans
// it again because it replaces it.
func plannedOwnership(
	ctx context.Context, private privateState, plan *endCommonModel, isNew bool,
) (ownership, diag.Diagnostics) {
	own, diags := ownershipOf(ctx, private, plan.OwnerID)
	if isNew && own.Token == "" {
		own = ownership{} // a new resource was not imported
	}
	return own.named(), diags
}

// reserve fails if another instance of this configuration manages the same object, or the other gateway.
func (r *endResource[M, P]) reserve(plan *endCommonModel, own ownership) diag.Diagnostics {
	if !given(plan.RemoteClusterID) {
		return nil
	}
	object := string(r.resource)
	if r.isGateway() {
		object = "gateway"
	}
	what := reservation{first: plan.ClusterID.ValueString(), second: plan.RemoteClusterID.ValueString(), object: object}
	if r.leaves.planned.reserve(what, own.Token) {
		return nil
	}
	return diag.Diagnostics{report("object-twice", "The same object twice",
		fmt.Sprintf("Another resource of this configuration already manages the %s of cluster %q for cluster %q.",
			strings.ReplaceAll(strings.TrimPrefix(object, TypeName+"_"), "_", " "), what.first, what.second)).
		errorAt(path.Root("remote_cluster_id"))}
}

// planLeaf connects to the leaf of a plan. It is nil if the leaf can't be reached or is not known yet. If the plan
// gives the resource another cluster, the result has the attribute that forces a replacement.
func (r *endResource[M, P]) planLeaf(
	ctx context.Context, plan, state P,
) (*cluster.Leaf, path.Paths, diag.Diagnostics) {
	model, name, recorded := plan.common(), plan.common().Cluster, recordedLeaf{attribute: "cluster"}
	if r.leaves.unknownAny(name) {
		return nil, nil, nil
	}
	if state != nil {
		recorded = state.common().recorded()
	}
	leaf, replace, diags := r.leaves.planCluster(ctx, name.ValueString(), recorded)
	if leaf == nil && state != nil {
		model.ClusterUID = state.common().ClusterUID
	}
	return leaf, replace, diags
}

// planNamespace plans that the object moves back to the tenant namespace if the configuration no longer sets another
// one. Then the result has the attribute that forces a replacement.
func (r *endResource[M, P]) planNamespace(
	ctx context.Context, leaf *cluster.Leaf, plan *endCommonModel, config tfsdk.Config,
) (path.Paths, diag.Diagnostics) {
	var configured types.String
	attribute := path.Root("namespace")
	diags := config.GetAttribute(ctx, attribute, &configured)
	if diags.HasError() || !configured.IsNull() || !given(plan.Namespace) || !given(plan.RemoteClusterID) {
		return nil, diags
	}
	object := shortcut.NewEndObject(leaf, plan.RemoteClusterID.ValueString(), owner.Owner{})
	byDefault, err := object.End.IsTenantNamespace(ctx, plan.Namespace.ValueString())
	switch {
	case err != nil:
		diags.Append(failureOf("namespace-unreadable", "The namespace can't be read", err).errorAt(attribute))
		return nil, diags
	case byDefault:
		return nil, diags
	}
	plan.Namespace = types.StringUnknown()
	return path.Paths{attribute}, diags
}

// checkFeasible asks the leaf whether a new or changed object is possible.
func (r *endResource[M, P]) checkFeasible(
	ctx context.Context, leaf *cluster.Leaf, plan P, isNew bool, own ownership, config tfsdk.Config,
) diag.Diagnostics {
	model := plan.common()
	if !given(model.RemoteClusterID) {
		return nil
	}
	if model.RemoteClusterID.ValueString() == string(leaf.ID) {
		return diag.Diagnostics{report("leaf-same-twice", "The same cluster twice",
			fmt.Sprintf("`remote_cluster_id` must be the ID of the other cluster, but %q is the ID of this one.", leaf.ID)).
			errorAt(path.Root("remote_cluster_id"))}
	}
	gateway, diags := plan.gateway(ctx)
	var namespace types.String // as configured
	diags.Append(config.GetAttribute(ctx, path.Root("namespace"), &namespace)...)
	if diags.HasError() {
		return diags
	}
	object := r.object(leaf, plan, own)
	here := checkedEnd{
		end: object.End, leafAt: path.Root("cluster"), namespaceAt: path.Root("namespace"), gatewayAt: path.Empty(),
		gateway: gateway, gatewayChanges: true, followsChange: true,
		namespace: namespace, namespaceChanges: isNew, adopt: types.BoolValue(false),
	}
	questions := []check{here.checkVersion, here.checkNamespace, func(ctx context.Context) diag.Diagnostics {
		return plan.check(ctx, object)
	}}
	if gateway != nil {
		questions = append(questions, here.checkTemplate, here.checkServiceMetadata, here.checkTunnels, here.checkKeys)
	}
	if isNew {
		questions = append(questions, func(ctx context.Context) diag.Diagnostics { return checkEndFree(ctx, object) })
	}
	diags.Append(askEach(ctx, questions)...)
	return diags
}

// checkEndFree finds an object that someone else has made. One of another resource for one end is only a warning,
// because it may belong to this resource: tainted, or under its former address.
func checkEndFree(ctx context.Context, object shortcut.EndObject) diag.Diagnostics {
	attribute, err := path.Root("remote_cluster_id"), object.CheckFree(ctx)
	if !shortcut.HasOtherOwner(err) {
		return checkResult(attribute, err)
	}
	return diag.Diagnostics{explained(err,
		"This is only a warning, because the same apply may destroy the other resource. It may be this resource, "+
			"tainted or under its former address. In all other cases the apply fails.").warningAt(attribute)}
}
