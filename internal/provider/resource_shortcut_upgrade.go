package provider

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// shortcutVersion is that of the state's shape.
const shortcutVersion = 1

var _ resource.ResourceWithUpgradeState = (*shortcutResource)(nil)

// UpgradeState implements [resource.ResourceWithUpgradeState].
func (r *shortcutResource) UpgradeState(context.Context) map[int64]resource.StateUpgrader {
	return map[int64]resource.StateUpgrader{0: {StateUpgrader: splitForceDestroy}}
}

// splitForceDestroy brings a state of version 0 up to date, in which force_destroy allowed two things: to give up a leaf that is lost, and to take the network from a
// peering. Which of them was meant is for the user to say anew, so neither is allowed before that is applied.
func splitForceDestroy(_ context.Context, req resource.UpgradeStateRequest, resp *resource.UpgradeStateResponse) {
	var state map[string]json.RawMessage
	if err := json.Unmarshal(req.RawState.JSON, &state); err != nil {
		resp.Diagnostics.AddError("The state can't be read", "It is not as an early version of this provider has written it: "+err.Error()+".")
		return
	}
	state["force_destroy"], state["destroy_peering_network"] = json.RawMessage("false"), json.RawMessage("false")
	state["owner_id"] = json.RawMessage("null") // the first refresh finds none, and the next apply gives it one
	upgraded, err := json.Marshal(state)
	if err != nil {
		resp.Diagnostics.AddError("The state can't be written", err.Error()+".")
		return
	}
	resp.DynamicValue = &tfprotov6.DynamicValue{JSON: upgraded}
}
