package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// recorded returns the state of a shortcut with this status and default settings.
func recorded(t *testing.T, status shortcut.Status) shortcutModel {
	t.Helper()
	model, found := settled(t), working()
	found.Status = status
	model.ClientGateway = types.ObjectNull(clientGatewayTypes)
	model.WaitForConnection, model.CIDRRemapping = types.BoolValue(true), types.StringValue(remappingAllowed)
	model.OnDestroy = types.StringValue(destroyResets)
	model.AbandonLostCluster, model.DestroyPeering = types.BoolValue(false), types.BoolValue(false)
	model.observed(t.Context(), found)
	return model
}

// planningOf returns the plan of a shortcut. Without a state, the shortcut is new.
func planningOf(plan, config shortcutModel, state *shortcutModel, joined pair) *planning {
	return &planning{
		proposal: &proposal[*shortcutModel]{plan: &plan, config: &config, state: state}, leaves: &leaves{}, pair: joined,
	}
}

func TestOnlySettingsThatNoLeafShowsChangeWithoutTheLeaves(t *testing.T) {
	for name, test := range map[string]struct {
		status   shortcut.Status
		state    func(*shortcutModel)
		plan     func(*shortcutModel)
		expected bool
	}{
		"abandon_lost_cluster": {
			plan: func(m *shortcutModel) { m.AbandonLostCluster = types.BoolValue(true) }, expected: true,
		},
		"destroy_peering_network": {
			plan: func(m *shortcutModel) { m.DestroyPeering = types.BoolValue(true) }, expected: true,
		},
		"on_destroy": {
			plan: func(m *shortcutModel) { m.OnDestroy = types.StringValue(destroyDisconnects) }, expected: true,
		},
		"timeouts": {plan: func(m *shortcutModel) {
			m.Timeouts = timeouts.Value{Object: types.ObjectValueMust(
				map[string]attr.Type{"read": types.StringType}, map[string]attr.Value{"read": types.StringValue("3m")})}
		}, expected: true},
		"no waiting": {plan: func(m *shortcutModel) { m.WaitForConnection = types.BoolValue(false) }, expected: true},
		"waiting switched off while the tunnel comes up": {
			status: shortcut.Connecting, plan: func(m *shortcutModel) { m.WaitForConnection = types.BoolValue(false) },
			expected: true,
		},
		"waiting while the tunnel is up": {
			state:    func(m *shortcutModel) { m.WaitForConnection = types.BoolValue(false) },
			plan:     func(m *shortcutModel) { m.WaitForConnection = types.BoolValue(true) },
			expected: true,
		},
		"waiting while the tunnel comes up": {
			status: shortcut.Connecting,
			state:  func(m *shortcutModel) { m.WaitForConnection = types.BoolValue(false) },
			plan:   func(m *shortcutModel) { m.WaitForConnection = types.BoolValue(true) }, expected: true,
		},
		"waiting unknown": {plan: func(m *shortcutModel) { m.WaitForConnection = types.BoolUnknown() }, expected: true},
		"a tunnel that comes up without waiting": {
			status: shortcut.Connecting,
			state:  func(m *shortcutModel) { m.WaitForConnection = types.BoolValue(false) },
			plan:   func(m *shortcutModel) { m.AbandonLostCluster = types.BoolValue(true) }, expected: true,
		},
		"a setting of a shortcut whose tunnel is down": {
			status: shortcut.Error,
			plan:   func(m *shortcutModel) { m.AbandonLostCluster = types.BoolValue(true) }, expected: true,
		},
		"a setting of a shortcut that needs repair": {
			status: shortcut.Disconnected, plan: func(m *shortcutModel) { m.AbandonLostCluster = types.BoolValue(true) },
		},
		"remapping forbidden": {plan: func(m *shortcutModel) { m.CIDRRemapping = types.StringValue(remappingForbidden) }},
		"remapping allowed": {
			state:    func(m *shortcutModel) { m.CIDRRemapping = types.StringValue(remappingForbidden) },
			plan:     func(m *shortcutModel) { m.CIDRRemapping = types.StringValue(remappingAllowed) },
			expected: true,
		},
		"another name":    {plan: func(m *shortcutModel) { m.Server = types.StringValue("milano") }, expected: true},
		"another cluster": {plan: func(m *shortcutModel) { m.ServerClusterID = types.StringValue("milan-2") }},
		"an empty gateway where none was": {
			plan: func(m *shortcutModel) { m.ClientGateway = objectWith(t.Context(), clientGatewayTypes, nil) }, expected: true,
		},
		"a gateway that is not known yet": {
			plan: func(m *shortcutModel) { m.ClientGateway = types.ObjectUnknown(clientGatewayTypes) },
		},
		"a gateway, too": {
			plan: func(m *shortcutModel) { m.AbandonLostCluster, m.MTU = types.BoolValue(true), types.Int32Value(1300) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			status := test.status
			if status == "" {
				status = shortcut.Connected
			}
			state := recorded(t, status)
			if test.state != nil {
				test.state(&state)
			}
			plan := state
			test.plan(&plan)
			// as the framework proposes them
			plan.Status, plan.ServerEndpoint = types.StringUnknown(), types.ObjectUnknown(endpointTypes)
			p := planningOf(plan, shortcutModel{}, &state, pair{})
			p.planRepair(t.Context())
			if got := !p.broken && p.plan.changesSettingsOnly(t.Context(), &state); got != test.expected {
				t.Errorf("got %t", got)
			}
		})
	}
}

func TestAnImportedShortcutKeepsALostLeafOnlyToGiveItUp(t *testing.T) {
	rome, milan := clustertest.Leaf(t, "rome"), clustertest.Leaf(t, "milan")
	reachable, lost := pair{client: rome, server: milan}, pair{client: rome, serverErr: &cluster.UnknownNameError{}}
	force := func(m *shortcutModel) { m.AbandonLostCluster = types.BoolValue(true) }
	for name, test := range map[string]struct {
		pair     pair
		plan     func(*shortcutModel)
		marked   bool
		expected bool
	}{
		"abandon_lost_cluster":                     {pair: lost, plan: force, expected: true},
		"abandon_lost_cluster of a marked one":     {pair: lost, plan: force, marked: true, expected: true},
		"abandon_lost_cluster without a lost leaf": {pair: reachable, plan: force},
		"another setting": {
			pair: lost, plan: func(m *shortcutModel) { m.OnDestroy = types.StringNull() },
		},
		"abandon_lost_cluster and a change on a leaf": {
			pair: lost,
			plan: func(m *shortcutModel) { m.AbandonLostCluster, m.MTU = types.BoolValue(true), types.Int32Value(1300) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			state := recorded(t, shortcut.Connected)
			p := planningOf(state, shortcutModel{}, &state, test.pair)
			p.own = ownership{Token: "mine", Claims: !test.marked}
			test.plan(p.plan)
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

func TestARepairPlansUnknownValuesForWhatTheLeavesDoNotShow(t *testing.T) {
	state := recorded(t, shortcut.Disconnected)
	state.ClientNamespace = types.StringNull()
	p := planningOf(state, shortcutModel{}, &state, pair{})
	if diags := p.planRepair(t.Context()); !p.broken || len(diags) > 0 {
		t.Fatalf("no repair is planned (%v)", diags)
	}
	plan := p.plan
	if !plan.ClientNamespace.IsUnknown() || plan.ServerNamespace.ValueString() != "liqo-tenant-rome" ||
		!plan.Status.IsUnknown() || !plan.ServerEndpoint.IsUnknown() {
		t.Errorf(
			"planned namespaces %s and %s, status %s, endpoint %s", plan.ClientNamespace, plan.ServerNamespace, plan.Status,
			plan.ServerEndpoint,
		)
	}
}

func TestAnApplyLearnsFromThePrivateStateWhetherThePlanKeepsTheLeaves(t *testing.T) {
	private := kept{}
	for _, keeps := range []bool{true, false} { // a later plan replaces what an earlier one has written
		sound(t, (plannedChange{KeepsLeaves: keeps}).save(t.Context(), private))
		if change, diags := plannedChangeOf(t.Context(), private); change.KeepsLeaves != keeps || diags.HasError() {
			t.Errorf("it keeps the leaves: %t, expected %t (%v)", change.KeepsLeaves, keeps, diags)
		}
	}
}

func TestAPlanThatSaysNothingOfTheLeavesChangesThem(t *testing.T) {
	if change, diags := plannedChangeOf(t.Context(), kept{}); change.KeepsLeaves || diags.HasError() {
		t.Errorf("got %+v (%v)", change, diags)
	}
	if _, diags := plannedChangeOf(t.Context(), kept{changeKey: "{"}); !diags.HasError() {
		t.Error("what can't be read is no error")
	}
}
