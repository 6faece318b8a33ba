package provider

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"golang.org/x/sync/errgroup"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// pair holds the connections to the two leaves of a shortcut. If a connection failed, the leaf is nil and its error is
// set.
type pair struct {
	client, server       *cluster.Leaf
	clientErr, serverErr error
}

// connectBoth connects to both leaves in parallel.
func connectBoth(client, server func() (*cluster.Leaf, error)) pair {
	var (
		p     pair
		group errgroup.Group
	)
	group.Go(func() error { p.client, p.clientErr = client(); return nil })
	group.Go(func() error { p.server, p.serverErr = server(); return nil })
	_ = group.Wait() // the errors are in the pair
	return p
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
	var ends []failedEnd
	if p.clientErr != nil {
		ends = append(ends, failedEnd{"client", p.clientErr})
	}
	// The same name for both leaves gives one error, not two.
	if p.serverErr != nil && (p.clientErr == nil || !errors.Is(p.serverErr, p.clientErr)) {
		ends = append(ends, failedEnd{"server", p.serverErr})
	}
	return ends
}

// lose forgets a leaf of the pair, because of an error.
func (p *pair) lose(end failedEnd) {
	if end.attribute == "client" {
		p.client, p.clientErr = nil, end.err
	} else {
		p.server, p.serverErr = nil, end.err
	}
}

// differ returns an error if both names refer to the same cluster, or to two clusters with one ID.
func (p pair) differ() diag.Diagnostics {
	if p.client == nil || p.server == nil || p.client.ID != p.server.ID {
		return nil
	}
	same := report("leaf-same-twice", "The same leaf twice",
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
	for attribute, leaf := range map[string]*cluster.Leaf{"client": p.client, "server": p.server} {
		if err := plan.recorded(attribute).check(ctx, leaf); err != nil {
			diags.Append(failedEnd{attribute, err}.diagnostic("Nothing was changed."))
		}
	}
	return diags
}

// knowsNewNames reports whether each name that a plan changes is known to refer to the recorded cluster. The pair is
// connected by the names in the plan, and has been compared with the state.
func (p pair) knowsNewNames(plan, state *shortcutModel) bool {
	return (p.client != nil || plan.Client.Equal(state.Client)) && (p.server != nil || plan.Server.Equal(state.Server))
}
