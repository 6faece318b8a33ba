package provider

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/direct"
)

// servicePlanning is the plan of a direct Service while it is made.
type servicePlanning struct {
	*proposal[*directServiceModel]
	*directServiceResource

	service *direct.Service // nil if it is not known yet
}

// begin returns the plan: a replacement if the name of the centre refers to another cluster, and an update if an apply
// can repair something. For a new resource it warns of leaves that cannot follow.
func (r *directServiceResource) begin(p *proposal[*directServiceModel]) planner {
	return &servicePlanning{proposal: p, directServiceResource: r}
}

func (p *servicePlanning) propose(ctx context.Context) (diags diag.Diagnostics) {
	if p.state != nil {
		p.plan.planUpdate(p.state)
	}
	switch {
	case !p.leaves.unknownAny(p.plan.Cluster):
		diags = p.planCentre(ctx)
	case p.state != nil && p.plan.Cluster.IsUnknown():
		p.plan.becomesAnother()
		p.replace = path.Paths{path.Root("cluster")}
	}
	p.keepsLeaves = !p.plan.Status.IsUnknown()
	return diags
}

// foresee warns of what will keep leaves from following a new resource. Nothing is an error, because the plan may
// create the Service, its pods and the networks of the leaves.
func (p *servicePlanning) foresee(ctx context.Context) diag.Diagnostics {
	if p.state != nil || p.service == nil {
		return nil
	}
	observed, err := p.service.Observe(ctx)
	switch {
	case err != nil:
		return diag.Diagnostics{failureOf("leaf-unreadable", "The Service can't be read", err,
			"An apply needs it.").asWarning()}
	case !observed.Exists:
		return diag.Diagnostics{report("service-not-yet-there", p.service.String()+" does not exist yet",
			fmt.Sprintf("If it does not exist in cluster %q when this resource is created, the apply fails. If the same "+
				"configuration creates the Service, refer to its attributes or add `depends_on`.",
				p.service.Centre.Name)).warningAt(path.Root("name"))}
	default:
		return warnings(observed, p.leaves.planned.joins)
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

// planCentre plans what depends on the central cluster. Another cluster forces a replacement.
func (p *servicePlanning) planCentre(ctx context.Context) diag.Diagnostics {
	plan, recorded := p.plan, recordedLeaf{attribute: "cluster"}
	if p.state != nil {
		recorded = p.recorded(p.state)
	}
	centre, replace, diags := p.leaves.planCluster(ctx, plan.Cluster.ValueString(), recorded)
	if centre == nil {
		if p.state != nil {
			plan.ClusterUID = p.state.ClusterUID
		}
		return diags
	}
	if p.replace = replace; len(replace) > 0 {
		plan.becomesAnother()
	}
	plan.ClusterID, plan.ClusterUID = types.StringValue(string(centre.ID)), clusterUID(centre)
	if len(replace) > 0 || !given(plan.Namespace) || !given(plan.Name) {
		return diags
	}
	p.service = p.serviceIn(centre, plan)
	plan.ID = types.StringValue(p.service.ID())
	if !p.leaves.planned.reserve(reservation{first: string(centre.ID), namespace: p.service.String()}, p.own.Token) {
		diags.Append(report("object-twice", "The same Service twice",
			fmt.Sprintf("Another liqo_direct_service of this configuration already has %s of cluster %q.",
				p.service, centre.Name)).errorAt(path.Root("name")))
	}
	if p.state != nil && p.state.Status.ValueString() == string(direct.Partial) && p.canFollow(ctx) {
		plan.needsRepair()
	}
	return diags
}

// canFollow reports whether leaves that could not follow can do so when this plan is applied: the plan gives them a
// network. Terraform plans again during the apply, and then they have it already.
func (p *servicePlanning) canFollow(ctx context.Context) bool {
	observed, err := p.service.Observe(ctx)
	if err != nil {
		return false // the refresh has reported it
	}
	return observed.Status() != direct.Partial || slices.ContainsFunc(observed.Leaves, func(leaf direct.LeafState) bool {
		return slices.ContainsFunc(leaf.Obstacles, func(o direct.Obstacle) bool { return p.leaves.planned.joins(o.Missing) })
	})
}

// joins reports whether a liqo_shortcut in this plan connects two clusters.
func (c *reservations) joins(clusters [2]string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, planned := c.tokens[reservation{first: clusters[0], second: clusters[1]}]
	return planned
}

// warnings returns a warning for each leaf that cannot follow or cannot be read, for a Service that no leaf has, and
// for ports that what may cross keeps closed. The function joined reports whether the plan gives two clusters a
// network; it may be nil.
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
					"Add the cluster to `clusters`. With `credentials_from`, the credentials of the central cluster are "+
					"enough.").asWarning())
		default:
			diags.Append(failureOf("leaf-unreadable", fmt.Sprintf("Leaf %q can't be read", leaf.Name), leaf.Err).asWarning())
		}
		for i := range leaf.Obstacles {
			obstacle := &leaf.Obstacles[i]
			if obstacle.Missing == [2]string{} || joined == nil || !joined(obstacle.Missing) {
				diags.Append(problemOf(&obstacle.Problem).asWarning())
			}
		}
	}
	for _, closed := range observed.Closed {
		diags.Append(explained(closed).asWarning())
	}
	if observed.LimitsUnread != nil {
		diags.Append(failureOf("leaf-unreadable", "The allowed traffic can't be read", observed.LimitsUnread).asWarning())
	}
	return diags
}
