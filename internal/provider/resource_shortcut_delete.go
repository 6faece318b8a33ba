package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// Delete implements [resource.Resource]. It returns when everything is removed.
func (r *shortcutResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var model shortcutModel
	resp.Diagnostics.Append(req.State.Get(ctx, &model)...)
	timeout, diags := model.Timeouts.Delete(ctx, defaultDeleteTimeout)
	resp.Diagnostics.Append(diags...)
	own, diags := ownershipOf(ctx, req.Private, model.OwnerID)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(withLogging(ctx), timeout)
	defer cancel()
	own = own.as(model.OwnerID)
	pair := r.leaves.find(ctx, &model)
	removal := model.removal()
	removal.Kept = func(kept shortcut.Kept) {
		resp.Diagnostics.AddWarning(fmt.Sprintf("Some objects were kept on leaf %q", kept.Leaf), kept.Why)
	}
	if pair.clientGone(&model) || pair.serverGone(&model) {
		r.deleteRemains(ctx, pair, &model, own.owner(), removal, resp)
		return
	}
	if resp.Diagnostics.Append(pair.obstacles()...); resp.Diagnostics.HasError() {
		return
	}
	if err := shortcut.New(pair.client, pair.server).OwnedBy(own.owner()).Disconnect(ctx, removal); err != nil {
		resp.Diagnostics.AddError(summary("The shortcut could not be removed", err), detail(err))
	}
}

// deleteRemains cleans the remaining leaf if the other one is gone: its name refers to another
// cluster now, or it is lost and force_destroy gives it up.
func (r *shortcutResource) deleteRemains(
	ctx context.Context, pair pair, model *shortcutModel, owner end.Owner, removal shortcut.Removal,
	resp *resource.DeleteResponse,
) {
	clientID, serverID := model.ClientClusterID.ValueString(), model.ServerClusterID.ValueString()
	var err error
	switch {
	case pair.clientGone(model) && pair.serverGone(model):
		resp.Diagnostics.AddWarning("Nothing could be removed", fmt.Sprintf("Clusters %q and %q are both gone. The "+
			"shortcut is only removed from the state.", clientID, serverID))
		return
	case pair.serverGone(model):
		resp.Diagnostics.Append(onlyOneCleaned(serverID, model.Server.ValueString()))
		if pair.client == nil {
			resp.Diagnostics.Append(pair.errors()...)
			return
		}
		half := shortcut.New(pair.client, cluster.Absent(model.Server.ValueString(), serverID)).OwnedBy(owner)
		err = half.DisconnectEnd(ctx, half.Client, removal)
	default:
		resp.Diagnostics.Append(onlyOneCleaned(clientID, model.Client.ValueString()))
		if pair.server == nil {
			resp.Diagnostics.Append(pair.errors()...)
			return
		}
		half := shortcut.New(cluster.Absent(model.Client.ValueString(), clientID), pair.server).OwnedBy(owner)
		err = half.DisconnectEnd(ctx, half.Server, removal)
	}
	if err != nil {
		resp.Diagnostics.AddError(summary("The shortcut could not be removed", err), detail(err))
	}
}

// onlyOneCleaned returns a warning about the objects on a leaf that is gone.
func onlyOneCleaned(goneID, goneName string) diag.Diagnostic {
	return diag.NewWarningDiagnostic("Only one leaf was cleaned",
		fmt.Sprintf("Cluster %q (%s) is gone. If it still has objects of the shortcut, they stay there.", goneID, goneName))
}

// clientGone and serverGone report whether a leaf no longer needs cleaning: its name refers to
// another cluster now, or it is lost and force_destroy gives it up.
func (p pair) clientGone(model *shortcutModel) bool {
	return leafGone(p.client, p.clientErr, model.ClientClusterID.ValueString(), model.ForceDestroy.ValueBool())
}

func (p pair) serverGone(model *shortcutModel) bool {
	return leafGone(p.server, p.serverErr, model.ServerClusterID.ValueString(), model.ForceDestroy.ValueBool())
}

func leafGone(leaf *cluster.Leaf, err error, id string, forced bool) bool {
	if leaf == nil {
		return forced && cluster.Lost(err)
	}
	return isAnother(leaf, id)
}
