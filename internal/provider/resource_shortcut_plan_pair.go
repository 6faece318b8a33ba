package provider

import (
	"context"
	"fmt"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// planPair plans everything that depends on the clusters of the leaves. If they force a replacement, it drops the
// state.
func (p *planning) planPair(ctx context.Context) diag.Diagnostics {
	diags := p.planUnknownNames()
	if !p.leaves.unknownAny(p.plan.Client, p.plan.Server) {
		p.pair = p.leaves.connect(ctx, p.plan.Client.ValueString(), p.plan.Server.ValueString())
		for _, end := range p.ends() {
			if end.err != nil {
				diags.Append(p.leaves.planTrouble(ctx, end.planned.name.ValueString(), end.recorded.leaf(), end.err))
			}
		}
		diags.Append(p.planLeaves(ctx)...)
	}
	if len(p.replace) > 0 {
		diags.Append(p.leaves.checkCleanable(ctx, p.state)...)
		p.state = nil
	} else {
		diags.Append(p.leaves.planned.reservePair(p.pair, p.own.Token)...)
		diags.Append(p.leaves.planned.reserveNamespaces(p.ends(), p.own.Token)...)
		diags.Append(p.leaves.planned.reserveNodePort(
			p.pair.server, p.plan.serverEnd().known(ctx), path.Root("server_gateway"), p.own.Token)...)
	}
	diags.Append(p.planNetworks(ctx)...)
	return append(diags, p.planRanges(ctx)...)
}

// planUnknownNames plans a replacement if the name of a leaf is unknown. It is not known yet whether the name will
// refer to the cluster that the shortcut connects.
func (p *planning) planUnknownNames() diag.Diagnostics {
	if p.state == nil {
		return nil
	}
	var diags diag.Diagnostics
	for _, end := range p.ends() {
		if !end.planned.name.IsUnknown() {
			continue
		}
		diags.Append(report("perhaps-another-cluster", "Perhaps another cluster",
			fmt.Sprintf("The name of the %s is known only during the apply. It was %q, and it is not known yet whether it will "+
				"still refer to cluster %q. So the plan replaces the shortcut. To keep it, first apply the resource that the name "+
				"comes from, with `-target`.",
				end.planned.attribute, end.recorded.name.ValueString(), end.recorded.clusterID.ValueString())).
			warningAt(path.Root(end.planned.attribute)))
		p.replace = append(p.replace, path.Root(end.planned.attribute))
	}
	if len(p.replace) > 0 {
		p.becomesAnother()
		for _, end := range p.ends() {
			*end.planned.clusterID, *end.planned.clusterUID = types.StringUnknown(), types.StringUnknown()
		}
	}
	return diags
}

// planLeaves plans the clusters that the names refer to. They force a replacement if they are not the clusters of the
// state.
func (p *planning) planLeaves(ctx context.Context) diag.Diagnostics {
	diags, before := p.pair.differ(), len(p.replace)
	for _, end := range p.ends() {
		if end.leaf != nil {
			diags.Append(p.planLeaf(ctx, end)...)
		} else if p.state != nil {
			*end.planned.clusterUID = stringOrNull(end.recorded.leaf().uid)
		}
	}
	if len(p.replace) > before {
		p.becomesAnother()
	}
	if p.pair.client != nil && p.pair.server != nil {
		p.plan.ID = types.StringValue(p.plan.ClientClusterID.ValueString() + "/" + p.plan.ServerClusterID.ValueString())
	}
	return diags
}

// planLeaf plans the cluster that a name refers to. A name that has not changed, but refers to another cluster now, is
// an error, unless abandon_lost_cluster gives up the cluster of the state. If only the plan sets abandon_lost_cluster,
// it goes on without that leaf.
func (p *planning) planLeaf(ctx context.Context, end planEnd) (diags diag.Diagnostics) {
	recorded := end.recorded.leaf()
	moves, err := p.leaves.moves(ctx, end.planned.name.ValueString(), end.leaf, recorded)
	failed := failedEnd{recorded.attribute, err}
	if givenUp := isAnotherCluster(err) && p.state.AbandonLostCluster.ValueBool(); err != nil && !givenUp {
		if !isAnotherCluster(err) || !p.plan.AbandonLostCluster.ValueBool() {
			return diag.Diagnostics{failed.obstacle(replaceAdvice)}
		}
		end.lose(err)
		return diag.Diagnostics{failed.warning("The plan continues without this leaf.")}
	}
	if moves {
		diags.Append(anotherClusterWarning(end.leaf, recorded))
		p.replace = append(p.replace, replacedAttribute(recorded.attribute+"_", end.leaf, recorded))
	}
	*end.planned.clusterID, *end.planned.clusterUID = types.StringValue(string(end.leaf.ID)), clusterUID(end.leaf)
	return diags
}

// becomesAnother removes from the plan what is true only for the old clusters, except for configured values.
// [planning.planNetworks] does the same for the networks.
func (p *planning) becomesAnother() {
	p.plan.ID = types.StringUnknown()
	for _, end := range p.ends() {
		*end.planned.namespace = unknownIfNull(*end.configured.namespace)
	}
}

// reservations are what instances use alone: a pair of leaves, and namespaces that the user set. They are those that
// this provider process has planned or refreshed. Terraform plans an instance twice if it replaces it.
type reservations struct {
	mu     sync.Mutex
	tokens map[reservation]string // of the owning instance
}

// reservation is a pair of clusters, if second is empty a namespace of a cluster, or an object that the first one has
// for the second one.
type reservation struct{ first, second, namespace, object string }

// reserve reserves something for an instance. It reports false if another instance has reserved it already.
func (c *reservations) reserve(what reservation, token string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if other, taken := c.tokens[what]; taken {
		return other == token
	}
	if c.tokens == nil {
		c.tokens = map[reservation]string{}
	}
	c.tokens[what] = token
	return true
}

// has reports whether an instance has reserved something.
func (c *reservations) has(what reservation) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, taken := c.tokens[what]
	return taken
}

// reservationOf is the reservation of a pair whose leaves are known. It is the same in both directions.
func reservationOf(pair pair) reservation {
	return reservation{
		first: string(min(pair.client.ID, pair.server.ID)), second: string(max(pair.client.ID, pair.server.ID)),
	}
}

// reservePair reserves the pair. It fails if another instance has reserved it already.
func (c *reservations) reservePair(pair pair, token string) diag.Diagnostics {
	if pair.client == nil || pair.server == nil {
		return nil
	}
	what := reservationOf(pair)
	if c.reserve(what, token) {
		return nil
	}
	return diag.Diagnostics{report("object-twice", "The same pair twice",
		fmt.Sprintf("Another liqo_shortcut of this configuration already connects clusters %q and %q, in this direction or "+
			"the other. A pair of leaves can have only one shortcut.", what.first, what.second)).errorAt(path.Root("server"))}
}

// reserveNodePort reserves the node port that a gateway sets. It fails if another instance has reserved it already. The
// settings are nil if they are not known. The path is that of the gateway.
func (c *reservations) reserveNodePort(
	leaf *cluster.Leaf, server *liqo.GatewaySettings, at path.Path, token string,
) diag.Diagnostics {
	if leaf == nil || server == nil || server.NodePort == 0 {
		return nil
	}
	port := fmt.Sprintf("node port %d", server.NodePort)
	if c.reserve(reservation{first: string(leaf.ID), object: port}, token) {
		return nil
	}
	return diag.Diagnostics{invalid("The same node port twice",
		fmt.Sprintf("Another resource of this configuration has %s of leaf %q, too. A port of a node leads to one Service. "+
			"Give each gateway a port of its own, or remove `node_port`: then Kubernetes chooses one.", port, leaf.Name)).
		errorAt(at.AtName("node_port"))}
}

// reserveNamespaces reserves the namespaces that the configuration sets. It fails if another instance has reserved one
// of them already.
func (c *reservations) reserveNamespaces(ends []planEnd, token string) diag.Diagnostics {
	var diags diag.Diagnostics
	for _, end := range ends {
		namespace := end.configured.namespace
		if end.leaf == nil || !given(*namespace) {
			continue
		}
		if c.reserve(reservation{first: string(end.leaf.ID), namespace: namespace.ValueString()}, token) {
			continue
		}
		diags.Append(invalid("The same namespace twice",
			fmt.Sprintf("Another liqo_shortcut of this configuration already has namespace %q of leaf %q. Liqo can't "+
				"distinguish two gateways in one namespace. Give each shortcut its own namespace, or leave the choice to Liqo.",
				namespace.ValueString(), end.leaf.Name)).errorAt(end.planned.path("namespace")))
	}
	return diags
}
