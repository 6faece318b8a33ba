package provider

import (
	"testing"
)

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
