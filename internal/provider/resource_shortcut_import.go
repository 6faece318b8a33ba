package provider

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"
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

// ImportState implements [resource.ResourceWithImportState].
func (r *shortcutResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	client, server, diags := r.importedNames(ctx, req)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	// What no leaf tells is as it is by default, so that a configuration that says nothing of it makes an empty plan.
	for attribute, value := range map[string]any{
		"client": client, "server": server, "wait_for_connection": true, "share_keys": true, "cidr_remapping": remappingAllowed,
		"adopt_existing": false, "on_destroy": destroyResets, "force_destroy": false, "destroy_peering_network": false,
	} {
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(attribute), value)...)
	}
	resp.Diagnostics.Append(ownership{Unadopted: true}.save(ctx, resp.Private)...)
}

// importedNames are the names of the two leaves: given as client/server, or found by their cluster IDs.
func (r *shortcutResource) importedNames(ctx context.Context, req resource.ImportStateRequest) (client, server string, diags diag.Diagnostics) {
	if req.ID != "" {
		client, server, ok := strings.Cut(req.ID, "/")
		if !ok || client == "" || server == "" || strings.Contains(server, "/") {
			diags.AddError("Not the ID of a shortcut", "The ID to import is `client/server`, with the names of the two leaves. It was \""+req.ID+"\".")
		}
		return client, server, diags
	}
	var identity identityModel
	if diags = req.Identity.Get(ctx, &identity); diags.HasError() {
		return "", "", diags
	}
	client, err := r.leaves.registry.NameOf(ctx, identity.ClientClusterID.ValueString())
	if err != nil {
		diags.AddError("Unknown cluster", detail(err))
		return "", "", diags
	}
	server, err = r.leaves.registry.NameOf(ctx, identity.ServerClusterID.ValueString())
	if err != nil {
		diags.AddError("Unknown cluster", detail(err))
	}
	return client, server, diags
}
