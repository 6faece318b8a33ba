package provider

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"golang.org/x/sync/errgroup"

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

// pair is the two leaves of a shortcut, connected. A leaf that could not be connected to is nil, and its error is set.
type pair struct {
	client, server       *cluster.Leaf
	clientErr, serverErr error
}

// connect connects to both leaves at once.
func (l *leaves) connect(ctx context.Context, client, server string) pair {
	var (
		p     pair
		group errgroup.Group
	)
	group.Go(func() error { p.client, p.clientErr = l.registry.Leaf(ctx, client); return nil })
	group.Go(func() error { p.server, p.serverErr = l.registry.Leaf(ctx, server); return nil })
	_ = group.Wait() // the errors are in the pair
	return p
}

// errors are the diagnostics of the leaves that could not be connected to, each at the attribute that names the leaf.
func (p pair) errors() diag.Diagnostics {
	var diags diag.Diagnostics
	for _, end := range p.failed() {
		diags.Append(end.diagnostic())
	}
	return diags
}

// troubles are the same, except that an error that can be borne is only a warning.
func (p pair) troubles(consequence string, bearable func(error) bool) diag.Diagnostics {
	var diags diag.Diagnostics
	for _, end := range p.failed() {
		diagnostic := end.diagnostic()
		if bearable(end.err) {
			diags.AddAttributeWarning(end.attribute, diagnostic.Summary(), diagnostic.Detail()+"\n\n"+consequence)
		} else {
			diags.Append(diagnostic)
		}
	}
	return diags
}

type failedEnd struct {
	attribute path.Path
	err       error
}

func (e failedEnd) diagnostic() diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(e.attribute, summary("Can't connect to the leaf", e.err), detail(e.err))
}

func (p pair) failed() []failedEnd {
	var ends []failedEnd
	if p.clientErr != nil {
		ends = append(ends, failedEnd{path.Root("client"), p.clientErr})
	}
	// One name for both leaves gives one error, not two.
	if p.serverErr != nil && (p.clientErr == nil || !errors.Is(p.serverErr, p.clientErr)) {
		ends = append(ends, failedEnd{path.Root("server"), p.serverErr})
	}
	return ends
}

// fullyKnown tells whether no value, nor any value within it, is unknown.
func fullyKnown(ctx context.Context, values ...attr.Value) bool {
	for _, value := range values {
		terraform, err := value.ToTerraformValue(ctx)
		if err != nil || !terraform.IsFullyKnown() {
			return false
		}
	}
	return true
}

// unknownAny tells whether one of the leaves can't be connected to yet, because its name or its credentials are only known after an apply.
func (l *leaves) unknownAny(names ...types.String) bool {
	for _, name := range names {
		if name.IsUnknown() || l.unknown.has(name.ValueString()) {
			return true
		}
	}
	return false
}
