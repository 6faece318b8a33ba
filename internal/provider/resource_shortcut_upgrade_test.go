package provider

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// early is a state that version 0 of the schema has written.
func early(t *testing.T) []byte {
	t.Helper()
	state, err := os.ReadFile(filepath.Join("testdata", "shortcut_v0.json"))
	if err != nil {
		t.Fatal(err)
	}
	shape, err := os.ReadFile(filepath.Join("testdata", "shortcut_state_v0.json"))
	if err != nil {
		t.Fatal(err)
	}
	type0, err := tftypes.ParseJSONType(shape) //nolint:staticcheck // there is no other way to read a type
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tftypes.ValueFromJSON(state, type0); err != nil { //nolint:staticcheck // as above
		t.Fatalf("testdata has no state of version 0: %v", err)
	}
	return state
}

func TestAStateOfVersion0AllowsNeitherKindOfForceAnyMore(t *testing.T) {
	response, err := providerserver.NewProtocol6(New("test"))().UpgradeResourceState(t.Context(), &tfprotov6.UpgradeResourceStateRequest{
		TypeName: "liqo_shortcut", Version: 0, RawState: &tfprotov6.RawState{JSON: early(t)},
	})
	if err != nil || len(response.Diagnostics) > 0 {
		t.Fatalf("%v %v", err, response.Diagnostics)
	}
	var schema resource.SchemaResponse
	newShortcutResource().Schema(t.Context(), resource.SchemaRequest{}, &schema)
	upgraded, err := response.UpgradedState.Unmarshal(schema.Schema.Type().TerraformType(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	var attributes map[string]tftypes.Value
	if err := upgraded.As(&attributes); err != nil {
		t.Fatal(err)
	}
	no, kept := tftypes.NewValue(tftypes.Bool, false), tftypes.NewValue(tftypes.String, "Connected")
	for name, expected := range map[string]tftypes.Value{"force_destroy": no, "destroy_peering_network": no, "status": kept} {
		if !attributes[name].Equal(expected) {
			t.Errorf("%s is %s", name, attributes[name])
		}
	}
}

func TestAStateThatIsNoneIsNotUpgraded(t *testing.T) {
	response, err := providerserver.NewProtocol6(New("test"))().UpgradeResourceState(t.Context(), &tfprotov6.UpgradeResourceStateRequest{
		TypeName: "liqo_shortcut", Version: 0, RawState: &tfprotov6.RawState{JSON: []byte(`["no object"]`)},
	})
	if err != nil || len(response.Diagnostics) != 1 || response.Diagnostics[0].Summary != "The state can't be read" {
		t.Errorf("%v %v", err, response.Diagnostics)
	}
}
