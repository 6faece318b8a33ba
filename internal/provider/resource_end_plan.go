package provider

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// endPlanning is the plan of an object of one end while it is made.
type endPlanning[M any, P endModel[M]] struct {
	*proposal[P]
	*endResource[M, P]

	leaf *cluster.Leaf // nil if it can't be reached or is not known yet
}

// begin returns the plan. It finds problems before the apply, and plans the computed attributes.
func (r *endResource[M, P]) begin(p *proposal[P]) planner {
	return &endPlanning[M, P]{proposal: p, endResource: r}
}

func (p *endPlanning[M, P]) propose(ctx context.Context) diag.Diagnostics {
	diags := p.planLeaf(ctx)
	if diags.HasError() {
		return diags
	}
	if p.leaf != nil && len(p.replace) == 0 {
		diags.Append(p.reserve()...)
		diags.Append(p.leaves.planned.reserveNodePort(p.leaf, p.plan.intent(ctx).Gateway, path.Empty(), p.own.Token)...)
		diags.Append(p.planNamespace(ctx)...)
	}
	p.plan.planComputed(ctx, p.state)
	if p.leaf != nil && p.state != nil && len(p.replace) == 0 && p.isGateway() {
		diags.Append(p.planRepair(ctx)...)
	}
	return diags
}

// planRepair plans an update of a gateway that is being deleted, or whose rules or derived template an apply has to
// write. It warns if nothing could take over from its active pod. A check that fails is a warning, and leaves what the
// others find.
func (p *endPlanning[M, P]) planRepair(ctx context.Context) diag.Diagnostics {
	object := p.object(p.leaf, p.plan, p.own)
	repair := object.Repair(ctx)
	if repair.Needed {
		p.plan.planChanges()
	}
	return repairWarnings(repair, standbyMissing(ctx, object.End, p.plan.intent(ctx).Gateway))
}

func (p *endPlanning[M, P]) foresee(ctx context.Context) diag.Diagnostics {
	p.plan.planChanges()
	if p.own.Claims && p.state != nil {
		p.plan.common().OwnerID = types.StringValue(p.own.Token)
	}
	if p.leaf == nil || len(p.replace) > 0 {
		return nil
	}
	diags := p.checkFeasible(ctx)
	if p.state != nil {
		client, server := p.leaf.Name, p.plan.common().RemoteClusterID.ValueString()
		if p.resource == owner.GatewayServerResource {
			client, server = server, client
		}
		diags.Append(stayOpen(ctx, p.state.rules(), p.plan.rules(), client, server)...)
	}
	return diags
}

// reserve fails if another instance of this configuration manages the same object, or the other gateway.
func (p *endPlanning[M, P]) reserve() diag.Diagnostics {
	plan := p.plan.common()
	if !given(plan.RemoteClusterID) {
		return nil
	}
	what := p.reservation(plan)
	if p.leaves.planned.reserve(what, p.own.Token) {
		return nil
	}
	return diag.Diagnostics{report("object-twice", "The same object twice",
		fmt.Sprintf("Another resource of this configuration already manages the %s of cluster %q for cluster %q.",
			strings.ReplaceAll(strings.TrimPrefix(what.object, TypeName+"_"), "_", " "), what.first, what.second)).
		errorAt(path.Root("remote_cluster_id"))}
}

// reservation is the reservation of the object. Both types of gateways have the same one.
func (r *endResource[M, P]) reservation(model *endCommonModel) reservation {
	what := reservation{
		first: model.ClusterID.ValueString(), second: model.RemoteClusterID.ValueString(), object: string(r.resource),
	}
	if r.isGateway() {
		what.object = "gateway"
	}
	return what
}

// planLeaf connects to the leaf of the plan. Another cluster forces a replacement.
func (p *endPlanning[M, P]) planLeaf(ctx context.Context) (diags diag.Diagnostics) {
	model, recorded := p.plan.common(), recordedLeaf{attribute: "cluster"}
	if p.leaves.unknownAny(model.Cluster) {
		return nil
	}
	if p.state != nil {
		recorded = p.state.common().recorded()
	}
	p.leaf, p.replace, diags = p.leaves.planCluster(ctx, model.Cluster.ValueString(), recorded)
	switch {
	case p.leaf != nil:
		model.locate(p.leaf)
	case p.state != nil:
		model.ClusterUID = p.state.common().ClusterUID
	}
	return diags
}

// planNamespace plans that the object moves back to the tenant namespace if the configuration no longer sets another
// one. This forces a replacement.
func (p *endPlanning[M, P]) planNamespace(ctx context.Context) diag.Diagnostics {
	plan := p.plan.common()
	if p.state == nil || !p.config.common().Namespace.IsNull() || !given(plan.Namespace) || !given(plan.RemoteClusterID) {
		return nil
	}
	attribute := path.Root("namespace")
	object := shortcut.NewEndObject(p.leaf, plan.RemoteClusterID.ValueString(), owner.Owner{})
	byDefault, err := object.End.IsTenantNamespace(ctx, plan.Namespace.ValueString())
	switch {
	case err != nil:
		return diag.Diagnostics{
			failureOf("leaf-unreadable", "The namespace can't be read", err).errorAt(attribute),
		}
	case !byDefault:
		plan.Namespace = types.StringUnknown()
		p.replace = append(p.replace, attribute)
	}
	return nil
}
