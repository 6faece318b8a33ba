package provider

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// changeKey is the key of the [plannedChange] in the private state of a resource.
const changeKey = "planned_change"

// plannedChange is what a plan tells its apply, in the private state. Every plan writes it again.
type plannedChange struct {
	// KeepsLeaves means that the plan changes nothing on a leaf. Then the apply only records the settings, and connects to
	// no leaf, so that a user can give up a lost one.
	KeepsLeaves bool `json:"keeps_leaves"`
}

// plannedChangeOf reads what the plan has written.
func plannedChangeOf(ctx context.Context, private privateState) (plannedChange, diag.Diagnostics) {
	var change plannedChange
	text, diags := private.GetKey(ctx, changeKey)
	if len(text) == 0 {
		return change, diags
	}
	if err := json.Unmarshal(text, &change); err != nil {
		diags.Append(report("state-unreadable", "The plan can't be read",
			"It does not have the format of this provider: "+err.Error()+".").asError())
	}
	return change, diags
}

// save writes it for the apply.
func (c plannedChange) save(ctx context.Context, private privateState) diag.Diagnostics {
	text, err := json.Marshal(c)
	if err != nil {
		return diag.Diagnostics{report("state-unreadable", "The plan can't be written", err.Error()+".").asError()}
	}
	return private.SetKey(ctx, changeKey, text)
}
