package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// remove disconnects the leaves.
func (r *shortcutResource) remove(ctx context.Context, model *shortcutModel, own ownership) (diags diag.Diagnostics) {
	self, pair := own.owner(r.leaves.origin()), r.leaves.find(ctx, model)
	removal := model.removal()
	removal.Kept = func(kept shortcut.Kept) {
		diags.Append(report("objects-kept", fmt.Sprintf("Some objects were kept on leaf %q", kept.Leaf), kept.Why).
			asWarning())
	}
	var err error
	switch failed := pair.failed(); {
	case len(failed) == 0:
		err = shortcut.New(pair.client, pair.server).OwnedBy(self).Disconnect(ctx, removal)
	case pair.client == nil && pair.server == nil:
		return pair.obstacles(nothingCleaned)
	case !model.AbandonLostCluster.ValueBool() || !failed[0].isLost():
		return pair.obstacles(giveUpAdvice)
	default:
		var lost recordedLeaf
		if lost, err = pair.disconnectRemaining(ctx, model, self, removal); err == nil {
			diags.Append(onlyOneCleaned(lost))
		}
	}
	if err != nil {
		diags.Append(failureOf("object-not-removed", "The shortcut could not be removed", err).asError())
	}
	return diags
}

// onlyOneCleaned returns the warning that what the lost leaf has stays there.
func onlyOneCleaned(lost recordedLeaf) diag.Diagnostic {
	return report("one-leaf-cleaned", "Only one leaf was cleaned",
		fmt.Sprintf("Cluster %q (%s) is gone. If it still has objects of the shortcut, they stay there.",
			lost.id, lost.name)).asWarning()
}

// disconnectRemaining cleans one leaf if the other one is lost. It returns the lost one.
func (p pair) disconnectRemaining(
	ctx context.Context, model *shortcutModel, self owner.Owner, removal shortcut.Removal,
) (recordedLeaf, error) {
	if p.client == nil {
		lost := model.clientEnd().leaf()
		remaining := shortcut.New(cluster.Absent(lost.name, lost.id), p.server).OwnedBy(self)
		return lost, remaining.DisconnectEnd(ctx, remaining.Server, removal)
	}
	lost := model.serverEnd().leaf()
	remaining := shortcut.New(p.client, cluster.Absent(lost.name, lost.id)).OwnedBy(self)
	return lost, remaining.DisconnectEnd(ctx, remaining.Client, removal)
}
