package provider

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/direct"
)

// ModifyPlan implements [resource.ResourceWithModifyPlan]. It plans a replacement if the name of the centre refers to
// another cluster, and an update if an apply can repair something. For a new resource it warns of leaves that cannot
// follow.
func (r *directServiceResource) ModifyPlan(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
	if req.Plan.Raw.IsNull() || r.leaves == nil {
		return // a destroy, or a validation without a configured provider
	}
	var plan directServiceModel
	var state *directServiceModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	}
	own, diags := ownershipOf(ctx, req.Private, plan.OwnerID)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	own = own.named() // a second plan of the same instance has the same token
	resp.Diagnostics.Append(own.save(ctx, resp.Private)...)
	if state != nil {
		plan.planUpdate(state)
	}
	if !r.leaves.unknownAny(plan.Cluster) {
		replace, diags := r.planCentre(ctx, &plan, state, own)
		resp.Diagnostics.Append(diags...)
		resp.RequiresReplace = append(resp.RequiresReplace, replace...)
	} else if state != nil && plan.Cluster.IsUnknown() {
		plan.becomesAnother()
		resp.RequiresReplace = append(resp.RequiresReplace, path.Root("cluster"))
	}
	resp.Diagnostics.Append(plannedChange{KeepsLeaves: !plan.Status.IsUnknown()}.save(ctx, resp.Private)...)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
	}
}

// planUpdate plans that everything stays as it is, unless an apply can repair something.
func (m *directServiceModel) planUpdate(state *directServiceModel) {
	switch direct.Status(state.Status.ValueString()) {
	case direct.Outdated, direct.Undone:
		m.needsRepair()
	default:
		m.Status, m.Endpoints = state.Status, state.Endpoints
	}
}

// needsRepair plans an update.
func (m *directServiceModel) needsRepair() {
	m.Status, m.Endpoints = types.StringUnknown(), types.ListUnknown(types.ObjectType{AttrTypes: directEndpointTypes})
}

// becomesAnother plans what is not known of another Service.
func (m *directServiceModel) becomesAnother() {
	m.ID, m.ClusterID, m.ClusterUID = types.StringUnknown(), types.StringUnknown(), types.StringUnknown()
	m.needsRepair()
}

// planCentre plans what depends on the central cluster. It returns the attribute that forces a replacement, if its name
// refers to another cluster than that of the state.
func (r *directServiceResource) planCentre(
	ctx context.Context, plan, state *directServiceModel, own ownership,
) (path.Paths, diag.Diagnostics) {
	recorded := recordedLeaf{attribute: "cluster"}
	if state != nil {
		recorded = r.recorded(state)
	}
	centre, replace, diags := r.leaves.planCluster(ctx, plan.Cluster.ValueString(), recorded)
	if centre == nil {
		if state != nil {
			plan.ClusterUID = state.ClusterUID
		}
		return nil, diags
	}
	if len(replace) > 0 {
		plan.becomesAnother()
	}
	plan.ClusterID, plan.ClusterUID = types.StringValue(string(centre.ID)), clusterUID(centre)
	if len(replace) > 0 {
		return replace, diags
	}
	if !given(plan.Namespace) || !given(plan.Name) {
		return nil, diags
	}
	service := r.serviceIn(centre, plan)
	plan.ID = types.StringValue(service.ID())
	if !r.leaves.planned.reserve(reservation{first: string(centre.ID), namespace: service.String()}, own.Token) {
		diags.Append(report("service-twice", "The same Service twice",
			fmt.Sprintf("Another liqo_direct_service of this configuration already has %s of cluster %q.",
				service, centre.Name)).errorAt(path.Root("name")))
	}
	switch {
	case diags.HasError():
	case state == nil:
		diags.Append(r.foresee(ctx, service)...)
	case state.Status.ValueString() == string(direct.Partial) && r.canFollow(ctx, service):
		plan.needsRepair()
	}
	return nil, diags
}

// canFollow reports whether leaves that could not follow can do so when this plan is applied: the plan gives them a
// network. Terraform plans again during the apply, and then they have it already.
func (r *directServiceResource) canFollow(ctx context.Context, service *direct.Service) bool {
	observed, err := service.Observe(ctx)
	if err != nil {
		return false // the refresh has reported it
	}
	return observed.Status() != direct.Partial || slices.ContainsFunc(observed.Leaves, func(leaf direct.LeafState) bool {
		return slices.ContainsFunc(leaf.Obstacles, func(o direct.Obstacle) bool { return r.leaves.planned.joins(o.Missing) })
	})
}

// foresee warns of what will keep leaves from following. Nothing is an error, because the plan may create the Service,
// its pods and the networks of the leaves.
func (r *directServiceResource) foresee(ctx context.Context, service *direct.Service) diag.Diagnostics {
	var diags diag.Diagnostics
	observed, err := service.Observe(ctx)
	switch {
	case err != nil:
		diags.Append(failureOf("service-unreadable", "The Service can't be read", err,
			"An apply needs it.").asWarning())
	case !observed.Exists:
		diags.Append(report("service-not-yet-there", service.String()+" does not exist yet",
			fmt.Sprintf("If it does not exist in cluster %q when this resource is created, the apply fails. If the same "+
				"configuration creates the Service, refer to its attributes or add `depends_on`.",
				service.Centre.Name)).warningAt(path.Root("name")))
	default:
		diags.Append(warnings(observed, r.leaves.planned.joins)...)
	}
	return diags
}

// joins reports whether a liqo_shortcut in this plan connects two clusters.
func (c *reservations) joins(clusters [2]string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, planned := c.tokens[reservation{first: clusters[0], second: clusters[1]}]
	return planned
}

// warnings returns a warning for each leaf that cannot follow or cannot be read, and for a Service that no leaf has.
// The function joined reports whether the plan gives two clusters a network; it may be nil.
func warnings(observed direct.State, joined func(clusters [2]string) bool) diag.Diagnostics {
	var diags diag.Diagnostics
	if len(observed.Leaves) == 0 {
		diags.Append(report("namespace-not-offloaded", "The namespace is not offloaded",
			"No leaf has pods of the Service, so direct connections have no effect. They have one as soon as the namespace is "+
				"offloaded.").
			warningAt(path.Root("namespace")))
	}
	for _, leaf := range observed.Leaves {
		switch {
		case leaf.Err == nil:
		case direct.Unknown(leaf.Err):
			diags.Append(because("cluster-not-configured",
				fmt.Sprintf("The provider block has no cluster with the ID %q", leaf.Name),
				leaf.Err,
				"The namespace is offloaded to this cluster, but its endpoints are not shown, and nothing waits for them. "+
					"Add the cluster to `clusters`. With `through`, the credentials of the central cluster are enough.").asWarning())
		default:
			diags.Append(failureOf("leaf-unreadable", fmt.Sprintf("Leaf %q can't be read", leaf.Name), leaf.Err).asWarning())
		}
		for _, obstacle := range leaf.Obstacles {
			if obstacle.Missing == [2]string{} || joined == nil || !joined(obstacle.Missing) {
				diags.Append(report(obstacle.Trouble, fmt.Sprintf("Leaf %q can't use direct connections", leaf.Name),
					obstacle.Why+"\n\n"+obstacle.Advice).asWarning())
			}
		}
	}
	return diags
}
