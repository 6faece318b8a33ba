package provider

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// leaves gives resources and data sources access to the clusters of the provider block.
type leaves struct {
	registry *cluster.Registry
	unknown  unknownNames

	planned   reservations // by the instances of the configuration
	refreshed reservations // by those of the state

	hideAuthor bool // the leaves do not learn who works on them, and where
}

// leavesFrom converts the data that the framework passes to Configure. It is nil before the provider is configured.
func leavesFrom(providerData any) (*leaves, diag.Diagnostics) {
	if providerData == nil {
		return nil, nil
	}
	data, ok := providerData.(*leaves)
	if !ok {
		return nil, diag.Diagnostics{report("provider-defect", "Unexpected provider data",
			fmt.Sprintf("Expected *provider.leaves, got %T. This is a bug in the provider; please report it.", providerData)).
			asError()}
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

// known returns the clusters. It is nil before the provider is configured.
func (c *configured) known() *leaves { return c.leaves }

func isUnknownName(err error) bool {
	_, unknown := errors.AsType[*cluster.UnknownNameError](err)
	return unknown
}

// notYet warns that the plan of an existing resource does not look at some of its leaves, because their credentials are
// known only during the apply. The same apply may replace their clusters.
func (l *leaves) notYet(names []types.String) diag.Diagnostics {
	var late []string
	for _, name := range names {
		if !name.IsUnknown() && l.unknown.has(name.ValueString()) {
			late = append(late, fmt.Sprintf("%q", name.ValueString()))
		}
	}
	if len(late) == 0 {
		return nil
	}
	return diag.Diagnostics{report("leaf-not-looked-at", "The plan has not looked at a leaf",
		fmt.Sprintf("The credentials of %s are known only during the apply. If the apply replaces such a cluster, it must "+
			"also replace this resource: name what changes with the cluster in `replace_triggered_by`. Otherwise, the next "+
			"plan fails with \"Another cluster\".", trouble.Enumerate(late))).asWarning()}
}

// unknownAny reports whether one of the leaves cannot be connected to yet, because its name or its credentials are
// known only after an apply.
func (l *leaves) unknownAny(names ...types.String) bool {
	for _, name := range names {
		if name.IsUnknown() || l.unknown.has(name.ValueString()) {
			return true
		}
	}
	return false
}
