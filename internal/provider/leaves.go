package provider

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// leaves gives resources and data sources access to the clusters of the provider block.
type leaves struct {
	registry *cluster.Registry
	unknown  unknownNames
	planned  claims
}

// leavesFrom converts the data that the framework passes to Configure. It is nil before the
// provider is configured.
func leavesFrom(providerData any) (*leaves, diag.Diagnostics) {
	if providerData == nil {
		return nil, nil
	}
	data, ok := providerData.(*leaves)
	if !ok {
		return nil, diag.Diagnostics{diag.NewErrorDiagnostic("Unexpected provider data",
			fmt.Sprintf("Expected *provider.leaves, got %T. This is a bug in the provider; please report it.", providerData))}
	}
	return data, nil
}

// configured is the part of every resource that knows the clusters.
type configured struct{ leaves *leaves }

// Configure implements [resource.ResourceWithConfigure].
func (c *configured) Configure(
	_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse,
) {
	leaves, diags := leavesFrom(req.ProviderData)
	resp.Diagnostics.Append(diags...)
	c.leaves = leaves
}

// connect connects to both leaves in parallel, by their names.
func (l *leaves) connect(ctx context.Context, client, server string) pair {
	return connectBoth(
		func() (*cluster.Leaf, error) { return l.registry.Leaf(ctx, client) },
		func() (*cluster.Leaf, error) { return l.registry.Leaf(ctx, server) },
	)
}

// connectByID connects to both leaves in parallel, by their cluster IDs.
func (l *leaves) connectByID(ctx context.Context, clientID, serverID string) pair {
	return connectBoth(
		func() (*cluster.Leaf, error) { return l.registry.LeafByID(ctx, clientID) },
		func() (*cluster.Leaf, error) { return l.registry.LeafByID(ctx, serverID) },
	)
}

// find connects to both leaves of an existing shortcut in parallel. It finds the recorded clusters
// even if they have other names now. If the provider no longer knows a recorded cluster, the pair
// has the result of the name: an error, or another cluster.
func (l *leaves) find(ctx context.Context, model *shortcutModel) pair {
	return connectBoth(
		func() (*cluster.Leaf, error) { return l.findRecorded(ctx, model.recorded("client")) },
		func() (*cluster.Leaf, error) { return l.findRecorded(ctx, model.recorded("server")) },
	)
}

func (l *leaves) findRecorded(ctx context.Context, end recordedEnd) (*cluster.Leaf, error) {
	leaf, err := l.registry.Leaf(ctx, end.name)
	if err == nil && !isAnother(leaf, end.id) || err != nil && !isUnknownName(err) || end.id == "" {
		return leaf, err
	}
	found, notFound := l.registry.LeafByID(ctx, end.id)
	switch {
	case notFound == nil:
		return found, nil
	case err != nil:
		return nil, fmt.Errorf("%w. %s", err, detail(notFound))
	default:
		return leaf, nil
	}
}

// planTroubles returns the diagnostics of the leaves that a plan could not connect to. A leaf of an
// existing shortcut that is lost is only a warning, and so is a leaf that does not answer. A name
// that refers to no leaf is an error if its cluster has another name now. Otherwise the plan would
// lose the cluster.
func (l *leaves) planTroubles(ctx context.Context, p pair, plan, state *shortcutModel) diag.Diagnostics {
	const consequence = "The plan continues without this leaf. An apply needs it for any change on a leaf."
	var diags diag.Diagnostics
	for _, end := range p.failed() {
		recorded, name := state.recorded(end.attribute), plan.recorded(end.attribute).name
		if renamed := l.renamed(ctx, end.err, recorded.id); renamed != nil {
			diags.AddAttributeError(end.path(), summary("", end.err), fmt.Sprintf("There is no leaf with the name %q. "+
				"Cluster %q, the %s of this shortcut, has the name %q now. Set `%s = %q`. This changes nothing on the leaves.",
				name, recorded.id, end.attribute, renamed.Name, end.attribute, renamed.Name))
			continue
		}
		if cluster.Unreachable(end.err) || cluster.Lost(end.err) && name == recorded.name {
			diags.Append(end.warning(consequence))
		} else {
			diags.Append(end.diagnostic())
		}
	}
	return diags
}

// renamed returns the leaf with this cluster ID if err says that its name is unknown. It returns
// nil for other errors, and if there is no such leaf.
func (l *leaves) renamed(ctx context.Context, err error, id string) *cluster.Leaf {
	if id == "" || !isUnknownName(err) {
		return nil
	}
	leaf, _ := l.registry.LeafByID(ctx, id) // no such leaf is not an error here
	return leaf
}

func isUnknownName(err error) bool {
	_, unknown := errors.AsType[*cluster.UnknownNameError](err)
	return unknown
}

// unknownAny reports whether one of the leaves cannot be connected to yet, because its name or its
// credentials are known only after an apply.
func (l *leaves) unknownAny(names ...types.String) bool {
	for _, name := range names {
		if name.IsUnknown() || l.unknown.has(name.ValueString()) {
			return true
		}
	}
	return false
}
