package provider

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// leaves is what the provider block gives to resources.
type leaves struct {
	registry *cluster.Registry
	unknown  unknownNames
	planned  claims
}

// leavesFrom takes what the framework hands to a resource's Configure: nil before the provider is configured.
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

// connect connects to both leaves at once, by their names.
func (l *leaves) connect(ctx context.Context, client, server string) pair {
	return connectBoth(
		func() (*cluster.Leaf, error) { return l.registry.Leaf(ctx, client) },
		func() (*cluster.Leaf, error) { return l.registry.Leaf(ctx, server) },
	)
}

// connectByID does the same by their cluster IDs, whatever they are called.
func (l *leaves) connectByID(ctx context.Context, clientID, serverID string) pair {
	return connectBoth(
		func() (*cluster.Leaf, error) { return l.registry.LeafByID(ctx, clientID) },
		func() (*cluster.Leaf, error) { return l.registry.LeafByID(ctx, serverID) },
	)
}

// find connects to both leaves of a shortcut that exists, at once: to the clusters on record, whatever they are called now. Where the provider does not know such a
// cluster any more, the pair has what its name gives: an error, or another cluster.
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

// planTroubles are the diagnostics of the leaves that a plan could not connect to. What is lost of a shortcut on record is only a warning, and so is a leaf that
// does not answer; but a name that stands for nothing, while the cluster is known under another one, is an error: the plan could do nothing but forget the cluster.
func (l *leaves) planTroubles(ctx context.Context, p pair, plan, state *shortcutModel) diag.Diagnostics {
	const consequence = "The plan goes on without knowing this leaf; an apply will need it for any change on a leaf."
	var diags diag.Diagnostics
	for _, end := range p.failed() {
		recorded, name := state.recorded(end.attribute), plan.recorded(end.attribute).name
		if renamed := l.renamed(ctx, end.err, recorded.id); renamed != nil {
			diags.AddAttributeError(end.path(), summary("", end.err), fmt.Sprintf("%q is the name of no leaf. Cluster %q, which is the %s of this shortcut, "+
				"is called %q now. Set `%s = %q`; that changes nothing on the leaves.", name, recorded.id, end.attribute, renamed.Name, end.attribute, renamed.Name))
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

// renamed is the leaf with that cluster ID where an error says that its name stands for nothing, nil where it does not or there is no such leaf.
func (l *leaves) renamed(ctx context.Context, err error, id string) *cluster.Leaf {
	if id == "" || !isUnknownName(err) {
		return nil
	}
	leaf, _ := l.registry.LeafByID(ctx, id) // that there is none is no error here
	return leaf
}

func isUnknownName(err error) bool {
	_, unknown := errors.AsType[*cluster.UnknownNameError](err)
	return unknown
}

// unknownAny reports whether one of the leaves can't be connected to yet, because its name or its credentials are only known after an apply.
func (l *leaves) unknownAny(names ...types.String) bool {
	for _, name := range names {
		if name.IsUnknown() || l.unknown.has(name.ValueString()) {
			return true
		}
	}
	return false
}
