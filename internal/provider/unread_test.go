package provider

import (
	"errors"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// stored returns a shortcut in the form that a state accepts.
func stored(t *testing.T) shortcutModel {
	t.Helper()
	model := recorded(t, shortcut.Connected)
	model.Timeouts = timeouts.Value{Object: types.ObjectNull(map[string]attr.Type{
		"create": types.StringType, "read": types.StringType, "update": types.StringType, "delete": types.StringType,
	})}
	return model
}

func TestAStateRecordsWhatACreateHasMadeAlsoIfNobodyCanReadIt(t *testing.T) {
	away, failed := errors.New("the leaf is away"), errors.New("it timed out")
	for name, test := range map[string]struct {
		failure  error
		recorded bool
		isError  bool
	}{
		"after a failure": {failed, true, true}, "after a success": {nil, true, false},
		"after a refusal, which has made nothing": {&trouble.Problem{Refused: true}, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			plan := stored(t)
			plan.OwnerID, plan.Status = types.StringValue("mine"), types.StringUnknown()
			plan.ServerEndpoint = types.ObjectUnknown(endpointTypes)
			state := noState(t)
			diags := recordUnread(t.Context(), &plan, &state, test.failure, away)
			if len(diags) != 1 || diags.HasError() != test.isError || state.Raw.IsNull() == test.recorded {
				t.Errorf("%v, and the state is %v", diags, state.Raw)
			}
			if !test.recorded {
				return
			}
			var found shortcutModel
			sound(t, state.Get(t.Context(), &found))
			if !state.Raw.IsFullyKnown() || found.OwnerID.ValueString() != "mine" || !found.Status.IsNull() ||
				found.Client != plan.Client {
				t.Errorf("the state has owner %s, status %s, client %s", found.OwnerID, found.Status, found.Client)
			}
		})
	}
}

func TestAnUpdateThatFailedKeepsTheStateIfNobodyCanReadTheLeaves(t *testing.T) {
	before := stored(t)
	state := noState(t)
	sound(t, state.Set(t.Context(), &before))
	kept, plan := state.Raw.Copy(), before
	plan.MTU, plan.Status = types.Int32Value(1300), types.StringUnknown()
	recordUnread(t.Context(), &plan, &state, errors.New("it timed out"), errors.New("away"))
	if !state.Raw.Equal(kept) {
		t.Errorf("the state is %v", state.Raw)
	}
}
