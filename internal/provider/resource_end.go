package provider

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// endResource is a resource that manages one object of one end: liqo_configuration, liqo_gateway_server,
// liqo_gateway_client or liqo_public_key. It does for all of them what does not depend on the object. M is the
// model of the resource.
type endResource[M any, P endModel[M]] struct {
	configured

	resource owner.Resource
	schema   func(context.Context) schema.Schema
}

// endModel is the model of one of these resources. Its methods are what depends on the object.
type endModel[M any] interface {
	*M
	// common returns the attributes that all of these resources have.
	common() *endCommonModel
	// validate finds settings that do not go together.
	validate() diag.Diagnostics
	// gateway returns what the plan checks of a gateway, or nil if it is not known, or if the object is none.
	gateway(ctx context.Context) (*plannedGateway, diag.Diagnostics)
	// check asks the leaf whether the plan is possible, beyond what is the same for all.
	check(ctx context.Context, object shortcut.EndObject) diag.Diagnostics
	// planComputed plans the computed attributes. The state is nil for a new resource.
	planComputed(state *M)
	// planChanges plans that an apply may change what the leaf reports.
	planChanges()
	// ensure creates or changes the object on the leaf.
	ensure(ctx context.Context, object shortcut.EndObject, namespace string) error
	// observed copies the object on the leaf into the model.
	observed(ctx context.Context, observed shortcut.EndObjectState) diag.Diagnostics
	// keepPlanned restores the computed attributes that a plan has promised.
	keepPlanned(plan *M)
	// keySecret is the user's Secret of a gateway. Its name is empty if there is none.
	keySecret() liqo.KeySecret
}

// Metadata implements [resource.Resource].
func (r *endResource[M, P]) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = string(r.resource)
}

// Schema implements [resource.Resource].
func (r *endResource[M, P]) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = r.schema(ctx)
}

// ValidateConfig implements [resource.ResourceWithValidateConfig].
func (r *endResource[M, P]) ValidateConfig(
	ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse,
) {
	model := P(new(M))
	resp.Diagnostics.Append(req.Config.Get(ctx, model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(validateTimeouts(model.common().Timeouts.Attributes())...)
	resp.Diagnostics.Append(model.validate()...)
}

// at returns the object on a leaf.
func (r *endResource[M, P]) at(leaf *cluster.Leaf, model P, own ownership) shortcut.EndObject {
	self := own.owner(r.leaves.origin())
	self.Resource = r.resource
	object := shortcut.NewEndObject(leaf, model.common().RemoteClusterID.ValueString(), self)
	object.Create = own.isNew
	return object
}

// Create implements [resource.Resource].
func (r *endResource[M, P]) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	plan := P(new(M))
	resp.Diagnostics.Append(req.Plan.Get(ctx, plan)...)
	timeout, diags := plan.common().Timeouts.Create(ctx, defaultCreateTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	own := ownership{}.named()
	resp.Diagnostics.Append(own.save(ctx, resp.Private)...)
	own.isNew = true
	resp.Diagnostics.Append(r.ensure(ctx, timeout, own, plan, &resp.State)...)
	resp.Diagnostics.Append(plan.common().identify(ctx, resp.Identity)...)
}

// Update implements [resource.Resource].
func (r *endResource[M, P]) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	plan := P(new(M))
	resp.Diagnostics.Append(req.Plan.Get(ctx, plan)...)
	timeout, diags := plan.common().Timeouts.Update(ctx, defaultUpdateTimeout)
	resp.Diagnostics.Append(diags...)
	own, diags := ownershipOf(ctx, req.Private, plan.common().OwnerID)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	own = own.named()
	resp.Diagnostics.Append(r.ensure(ctx, timeout, own, plan, &resp.State)...)
	resp.Diagnostics.Append(plan.common().identify(ctx, resp.Identity)...)
	own.Unadopted = own.Unadopted && resp.Diagnostics.HasError()
	resp.Diagnostics.Append(own.save(ctx, resp.Private)...)
}

// ensure creates or changes the object, and records the result in the state, also after a failure.
func (r *endResource[M, P]) ensure(
	ctx context.Context, timeout time.Duration, own ownership, plan P, state *tfsdk.State,
) diag.Diagnostics {
	ctx, cancel := context.WithTimeout(withLogging(ctx), timeout)
	defer cancel()
	model := plan.common()
	leaf, err := r.leaves.registry.Leaf(ctx, model.Cluster.ValueString())
	if err == nil {
		err = model.recorded().check(ctx, leaf)
	}
	if err != nil {
		return diag.Diagnostics{failedEnd{"cluster", err}.diagnostic("Nothing was changed.")}
	}
	object := r.at(leaf, plan, own)
	var diags diag.Diagnostics
	failure := plan.ensure(ctx, object, model.Namespace.ValueString())
	if failure != nil {
		diags.AddError(summary("The "+string(r.resource)+" could not be applied", failure), detail(failure))
	}
	ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), timeToRecord)
	defer cancel()
	observed, err := object.Observe(ctx)
	if err != nil {
		return append(diags, recordUnread(ctx, plan, state, failure, err)...)
	}
	if !observed.Exists {
		return diags // a refused attempt must not take over what someone else made
	}
	planned, promisedUID := *plan, model.ClusterUID
	model.observed(leaf, observed, own)
	keepKnown(&model.ClusterUID, promisedUID)
	diags.Append(plan.observed(ctx, observed)...)
	if failure == nil {
		plan.keepPlanned(&planned) // if it has changed meanwhile, the next refresh shows it
	}
	diags.Append(state.Set(ctx, plan)...)
	return diags
}

// Read implements [resource.Resource]. It removes the object from the state only if it is certain that the leaf
// does not have it, or that it belongs to someone else.
func (r *endResource[M, P]) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	state := P(new(M))
	resp.Diagnostics.Append(req.State.Get(ctx, state)...)
	model := state.common()
	timeout, diags := model.Timeouts.Read(ctx, defaultReadTimeout)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(model.identify(ctx, resp.Identity)...)
	if resp.Diagnostics.HasError() || r.leaves.unknownAny(model.Cluster) {
		return
	}
	ctx, cancel := context.WithTimeout(withLogging(ctx), timeout)
	defer cancel()
	leaf, err := r.leaves.findRecorded(ctx, model.recorded())
	if err != nil {
		resp.Diagnostics.Append(failedEnd{"cluster", err}.trouble(
			"The resource could not be refreshed. Its state stays unchanged."))
		return
	}
	own, diags := r.recognise(ctx, leaf, state, req.Private, resp.Private)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	object := r.at(leaf, state, own)
	observed, err := object.Observe(ctx)
	if err != nil {
		resp.Diagnostics.AddError(summary("The leaf can't be read", err), detail(err))
		return
	}
	if observed.Taken != "" {
		resp.Diagnostics.AddWarning("The object has another owner now", "This resource no longer owns "+observed.Taken+
			": another resource or someone else has taken it over. The resource is removed from the state, and the object "+
			"stays.")
	}
	if !observed.Exists {
		resp.State.RemoveResource(ctx)
		return
	}
	model.observed(leaf, observed, own)
	resp.Diagnostics.Append(state.observed(ctx, observed)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
	if r.isGateway() && (observed.Status == shortcut.Error || observed.Silent) {
		down := object.WhyDown(ctx)
		resp.Diagnostics.AddAttributeWarning(path.Root("status"), capital(down.Summary), down.Detail)
	}
}

// isGateway reports whether the object is a gateway, which has a status.
func (r *endResource[M, P]) isGateway() bool {
	return r.resource == owner.GatewayServerResource || r.resource == owner.GatewayClientResource
}

// Delete implements [resource.Resource]. It returns when the object is gone.
func (r *endResource[M, P]) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	state := P(new(M))
	resp.Diagnostics.Append(req.State.Get(ctx, state)...)
	model := state.common()
	timeout, diags := model.Timeouts.Delete(ctx, defaultDeleteTimeout)
	resp.Diagnostics.Append(diags...)
	own, diags := ownershipOf(ctx, req.Private, model.OwnerID)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(withLogging(ctx), timeout)
	defer cancel()
	leaf, err := r.leaves.findRecorded(ctx, model.recorded())
	if err != nil {
		resp.Diagnostics.Append(failedEnd{"cluster", err}.obstacle(forgetAdvice))
		return
	}
	kept, err := r.at(leaf, state, own.as(model.OwnerID)).Remove(ctx, state.keySecret())
	if err != nil {
		resp.Diagnostics.AddError(summary("The "+string(r.resource)+" could not be removed", err), detail(err))
	}
	if kept != "" {
		resp.Diagnostics.AddWarning("Some objects were kept on leaf \""+leaf.Name+"\"", kept)
	}
}
