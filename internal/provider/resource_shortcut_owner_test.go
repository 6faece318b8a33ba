package provider

import (
	"context"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// kept is a private state.
type kept map[string]string

func (k kept) GetKey(_ context.Context, key string) ([]byte, diag.Diagnostics) {
	return []byte(k[key]), nil
}

func (k kept) SetKey(_ context.Context, key string, value []byte) diag.Diagnostics {
	k[key] = string(value)
	return nil
}

func TestAnInstanceKnowsItsTokenFromOneOperationToTheNext(t *testing.T) {
	private := kept{}
	before := ownership{}.named()
	if diags := before.save(t.Context(), private); diags.HasError() {
		t.Fatal(diags)
	}
	after, diags := ownershipOf(t.Context(), private)
	if diags.HasError() || after.Token == "" || after != before || after.owner().Claims {
		t.Errorf("got %+v, saved %+v (%v)", after, before, diags)
	}
	if again := after.named(); again.Token != after.Token {
		t.Errorf("it has another name now: %q", again.Token)
	}
}

func TestAnImportedShortcutClaimsWhatThereIsUntilItIsAdopted(t *testing.T) {
	private := kept{}
	if diags := (ownership{Unadopted: true}).save(t.Context(), private); diags.HasError() {
		t.Fatal(diags)
	}
	if own, diags := ownershipOf(t.Context(), private); diags.HasError() || !own.owner().Claims {
		t.Errorf("got %+v (%v)", own, diags)
	}
}

func TestAPairIsClaimedOnceHoweverOftenOneInstanceIsPlanned(t *testing.T) {
	var claimed claims
	rome, milan := cluster.Absent("rome", "rome"), cluster.Absent("milan", "milan")
	there, back := pair{client: rome, server: milan}, pair{client: milan, server: rome}
	for range 2 { // a replacement is planned twice
		if diags := claimed.claim(there, "one"); diags.HasError() {
			t.Errorf("an instance is refused its own pair: %v", diags)
		}
	}
	if diags := claimed.claim(back, "another"); !diags.HasError() {
		t.Error("two instances have the same pair")
	}
}
