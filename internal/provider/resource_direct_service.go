package provider

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/direct"
)

var (
	_ resource.Resource                   = (*directServiceResource)(nil)
	_ resource.ResourceWithConfigure      = (*directServiceResource)(nil)
	_ resource.ResourceWithIdentity       = (*directServiceResource)(nil)
	_ resource.ResourceWithImportState    = (*directServiceResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*directServiceResource)(nil)
	_ resource.ResourceWithValidateConfig = (*directServiceResource)(nil)
)

type directServiceResource struct{ configured }

func newDirectServiceResource() resource.Resource { return &directServiceResource{} }

// Metadata implements [resource.Resource].
func (r *directServiceResource) Metadata(
	_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse,
) {
	resp.TypeName = TypeName + "_direct_service"
}

// ValidateConfig implements [resource.ResourceWithValidateConfig].
func (r *directServiceResource) ValidateConfig(
	ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse,
) {
	var model directServiceModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	resp.Diagnostics.Append(validateTimeouts(model.Timeouts.Attributes())...)
}

// Create implements [resource.Resource].
func (r *directServiceResource) Create(
	ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse,
) {
	var plan directServiceModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	timeout, diags := plan.Timeouts.Create(ctx, defaultCreateTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	own := ownership{}.named()
	resp.Diagnostics.Append(own.save(ctx, resp.Private)...)
	resp.Diagnostics.Append(r.request(ctx, timeout, own, &plan, &resp.State)...)
	resp.Diagnostics.Append(identifyDirectService(ctx, &plan, resp.Identity)...)
}

// Update implements [resource.Resource].
func (r *directServiceResource) Update(
	ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse,
) {
	var plan directServiceModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	timeout, diags := plan.Timeouts.Update(ctx, defaultUpdateTimeout)
	resp.Diagnostics.Append(diags...)
	own, diags := ownershipOf(ctx, req.Private, plan.OwnerID)
	resp.Diagnostics.Append(diags...)
	change, diags := plannedChangeOf(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	if change.KeepsLeaves {
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	} else {
		resp.Diagnostics.Append(r.request(ctx, timeout, own.as(plan.OwnerID).named(), &plan, &resp.State)...)
	}
	resp.Diagnostics.Append(identifyDirectService(ctx, &plan, resp.Identity)...)
}

// request requests direct connections, waits for the leaves and records the result, also after a failure.
func (r *directServiceResource) request(
	ctx context.Context, timeout time.Duration, own ownership, plan *directServiceModel, state *tfsdk.State,
) diag.Diagnostics {
	ctx, cancel := context.WithTimeout(withLogging(ctx), timeout)
	defer cancel()
	service, diags := r.service(ctx, plan)
	if diags.HasError() {
		return diags
	}
	owner := direct.Owner{Token: own.Token, Claims: own.Unadopted}
	plan.OwnerID = types.StringValue(own.Token)
	failure := service.Request(ctx, owner)
	if failure != nil {
		diags.AddError(summary("The direct connections could not be requested", failure), detail(failure))
	}
	ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), timeToRecord)
	defer cancel()
	observed, err := service.Observe(ctx)
	switch {
	case err != nil:
		return append(diags, recordUnread(ctx, plan, state, failure, err)...)
	case failure != nil && !observed.IsOf(owner):
		return diags // a refused attempt leaves no state
	}
	if others := observed.Others(owner); len(others) > 0 && !owner.Claims {
		diags.AddWarning("Someone else requests direct connections, too", fmt.Sprintf("The annotation of %s was also set by "+
			"%s. A destroy of this resource will leave it in place. To take it over, import it.",
			service, direct.DescribeManagers(others)))
	}
	planned := plan.ClusterUID
	plan.observed(service, observed)
	keepKnown(&plan.ClusterUID, planned)
	diags.Append(warnings(observed, nil)...)
	diags.Append(state.Set(ctx, plan)...)
	return diags
}

// service returns the Service of a plan. The name of the centre must refer to the cluster of the state, if there is
// one.
func (r *directServiceResource) service(
	ctx context.Context, model *directServiceModel,
) (*direct.Service, diag.Diagnostics) {
	var diags diag.Diagnostics
	centre, err := r.leaves.registry.Leaf(ctx, model.Cluster.ValueString())
	if err == nil {
		err = r.recorded(model).check(ctx, centre)
	}
	if err != nil {
		diags.Append(failedEnd{"cluster", err}.diagnostic("Nothing was changed."))
		return nil, diags
	}
	return r.in(centre, model), diags
}

// in returns the Service of a model in its centre.
func (r *directServiceResource) in(centre *cluster.Leaf, model *directServiceModel) *direct.Service {
	return direct.New(centre, model.Namespace.ValueString(), model.Name.ValueString(), r.leaves.byID)
}

// find returns the Service of a state. Its centre may have another name now.
func (r *directServiceResource) find(ctx context.Context, model *directServiceModel) (*direct.Service, error) {
	centre, err := r.leaves.findRecorded(ctx, r.recorded(model))
	if err != nil {
		return nil, err
	}
	return r.in(centre, model), nil
}

// recorded returns the recorded centre.
func (r *directServiceResource) recorded(model *directServiceModel) recordedLeaf {
	return recordedLeaf{
		attribute: "cluster", name: model.Cluster.ValueString(), id: model.ClusterID.ValueString(),
		uid: model.ClusterUID.ValueString(),
		owns: func(ctx context.Context, centre *cluster.Leaf) (bool, error) {
			return r.in(centre, model).IsRequestedBy(ctx, direct.Owner{Token: model.OwnerID.ValueString()})
		},
	}
}

// byID connects a leaf by its cluster ID. Many users give a leaf its ID as its name, and then no other leaf is asked.
func (l *leaves) byID(ctx context.Context, id string) (*cluster.Leaf, error) {
	leaf, err := l.registry.Leaf(ctx, id)
	if err == nil && string(leaf.ID) == id || err != nil && !isUnknownName(err) {
		return leaf, err
	}
	return l.registry.LeafByID(ctx, id)
}

// Read implements [resource.Resource]. It removes the resource from the state only if there is no such Service.
func (r *directServiceResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var model directServiceModel
	resp.Diagnostics.Append(req.State.Get(ctx, &model)...)
	timeout, diags := model.Timeouts.Read(ctx, defaultReadTimeout)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(identifyDirectService(ctx, &model, resp.Identity)...)
	if resp.Diagnostics.HasError() || r.leaves.unknownAny(model.Cluster) {
		return
	}
	ctx, cancel := context.WithTimeout(withLogging(ctx), timeout)
	defer cancel()
	service, err := r.find(ctx, &model)
	if err != nil {
		resp.Diagnostics.Append(failedEnd{"cluster", err}.trouble(
			"The Service could not be refreshed. Its state stays unchanged."))
		return
	}
	own, diags := ownershipOf(ctx, req.Private, model.OwnerID)
	resp.Diagnostics.Append(diags...)
	observed, err := service.Observe(ctx)
	switch {
	case err != nil:
		resp.Diagnostics.AddError(summary("The Service can't be read", err), detail(err))
	case !observed.Exists:
		resp.State.RemoveResource(ctx)
	default:
		model.OwnerID = own.id(model.OwnerID)
		model.observed(service, observed)
		resp.Diagnostics.Append(warnings(observed, nil)...)
		resp.Diagnostics.Append(identifyDirectService(ctx, &model, resp.Identity)...)
		resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
	}
}

// Delete implements [resource.Resource]. It returns when no leaf uses direct addresses any more.
func (r *directServiceResource) Delete(
	ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse,
) {
	var model directServiceModel
	resp.Diagnostics.Append(req.State.Get(ctx, &model)...)
	timeout, diags := model.Timeouts.Delete(ctx, defaultDeleteTimeout)
	resp.Diagnostics.Append(diags...)
	own, diags := ownershipOf(ctx, req.Private, model.OwnerID)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(withLogging(ctx), timeout)
	defer cancel()
	service, err := r.find(ctx, &model)
	if err != nil {
		resp.Diagnostics.Append(failedEnd{"cluster", err}.obstacle(forgetAdvice))
		return
	}
	owner := direct.Owner{Token: own.as(model.OwnerID).Token, Claims: own.Unadopted}
	others, unchecked, err := service.Withdraw(ctx, owner)
	if len(others) > 0 {
		resp.Diagnostics.AddWarning("The Service still requests direct connections", fmt.Sprintf("The annotation of %s "+
			"stays, because it was also set by %s.", service, direct.DescribeManagers(others)))
	}
	for _, leaf := range unchecked {
		resp.Diagnostics.AddWarning(fmt.Sprintf("Leaf %q can't be read", leaf.Name), detail(leaf.Err)+
			"\n\nThe annotation is removed, but it is not known whether this leaf has noticed.")
	}
	if err != nil {
		resp.Diagnostics.AddError(summary("The direct connections could not be withdrawn", err), detail(err))
	}
}
