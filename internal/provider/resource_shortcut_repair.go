package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// planRepair plans an update of a shortcut that a write can mend, and reports whether there is anything to mend. Where all of it is in place and only the tunnel is down,
// there is nothing to plan: Terraform can't mend a cable. Nor is there where a leaf is lost and given up: that must be applied without it.
func planRepair(ctx context.Context, pair pair, owner end.Owner, plan, state *shortcutModel) (bool, diag.Diagnostics) {
	if plan.ForceDestroy.ValueBool() && len(pair.failed()) > 0 {
		return false, nil
	}
	broken, diags := needsRepair(ctx, pair, owner, shortcut.Status(state.Status.ValueString()))
	if broken {
		plan.ServerEndpoint, plan.Status = types.ObjectUnknown(endpointTypes), types.StringUnknown()
		plan.ClientNamespace, plan.ServerNamespace = unknownIfNull(plan.ClientNamespace), unknownIfNull(plan.ServerNamespace)
	}
	return broken, diags
}

// needsRepair reports whether an apply has something to do for a shortcut of this status. Only while the tunnel is down the leaves are asked.
func needsRepair(ctx context.Context, pair pair, owner end.Owner, status shortcut.Status) (bool, diag.Diagnostics) {
	if status == shortcut.Disconnected {
		return true, nil
	}
	if status == shortcut.Connected || pair.client == nil || pair.server == nil {
		return false, nil
	}
	lost, err := shortcut.New(pair.client, pair.server).OwnedBy(owner).Lost(ctx)
	if err != nil {
		return false, diag.Diagnostics{diag.NewWarningDiagnostic("Whether the shortcut needs repair is not known", detail(err))}
	}
	return lost, nil
}
