package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
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
	var err error
	switch lost := pair.failed(); {
	case len(lost) == 0:
		err = shortcut.New(pair.client, pair.server).OwnedBy(own.owner(r.leaves.origin())).Disconnect(ctx, removal)
	case pair.client == nil && pair.server == nil:
		resp.Diagnostics.Append(pair.obstacles(nothingCleaned)...)
		return
	case !model.ForceDestroy.ValueBool() || !lost[0].isLost():
		resp.Diagnostics.Append(pair.obstacles(giveUpAdvice)...)
		return
	default:
		err = r.disconnectRemaining(ctx, pair, &model, own.owner(r.leaves.origin()), removal, resp)
	}
	if err != nil {
		resp.Diagnostics.AddError(summary("The shortcut could not be removed", err), detail(err))
	}
}

// disconnectRemaining cleans one leaf if the other one is lost. What the lost one has stays there.
func (r *shortcutResource) disconnectRemaining(
	ctx context.Context, pair pair, model *shortcutModel, self owner.Owner, removal shortcut.Removal,
	resp *resource.DeleteResponse,
) error {
	absent := model.recorded(pair.failed()[0].attribute)
	resp.Diagnostics.AddWarning("Only one leaf was cleaned", fmt.Sprintf("Cluster %q (%s) is gone. If it still has "+
		"objects of the shortcut, they stay there.", absent.id, absent.name))
	lost := cluster.Absent(absent.name, absent.id)
	if pair.client == nil {
		remaining := shortcut.New(lost, pair.server).OwnedBy(self)
		return remaining.DisconnectEnd(ctx, remaining.Server, removal)
	}
	remaining := shortcut.New(pair.client, lost).OwnedBy(self)
	return remaining.DisconnectEnd(ctx, remaining.Client, removal)
}
