package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
)

// clientNamespace finds a namespace that the client can't keep the objects in.
func (f feasibility) clientNamespace(ctx context.Context) diag.Diagnostics {
	if !f.moves(f.plan.ClientNamespace, f.before.ClientNamespace, f.config.ClientNamespace) {
		return nil
	}
	return foundUnlessMade(path.Root("client_namespace"), f.shortcut.Client.CheckNamespace(ctx, f.config.ClientNamespace.ValueString()))
}

// serverNamespace finds a namespace that the server can't keep the objects in.
func (f feasibility) serverNamespace(ctx context.Context) diag.Diagnostics {
	if !f.moves(f.plan.ServerNamespace, f.before.ServerNamespace, f.config.ServerNamespace) {
		return nil
	}
	return foundUnlessMade(path.Root("server_namespace"), f.shortcut.Server.CheckNamespace(ctx, f.config.ServerNamespace.ValueString()))
}

// moves reports whether objects come to a namespace, and the configuration says to which, or to the tenant namespace.
func (f feasibility) moves(planned, before, configured types.String) bool {
	return !configured.IsUnknown() && (f.state == nil || !planned.Equal(before))
}

// addressRanges finds ranges that Liqo can't join, and those that it will remap.
func (f feasibility) addressRanges(ctx context.Context) diag.Diagnostics {
	if !fullyKnown(ctx, f.config.ClientNetwork, f.config.ServerNetwork, f.plan.CIDRRemapping) {
		return nil
	}
	same := remappingKnown(f.before.ClientNetwork, f.plan.ClientNetwork) && remappingKnown(f.before.ServerNetwork, f.plan.ServerNetwork)
	if f.state != nil && same && f.plan.CIDRRemapping.Equal(f.before.CIDRRemapping) {
		return nil
	}
	client, diags := announcementSpec(ctx, f.config.ClientNetwork)
	server, serverDiags := announcementSpec(ctx, f.config.ServerNetwork)
	diags.Append(serverDiags...)
	if diags.HasError() {
		return diags
	}
	_, clientErr := f.shortcut.Client.Announce(ctx, client)
	_, serverErr := f.shortcut.Server.Announce(ctx, server)
	diags.Append(found(path.Root("client_network"), clientErr)...)
	diags.Append(found(path.Root("server_network"), serverErr)...)
	if len(diags) > 0 {
		return diags
	}
	return f.remapping(ctx, client, server)
}

// remapping tells of each pod CIDR that Liqo will remap; where that is forbidden, it is an error.
func (f feasibility) remapping(ctx context.Context, client, server end.Announcement) diag.Diagnostics {
	var diags diag.Diagnostics
	overlaps, err := f.shortcut.Overlaps(ctx, client, server)
	if err != nil {
		diags.AddWarning(summary("A remapping can't be foreseen", err), detail(err))
		return diags
	}
	for _, overlap := range overlaps {
		if f.plan.CIDRRemapping.ValueString() == remappingForbidden {
			diags.AddAttributeError(path.Root("cidr_remapping"), "Remapping is forbidden, and needed", overlap.String())
		} else {
			diags.AddWarning("A pod CIDR will be remapped", overlap.String()+" The remapped attributes tell where the pods are reached.")
		}
	}
	return diags
}
