package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// [TestEverySettingGoesToTheLeavesAndBackAndAChangedShortcutIsLikeANewOne] and the test after it ask this of each
// setting alone.
func TestOnlySettingsThatNoLeafShowsChangeWithoutTheLeaves(t *testing.T) {
	emptyGateway := objectWith(t.Context(), clientGatewayTypes, nil)
	other, unknownGateway := types.StringValue("milan-2"), types.ObjectUnknown(clientGatewayTypes)
	allowed, forbidden := types.StringValue(remappingAllowed), types.StringValue(remappingForbidden)
	for name, test := range map[string]struct {
		change   func(plan, state *shortcutModel)
		expected bool
	}{
		"waiting":             {func(_, state *shortcutModel) { state.WaitForConnection = types.BoolValue(false) }, true},
		"waiting unknown":     {func(plan, _ *shortcutModel) { plan.WaitForConnection = types.BoolUnknown() }, true},
		"remapping forbidden": {func(plan, _ *shortcutModel) { plan.CIDRRemapping = forbidden }, false},
		"remapping allowed": {
			func(plan, state *shortcutModel) { state.CIDRRemapping, plan.CIDRRemapping = forbidden, allowed }, true,
		},
		"another cluster":                 {func(plan, _ *shortcutModel) { plan.ServerClusterID = other }, false},
		"an empty gateway where none was": {func(plan, _ *shortcutModel) { plan.ClientGateway = emptyGateway }, true},
		"a gateway that is not known yet": {func(plan, _ *shortcutModel) { plan.ClientGateway = unknownGateway }, false},
		"a gateway, too": {func(plan, _ *shortcutModel) {
			plan.AbandonLostCluster, plan.MTU = types.BoolValue(true), types.Int32Value(1300)
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			state := recorded(t, shortcut.Connecting)
			plan := state
			test.change(&plan, &state)
			// as the framework proposes them
			plan.Status, plan.ServerEndpoint = types.StringUnknown(), types.ObjectUnknown(endpointTypes)
			if got := plan.changesSettingsOnly(t.Context(), &state); got != test.expected {
				t.Errorf("got %t", got)
			}
		})
	}
}

func TestAnImportedShortcutKeepsALostLeafOnlyToGiveItUp(t *testing.T) {
	rome, milan := clustertest.Leaf(t, "rome"), clustertest.Leaf(t, "milan")
	reachable, lost := pair{client: rome, server: milan}, pair{client: rome, serverErr: &cluster.UnknownNameError{}}
	force := func(m *shortcutModel) { m.AbandonLostCluster = types.BoolValue(true) }
	another := func(m *shortcutModel) { m.OnDestroy = types.StringNull() }
	for name, test := range map[string]struct {
		pair             pair
		change           func(*shortcutModel)
		marked, expected bool
	}{
		"abandon_lost_cluster":                     {lost, force, false, true},
		"abandon_lost_cluster of a marked one":     {lost, force, true, true},
		"abandon_lost_cluster without a lost leaf": {reachable, force, false, false},
		"another setting":                          {lost, another, false, false},
		"abandon_lost_cluster and a change on a leaf": {lost, func(m *shortcutModel) {
			m.AbandonLostCluster, m.MTU = types.BoolValue(true), types.Int32Value(1300)
		}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			state := recorded(t, shortcut.Connected)
			p := planningOf(state, shortcutModel{}, &state, test.pair)
			p.own = ownership{Token: "mine", Claims: !test.marked}
			test.change(p.plan)
			if got := p.planSettings(t.Context()); got != test.expected {
				t.Errorf("got %t", got)
			}
		})
	}
}

func TestOnlyAShortcutThatAnApplyCanRepairNeedsRepair(t *testing.T) {
	leaves := pair{client: clustertest.Leaf(t, "rome"), server: clustertest.Leaf(t, "milan")}
	for status, expected := range map[shortcut.Status]bool{
		shortcut.Connected: false, shortcut.Connecting: false, shortcut.Error: false, shortcut.Disconnected: true,
	} {
		for _, pair := range []pair{leaves, {}} {
			state := recorded(t, status)
			p := planningOf(state, shortcutModel{}, &state, pair)
			if diags := p.planRepair(t.Context()); p.broken != expected || len(diags) > 0 {
				t.Errorf("%s, leaves known: %t: got %t (%v)", status, pair.client != nil, p.broken, diags)
			}
		}
	}
}

func TestAnApplyLearnsFromThePrivateStateWhetherThePlanKeepsTheLeaves(t *testing.T) {
	private := kept{}
	expect := func(keeps bool) {
		t.Helper()
		if change, diags := plannedChangeOf(t.Context(), private); change.KeepsLeaves != keeps || diags.HasError() {
			t.Errorf("it keeps the leaves: %t, expected %t (%v)", change.KeepsLeaves, keeps, diags)
		}
	}
	expect(false)                               // a plan that says nothing of them
	for _, keeps := range []bool{true, false} { // a later plan replaces what an earlier one has written
		sound(t, (plannedChange{KeepsLeaves: keeps}).save(t.Context(), private))
		expect(keeps)
	}
	if _, diags := plannedChangeOf(t.Context(), kept{changeKey: "{"}); !diags.HasError() {
		t.Error("what can't be read is no error")
	}
}
