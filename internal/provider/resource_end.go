package provider

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// endResource is a resource that manages one object of one end: liqo_configuration, liqo_gateway_server,
// liqo_gateway_client or liqo_public_key. It does for all of them what does not depend on the object. M is the model of
// the resource.
type endResource[M any, P endModel[M]] struct {
	configured

	resource owner.Resource
}

func newEndResource[M any, P endModel[M]](
	which owner.Resource, schema func(context.Context) schema.Schema,
) resource.Resource {
	return &managed[M, P]{
		lifecycle: &endResource[M, P]{resource: which}, name: strings.TrimPrefix(string(which), TypeName+"_"), schema: schema,
		identity: map[string]string{
			"cluster_id": "Liqo's cluster ID of this cluster.", "remote_cluster_id": "Liqo's cluster ID of the other cluster.",
		},
	}
}

// endModel is the model of one of these resources. Its methods are what depends on the object.
type endModel[M any] interface {
	lifeModel[M]
	// common returns the attributes that all of these resources have.
	common() *endCommonModel
	// intent has the gateway that the model describes, as far as it is known.
	intent(ctx context.Context) end.Intent
	// check asks the leaf whether the plan is possible, beyond what is the same for all.
	check(ctx context.Context, object shortcut.EndObject) diag.Diagnostics
	// rules are those of `allow`. They are null for other objects than gateways.
	rules() types.Set
	// planComputed plans the computed attributes. The state is nil for a new resource.
	planComputed(ctx context.Context, state *M)
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

// object returns the object on a leaf.
func (r *endResource[M, P]) object(leaf *cluster.Leaf, model P, own ownership) shortcut.EndObject {
	self := own.owner(r.leaves.origin())
	self.Resource = r.resource
	object := shortcut.NewEndObject(leaf, model.common().RemoteClusterID.ValueString(), self)
	object.Create = own.isNew
	return object
}

// apply creates or changes the object.
func (r *endResource[M, P]) apply(ctx context.Context, a *application[P]) diag.Diagnostics {
	model := a.plan.common()
	leaf, err := r.leaves.registry.Leaf(ctx, model.Cluster.ValueString())
	if err == nil {
		err = model.recorded().check(ctx, leaf)
	}
	if err != nil {
		return diag.Diagnostics{failedEnd{"cluster", err}.diagnostic("Nothing was changed.")}
	}
	var diags diag.Diagnostics
	object := r.object(leaf, a.plan, a.own)
	failure := a.plan.ensure(ctx, object, model.Namespace.ValueString())
	if failure != nil {
		diags.Append(failureOf("object-not-applied", "The "+string(r.resource)+" could not be applied", failure).asError())
	}
	a.own.Claims = a.own.Claims && failure != nil
	diags.Append(r.recordState(ctx, object, a, failure)...)
	if failure == nil && r.isGateway() {
		diags.Append(warningsOf(object.End.PodsWithoutNode(ctx))...)
	}
	return diags
}

// recordState writes the object on the leaf into the state. A refused attempt must not take over what someone else
// made.
func (r *endResource[M, P]) recordState(
	ctx context.Context, object shortcut.EndObject, a *application[P], failure error,
) diag.Diagnostics {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeToRecord)
	defer cancel()
	observed, err := object.Observe(ctx)
	if err != nil {
		return recordUnread(ctx, a.plan, a.state, failure, err)
	}
	if !observed.Exists {
		return nil
	}
	planned, model := *a.plan, a.plan.common()
	plannedUID := model.ClusterUID
	model.observed(object.End.Leaf, observed, a.own)
	keepKnown(&model.ClusterUID, plannedUID)
	diags := a.plan.observed(ctx, observed)
	if failure == nil {
		a.plan.keepPlanned(&planned) // if it has changed meanwhile, the next refresh shows it
	}
	diags.Append(a.state.Set(ctx, a.plan)...)
	return diags
}

// refresh reads the object. It is gone if the leaf does not have it, or if it belongs to someone else.
func (r *endResource[M, P]) refresh(
	ctx context.Context, model P, private privateStates,
) (refreshed, diag.Diagnostics) {
	leaf, err := r.leaves.findRecorded(ctx, model.common().recorded())
	if err != nil {
		return unchanged, diag.Diagnostics{failedEnd{"cluster", err}.trouble(
			"The resource could not be refreshed. Its state stays unchanged.")}
	}
	own, diags := private.recognise(ctx, model.common().OwnerID, func(ctx context.Context) (string, error) {
		self, err := r.object(leaf, model, ownership{}).ImportedFrom(ctx)
		return self.Token, err
	})
	if diags.HasError() {
		return unchanged, diags
	}
	object := r.object(leaf, model, own)
	observed, err := object.Observe(ctx)
	if err != nil {
		diags.Append(failureOf("leaf-unreadable", "The leaf can't be read", err).asError())
		return unchanged, diags
	}
	if observed.Exists || observed.Taken != "" {
		r.leaves.refreshed.reserve(r.reservation(model.common()), own.Token)
	}
	if observed.Taken != "" {
		diags.Append(report("owner-changed", "The object has another owner now",
			"This resource no longer owns "+observed.Taken+
				": another resource or user owns it. The resource is removed from the state, and the object "+
				"stays.").asWarning())
	}
	if !observed.Exists {
		return gone, diags
	}
	own, settled := private.settle(ctx, own, observed.Unmarked)
	diags.Append(settled...)
	model.common().observed(leaf, observed, own)
	diags.Append(model.observed(ctx, observed)...)
	diags.Append(rulesEdited(observed.Allow, observed.Limited)...)
	if r.isGateway() && (observed.Status == shortcut.Error || observed.Silent) {
		down := object.WhyDown(ctx)
		diags.Append(problemOf(down).warningAt(path.Root("status")))
	}
	return changed, diags
}

// isGateway reports whether the object is a gateway, which has a status.
func (r *endResource[M, P]) isGateway() bool {
	return r.resource == owner.GatewayServerResource || r.resource == owner.GatewayClientResource
}

// remove removes the object.
func (r *endResource[M, P]) remove(ctx context.Context, model P, own ownership) diag.Diagnostics {
	leaf, err := r.leaves.findRecorded(ctx, model.common().recorded())
	if err != nil {
		return diag.Diagnostics{failedEnd{"cluster", err}.obstacle(forgetAdvice)}
	}
	var diags diag.Diagnostics
	kept, err := r.object(leaf, model, own).Remove(ctx, model.keySecret())
	if err != nil {
		diags.Append(failureOf("object-not-removed", "The "+string(r.resource)+" could not be removed", err).asError())
	}
	if kept != "" {
		diags.Append(report("objects-kept", "Some objects were kept on leaf \""+leaf.Name+"\"", kept).asWarning())
	}
	return diags
}
