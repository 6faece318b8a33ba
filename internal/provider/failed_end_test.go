package provider

import (
	"errors"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/access"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

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
			plan := recorded(t, shortcut.Connected)
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
	before := recorded(t, shortcut.Connected)
	state := noState(t)
	sound(t, state.Set(t.Context(), &before))
	kept, plan := state.Raw.Copy(), before
	plan.MTU, plan.Status = types.Int32Value(1300), types.StringUnknown()
	recordUnread(t.Context(), &plan, &state, errors.New("it timed out"), errors.New("away"))
	if !state.Raw.Equal(kept) {
		t.Errorf("the state is %v", state.Raw)
	}
}

func TestALostLeafIsAnErrorOfAPlanUnlessTheStateHasItUnderThisName(t *testing.T) {
	leaves := withClusters(t, map[string]access.Credentials{"rome": nowhere}, unknownNames{})
	for name, test := range map[string]struct {
		state    *shortcutModel
		severity diag.Severity
	}{
		"a new shortcut":         {&shortcutModel{}, diag.SeverityError},
		"a recorded shortcut":    {joining("turin"), diag.SeverityWarning},
		"a leaf with a new name": {joining("torino"), diag.SeverityError},
	} {
		t.Run(name, func(t *testing.T) {
			lost := &cluster.UnknownNameError{Name: "turin"}
			trouble := leaves.planTrouble(t.Context(), "turin", test.state.serverEnd().leaf(), lost)
			if trouble.Summary() != "Unknown leaf turin" || trouble.Severity() != test.severity {
				t.Errorf("got %v", trouble)
			}
		})
	}
}

func TestALostLeafIsAWarningOfARefreshAndADestroySaysHowToGiveItUp(t *testing.T) {
	for name, test := range map[string]struct {
		err  error
		lost bool
	}{
		"lost":    {unanswered(), true},
		"refused": {refused("milan"), false},
	} {
		t.Run(name, func(t *testing.T) {
			failed := pair{serverErr: test.err}
			troubles, obstacles := failed.troubles("The plan continues."), failed.obstacles(giveUpAdvice)
			if len(troubles) != 1 || troubles.HasError() == test.lost ||
				strings.HasSuffix(beforeHelp(t, troubles[0]), "\n\nThe plan continues.") != test.lost {
				t.Errorf("a refresh says: %v", troubles)
			}
			if len(obstacles) != 1 || !obstacles.HasError() ||
				strings.Contains(obstacles[0].Detail(), "`abandon_lost_cluster = true`") != test.lost {
				t.Errorf("a destroy says: %v", obstacles)
			}
		})
	}
}
