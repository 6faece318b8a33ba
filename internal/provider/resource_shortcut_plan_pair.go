package provider

import (
	"context"
	"fmt"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

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

// claims are what the instances that this provider process has planned have for themselves: the pair of leaves, and namespaces of one's own. Terraform plans one
// instance twice when it is to be replaced.
type claims struct {
	mu     sync.Mutex
	tokens map[claimed]string // of the instance that has it
}

// claimed is a pair of clusters or, where one of the two is empty, a namespace of a cluster.
type claimed struct{ first, second, namespace string }

// take reports whether an instance may have what it claims.
func (c *claims) take(what claimed, token string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if other, taken := c.tokens[what]; taken {
		return other == token
	}
	if c.tokens == nil {
		c.tokens = map[claimed]string{}
	}
	c.tokens[what] = token
	return true
}

// claim fails if another instance has claimed the pair already, in either direction.
func (c *claims) claim(pair pair, token string) diag.Diagnostics {
	if pair.client == nil || pair.server == nil {
		return nil
	}
	first, second := string(min(pair.client.ID, pair.server.ID)), string(max(pair.client.ID, pair.server.ID))
	if c.take(claimed{first: first, second: second}, token) {
		return nil
	}
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("server"), "The same pair twice", fmt.Sprintf(
		"Another liqo_shortcut of this configuration already joins clusters %q and %q, in this direction or the other. One pair of leaves can have one "+
			"shortcut only.", first, second))}
}

// claimNamespaces fails if another instance has claimed one of the namespaces of one's own that a configuration names.
func (c *claims) claimNamespaces(pair pair, config *shortcutModel, token string) diag.Diagnostics {
	var diags diag.Diagnostics
	for _, end := range []struct {
		attribute string
		leaf      *cluster.Leaf
		namespace types.String
	}{
		{"client_namespace", pair.client, config.ClientNamespace},
		{"server_namespace", pair.server, config.ServerNamespace},
	} {
		if end.leaf == nil || !given(end.namespace) || c.take(claimed{first: string(end.leaf.ID), namespace: end.namespace.ValueString()}, token) {
			continue
		}
		diags.AddAttributeError(path.Root(end.attribute), "The same namespace twice", fmt.Sprintf(
			"Another liqo_shortcut of this configuration already has namespace %q of leaf %q. Liqo can't tell two gateways of one namespace apart. Give each "+
				"shortcut a namespace of its own, or leave the choice to Liqo.", end.namespace.ValueString(), end.leaf.Name))
	}
	return diags
}
