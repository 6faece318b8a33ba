package provider

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// pair holds the connections to the two leaves of a shortcut. If a connection failed, the leaf is nil and its error is
// set, unless the other one failed with the same error.
type pair struct {
	client, server       *cluster.Leaf
	clientErr, serverErr error
}

// connectBoth connects to both leaves in parallel.
func connectBoth[T any](
	ctx context.Context, connect func(context.Context, T) (*cluster.Leaf, error), client, server T,
) pair {
	var (
		p     pair
		group sync.WaitGroup
	)
	group.Go(func() { p.client, p.clientErr = connect(ctx, client) })
	group.Go(func() { p.server, p.serverErr = connect(ctx, server) })
	group.Wait()
	if errors.Is(p.serverErr, p.clientErr) {
		p.serverErr = nil // the same name for both leaves gives one error, not two
	}
	return p
}

// connect connects to both leaves by their names.
func (l *leaves) connect(ctx context.Context, client, server string) pair {
	return connectBoth(ctx, l.registry.Leaf, client, server)
}

// connectByID connects to both leaves by their cluster IDs.
func (l *leaves) connectByID(ctx context.Context, clientID, serverID string) pair {
	return connectBoth(ctx, l.registry.LeafByID, clientID, serverID)
}

// find connects to both leaves of an existing shortcut, as [leaves.findRecorded] does.
func (l *leaves) find(ctx context.Context, model *shortcutModel) pair {
	return connectBoth(ctx, l.findRecorded, model.clientEnd().leaf(), model.serverEnd().leaf())
}

// checkCleanable returns an error if nobody can clean either leaf of a shortcut that a plan replaces.
func (l *leaves) checkCleanable(ctx context.Context, state *shortcutModel) diag.Diagnostics {
	if l.unknownAny(state.Client, state.Server) {
		return nil
	}
	if former := l.find(ctx, state); former.client == nil && former.server == nil {
		return former.obstacles(nothingCleaned)
	}
	return nil
}

// errors returns the diagnostics of the leaves that could not be connected to. Each refers to the attribute with the
// name of the leaf.
func (p pair) errors() diag.Diagnostics {
	var diags diag.Diagnostics
	for _, end := range p.failed() {
		diags.Append(end.diagnostic())
	}
	return diags
}

// troubles returns the same diagnostics for a refresh. A lost leaf is only a warning then, with its consequence.
func (p pair) troubles(consequence string) diag.Diagnostics {
	var diags diag.Diagnostics
	for _, end := range p.failed() {
		diags.Append(end.trouble(consequence))
	}
	return diags
}

// obstacles returns the same diagnostics for a destroy. For a lost leaf they have the advice.
func (p pair) obstacles(advice string) diag.Diagnostics {
	var diags diag.Diagnostics
	for _, end := range p.failed() {
		diags.Append(end.obstacle(advice))
	}
	return diags
}

func (p pair) failed() []failedEnd {
	both := []failedEnd{{"client", p.clientErr}, {"server", p.serverErr}}
	return slices.DeleteFunc(both, func(end failedEnd) bool { return end.err == nil })
}

// differ returns an error if both names refer to the same cluster, or to two clusters with one ID.
func (p pair) differ() diag.Diagnostics {
	if p.client == nil || p.server == nil || p.client.ID != p.server.ID {
		return nil
	}
	same := invalid("The same leaf twice",
		fmt.Sprintf("A shortcut connects two different leaves, but %q and %q both refer to cluster %q.",
			p.client.Name, p.server.Name, p.client.ID))
	if p.client.UID != p.server.UID {
		same = report("cluster-id-shared", "Two clusters with the same ID",
			fmt.Sprintf("%q and %q are different clusters, and Liqo gives both the ID %q. Liqo tells clusters by their IDs. "+
				"Install Liqo on one of them again, with another ID.", p.client.Name, p.server.Name, p.client.ID))
	}
	return diag.Diagnostics{same.errorAt(path.Root("server"))}
}

// mustBe returns an error for each name that refers to another cluster than the one of a plan.
func (p pair) mustBe(ctx context.Context, plan *shortcutModel) diag.Diagnostics {
	var diags diag.Diagnostics
	check := func(planned recordedLeaf, leaf *cluster.Leaf) {
		if err := planned.check(ctx, leaf); err != nil {
			diags.Append(failedEnd{planned.attribute, err}.diagnostic("Nothing was changed."))
		}
	}
	check(plan.clientEnd().leaf(), p.client)
	check(plan.serverEnd().leaf(), p.server)
	return diags
}

// knowsNewNames reports whether each name that a plan changes is known to refer to the recorded cluster. The pair is
// connected by the names in the plan, and has been compared with the state.
func (p pair) knowsNewNames(plan, state *shortcutModel) bool {
	return (p.client != nil || plan.Client.Equal(state.Client)) && (p.server != nil || plan.Server.Equal(state.Server))
}
