package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/direct"
)

// directServiceResource is the resource liqo_direct_service.
type directServiceResource struct{ configured }

func newDirectServiceResource() resource.Resource {
	return &managed[directServiceModel, *directServiceModel]{
		lifecycle: &directServiceResource{}, name: "direct_service", schema: directServiceSchema,
		identity: map[string]string{
			"cluster_id": "Liqo's cluster ID of the central cluster.",
			"namespace":  "Namespace of the Service.", "name": "Name of the Service.",
		},
	}
}

// apply requests direct connections, and waits for the leaves.
func (r *directServiceResource) apply(ctx context.Context, a *application[*directServiceModel]) diag.Diagnostics {
	service, diags := r.service(ctx, a.plan)
	if diags.HasError() {
		return diags
	}
	a.plan.OwnerID = types.StringValue(a.own.Token)
	failure := service.Request(ctx, a.own.ofService())
	if failure != nil {
		diags.Append(failureOf("service-not-requested", "The direct connections could not be requested", failure).asError())
	}
	diags.Append(recordService(ctx, service, a, failure)...)
	return diags
}

// recordService writes what the centre and the leaves have into the state. A refused attempt leaves no state.
func recordService(
	ctx context.Context, service *direct.Service, a *application[*directServiceModel], failure error,
) diag.Diagnostics {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeToRecord)
	defer cancel()
	self := a.own.ofService()
	observed, err := service.Observe(ctx)
	switch {
	case err != nil:
		return recordUnread(ctx, a.plan, a.state, failure, err)
	case failure != nil && !observed.IsOf(self):
		return nil
	}
	var diags diag.Diagnostics
	if others := observed.Others(self); len(others) > 0 && !self.Claims {
		diags.Append(report("service-shared", "Another user requests direct connections, too",
			fmt.Sprintf("The annotation of %s was also set by %s. A destroy of this resource will leave it in place. To take "+
				"it over, import it.",
				service, direct.DescribeManagers(others))).asWarning())
	}
	planned := a.plan.ClusterUID
	a.plan.observed(service, observed)
	keepKnown(&a.plan.ClusterUID, planned)
	diags.Append(warnings(observed, nil)...)
	diags.Append(a.state.Set(ctx, a.plan)...)
	return diags
}

// ofService returns the instance in the form that package direct needs. What was imported stays claimed, because
// nothing in the centre can tell it from what others have set.
func (o ownership) ofService() direct.Owner { return direct.Owner{Token: o.Token, Claims: o.Claims} }

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
	return r.serviceIn(centre, model), diags
}

// serviceIn returns the Service of a model in its centre.
func (r *directServiceResource) serviceIn(centre *cluster.Leaf, model *directServiceModel) *direct.Service {
	return direct.New(centre, model.Namespace.ValueString(), model.Name.ValueString(), r.leaves.byID)
}

// findRecorded returns the Service of a state. Its centre may have another name now.
func (r *directServiceResource) findRecorded(ctx context.Context, model *directServiceModel) (*direct.Service, error) {
	centre, err := r.leaves.findRecorded(ctx, r.recorded(model))
	if err != nil {
		return nil, err
	}
	return r.serviceIn(centre, model), nil
}

// recorded returns the recorded centre.
func (r *directServiceResource) recorded(model *directServiceModel) recordedLeaf {
	return recordedLeaf{
		attribute: "cluster", name: model.Cluster.ValueString(), id: model.ClusterID.ValueString(),
		uid: model.ClusterUID.ValueString(),
		owns: func(ctx context.Context, centre *cluster.Leaf) (bool, error) {
			return r.serviceIn(centre, model).IsRequestedBy(ctx, direct.Owner{Token: model.OwnerID.ValueString()})
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

// refresh reads the Service. It is gone only if there is no such Service.
func (r *directServiceResource) refresh(
	ctx context.Context, model *directServiceModel, _ privateStates,
) (refreshed, diag.Diagnostics) {
	service, err := r.findRecorded(ctx, model)
	if err != nil {
		return unchanged, diag.Diagnostics{failedEnd{"cluster", err}.trouble(
			"The Service could not be refreshed. Its state stays unchanged.")}
	}
	var diags diag.Diagnostics
	observed, err := service.Observe(ctx)
	switch {
	case err != nil:
		diags.Append(failureOf("leaf-unreadable", "The Service can't be read", err).asError())
		return unchanged, diags
	case !observed.Exists:
		return gone, diags
	}
	model.observed(service, observed)
	diags.Append(warnings(observed, nil)...)
	return changed, diags
}

// remove withdraws the request. It returns when no leaf uses direct addresses any more.
func (r *directServiceResource) remove(
	ctx context.Context, model *directServiceModel, own ownership,
) diag.Diagnostics {
	service, err := r.findRecorded(ctx, model)
	if err != nil {
		return diag.Diagnostics{failedEnd{"cluster", err}.obstacle(forgetAdvice)}
	}
	var diags diag.Diagnostics
	others, unchecked, err := service.Withdraw(ctx, own.ofService())
	if len(others) > 0 {
		diags.Append(report("service-shared", "The Service still requests direct connections",
			fmt.Sprintf("The annotation of %s stays, because it was also set by %s.",
				service, direct.DescribeManagers(others))).asWarning())
	}
	for _, leaf := range unchecked {
		diags.Append(because("leaf-unreadable", fmt.Sprintf("Leaf %q can't be read", leaf.Name), leaf.Err,
			"The annotation is removed, but it is not known whether this leaf has noticed.").asWarning())
	}
	if err != nil {
		diags.Append(failureOf("service-not-withdrawn", "The direct connections could not be withdrawn", err).asError())
	}
	return diags
}
