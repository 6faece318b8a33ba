package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// identityModel is what a shortcut is known by, whatever its leaves are called.
type identityModel struct {
	ClientClusterID types.String `tfsdk:"client_cluster_id"`
	ServerClusterID types.String `tfsdk:"server_cluster_id"`
}

// IdentitySchema implements [resource.ResourceWithIdentity].
func (r *shortcutResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"client_cluster_id": identityschema.StringAttribute{RequiredForImport: true, Description: "Liqo's cluster ID of the client."},
		"server_cluster_id": identityschema.StringAttribute{RequiredForImport: true, Description: "Liqo's cluster ID of the server."},
	}}
}

// ImportState implements [resource.ResourceWithImportState]. Nothing is imported unless both leaves answer and the network goes the way that was asked for: the
// next apply would turn it round.
func (r *shortcutResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	ctx, cancel := context.WithTimeout(withLogging(ctx), defaultReadTimeout)
	defer cancel()
	pair, diags := r.leaves.imported(ctx, req)
	if diags.Append(pair.errors()...); !diags.HasError() {
		diags.Append(pair.differ()...)
	}
	if !diags.HasError() {
		diags.Append(pair.goesThatWay(ctx)...)
	}
	if resp.Diagnostics.Append(diags...); diags.HasError() {
		return
	}
	identity := identityModel{ClientClusterID: types.StringValue(string(pair.client.ID)), ServerClusterID: types.StringValue(string(pair.server.ID))}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity)...)
	// What no leaf tells is as it is by default, so that a configuration that says nothing of it makes an empty plan.
	for attribute, value := range map[string]any{
		"client": pair.client.Name, "server": pair.server.Name,
		"client_cluster_id": identity.ClientClusterID, "server_cluster_id": identity.ServerClusterID,
		"wait_for_connection": true, "share_keys": true, "cidr_remapping": remappingAllowed,
		"adopt_existing": false, "on_destroy": destroyResets, "force_destroy": false, "destroy_peering_network": false,
	} {
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(attribute), value)...)
	}
	resp.Diagnostics.Append(ownership{Unadopted: true, Imported: true}.save(ctx, resp.Private)...)
}

// goesThatWay is an error if the client of the pair is the one that is dialled. A network without gateways goes either way.
func (p pair) goesThatWay(ctx context.Context) diag.Diagnostics {
	var diags diag.Diagnostics
	found, err := shortcut.New(p.client, p.server).Inspect(ctx)
	switch {
	case err != nil:
		diags.AddError(summary("The network can't be read", err), detail(err))
	case found.Reversed:
		diags.AddError("The network goes the other way", fmt.Sprintf("%[1]q is the client and %[2]q the server, so that the ID to import is `%[1]s/%[2]s` "+
			"(by cluster IDs, `%[3]s/%[4]s`). Nothing was imported: an apply would turn the network round.",
			p.server.Name, p.client.Name, p.server.ID, p.client.ID))
	}
	return diags
}
