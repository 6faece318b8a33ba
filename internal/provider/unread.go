package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
)

// recordUnread writes a new resource into the state although the leaves can't be read after its create. What the plan
// did not know is null until the next refresh. Without this, nothing would record what the create has made. failure is
// the error of the create, if it failed; err is that of the read. After a failure, the state of an existing resource
// does not change.
func recordUnread(ctx context.Context, plan any, state *tfsdk.State, failure, err error) diag.Diagnostics {
	var diags diag.Diagnostics
	unread := failureOf("leaves-unread", "The leaves can't be read after the apply", err)
	if failure == nil {
		unread.text += "\n\nEverything is in place. The next refresh shows it."
		diags.Append(unread.asWarning())
	} else {
		diags.Append(unread.asError())
	}
	if !state.Raw.IsNull() && failure != nil || explain.WroteNothing(failure) {
		return diags
	}
	diags.Append(state.Set(ctx, plan)...)
	known, err := tftypes.Transform(state.Raw, func(_ *tftypes.AttributePath, value tftypes.Value) (tftypes.Value, error) {
		if !value.IsKnown() {
			return tftypes.NewValue(value.Type(), nil), nil
		}
		return value, nil
	})
	if err != nil {
		diags.Append(report("state-unreadable", "The state can't be written", err.Error()+".").asError())
	}
	state.Raw = known
	return diags
}
