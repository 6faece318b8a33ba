package provider

import (
	"context"
	"reflect"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// planSettings plans that the shortcut stays as it is, and returns true, where nothing is to be done on a leaf.
func planSettings(ctx context.Context, private privateState, pair pair, plan, state *shortcutModel) (bool, diag.Diagnostics) {
	own, diags := ownershipOf(ctx, private)
	if diags.HasError() || own.Unadopted || !pair.knowsNewNames(plan, state) || !plan.changesSettingsOnly(state) {
		return false, diags
	}
	plan.promiseStatusOf(state)
	return true, diags
}

// changesSettingsOnly reports whether a plan changes nothing but settings that no leaf shows, so that it can be recorded without the leaves: one that is gone
// for good must not keep anybody from giving it up. What [planMoves] finds is no such change, so it comes first.
func (m *shortcutModel) changesSettingsOnly(state *shortcutModel) bool {
	rest := *m
	rest.Client, rest.Server = state.Client, state.Server // other names for the same clusters: their IDs are compared below
	rest.OnDestroy, rest.ForceDestroy, rest.DestroyPeering = state.OnDestroy, state.ForceDestroy, state.DestroyPeering
	rest.Timeouts = state.Timeouts
	rest.WaitForConnection = state.WaitForConnection   // nothing is waited for where nothing is written
	if m.AdoptExisting.Equal(types.BoolValue(false)) { // to adopt is work on the leaves
		rest.AdoptExisting = state.AdoptExisting
	}
	if m.CIDRRemapping.ValueString() == remappingAllowed { // only a leaf reports whether it has remapped what is forbidden now
		rest.CIDRRemapping = state.CIDRRemapping
	}
	rest.promiseStatusOf(state)
	return rest.equal(state)
}

// promiseStatusOf plans that the shortcut stays as the state says. An update does not connect to the leaves then.
func (m *shortcutModel) promiseStatusOf(state *shortcutModel) {
	m.Status, m.ServerEndpoint = state.Status, state.ServerEndpoint
}

// promisesStatus reports whether the plan says already what will be of the shortcut, because the update is none of the leaves' business.
func (m *shortcutModel) promisesStatus() bool { return !m.Status.IsUnknown() }

func (m *shortcutModel) equal(other *shortcutModel) bool {
	ours, theirs := reflect.ValueOf(*m), reflect.ValueOf(*other)
	for i := range ours.NumField() {
		our, ok := reflect.TypeAssert[attr.Value](ours.Field(i))
		their, alsoOK := reflect.TypeAssert[attr.Value](theirs.Field(i))
		if !ok || !alsoOK || !our.Equal(their) {
			return false
		}
	}
	return true
}
