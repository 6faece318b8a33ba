package provider

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// plannedWithoutLeaves returns the plan of a configuration while the provider knows no leaf yet.
func plannedWithoutLeaves(t *testing.T, values map[string]tftypes.Value) map[string]tftypes.Value {
	t.Helper()
	object := shortcutType()
	var attributes map[string]tftypes.Value
	if err := planned(t, tftypes.NewValue(object, filled(object, values))).As(&attributes); err != nil {
		t.Fatal(err)
	}
	return attributes
}

func TestUnsetAttributesHaveTheirDefault(t *testing.T) {
	planned := plannedWithoutLeaves(t, map[string]tftypes.Value{"client": text("rome"), "server": text("milan")})
	yes, no := tftypes.NewValue(tftypes.Bool, true), tftypes.NewValue(tftypes.Bool, false)
	for name, expected := range map[string]tftypes.Value{
		"mtu": number(1340), "wait_for_connection": yes, "cidr_remapping": text("allow"),
		"adopt_existing": no,
		"on_destroy":     text("reset"), "abandon_lost_cluster": no, "destroy_peering_network": no,
	} {
		if !planned[name].Equal(expected) {
			t.Errorf("%s is %s, expected %s", name, planned[name], expected)
		}
	}
	var gateway map[string]tftypes.Value
	if err := planned["server_gateway"].As(&gateway); err != nil {
		t.Fatal(err)
	}
	for name, value := range gateway {
		switch name {
		case "service_type":
			if !value.Equal(text("LoadBalancer")) {
				t.Errorf("the Service is of type %s", value)
			}
		case "port":
			if !value.Equal(number(51840)) {
				t.Errorf("the port is %s", value)
			}
		case "tunnels":
			if !value.Equal(number(1)) {
				t.Errorf("there are %s tunnels", value)
			}
		default:
			if !value.IsNull() {
				t.Errorf("%s is %s", name, value)
			}
		}
	}
	if !planned["client_gateway"].IsNull() {
		t.Errorf("client_gateway is %s", planned["client_gateway"])
	}
}

func TestValuesFromTheLeavesAreKnownAfterTheApply(t *testing.T) {
	planned := plannedWithoutLeaves(t, map[string]tftypes.Value{"client": text("rome"), "server": text("milan")})
	for _, name := range []string{
		"id", "client_cluster_id", "server_cluster_id", "client_namespace", "server_namespace", "client_network",
		"server_network", "server_endpoint", "status",
	} {
		if planned[name].IsKnown() {
			t.Errorf("%s is %s", name, planned[name])
		}
	}
}

// early returns a state of schema version 0.
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
	type0, err := tftypes.ParseJSONType(shape) //nolint:staticcheck // the only way to read a type
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tftypes.ValueFromJSON(state, type0); err != nil { //nolint:staticcheck // as above
		t.Fatalf("testdata is not a state of version 0: %v", err)
	}
	return state
}

func TestAnUpgradedStateAllowsNeitherKindOfForce(t *testing.T) {
	response, err := unconfigured().
		UpgradeResourceState(t.Context(), &tfprotov6.UpgradeResourceStateRequest{
			TypeName: "liqo_shortcut", Version: 0, RawState: &tfprotov6.RawState{JSON: early(t)},
		})
	if err != nil || len(response.Diagnostics) > 0 {
		t.Fatalf("%v %v", err, response.Diagnostics)
	}
	upgraded, err := response.UpgradedState.Unmarshal(shortcutType())
	if err != nil {
		t.Fatal(err)
	}
	var attributes map[string]tftypes.Value
	if err := upgraded.As(&attributes); err != nil {
		t.Fatal(err)
	}
	no, kept := tftypes.NewValue(tftypes.Bool, false), tftypes.NewValue(tftypes.String, "Connected")
	for name, expected := range map[string]tftypes.Value{
		"abandon_lost_cluster": no, "destroy_peering_network": no, "status": kept,
	} {
		if !attributes[name].Equal(expected) {
			t.Errorf("%s is %s", name, attributes[name])
		}
	}
}

func TestAnInvalidStateIsNotUpgraded(t *testing.T) {
	response, err := unconfigured().
		UpgradeResourceState(t.Context(), &tfprotov6.UpgradeResourceStateRequest{
			TypeName: "liqo_shortcut", Version: 0, RawState: &tfprotov6.RawState{JSON: []byte(`["no object"]`)},
		})
	if err != nil || len(response.Diagnostics) != 1 || response.Diagnostics[0].Summary != "The state can't be read" {
		t.Errorf("%v %v", err, response.Diagnostics)
	}
}

var update = flag.Bool("update", false, "rewrite the expected shape of the state")

// A newer version of the provider must be able to read the state of an older one. A new attribute is null in an old
// state. If this test fails because of a new attribute, and null is right, run `go test ./internal/provider -update`.
// In every other case, first raise the schema's version, and add a state upgrader and its test.
func TestTheShapeOfTheStateChangesOnlyOnPurpose(t *testing.T) {
	shape, err := shortcutType().MarshalJSON() //nolint:staticcheck // the only way to write a type
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", fmt.Sprintf("shortcut_state_v%d.json", shortcutVersion))
	if *update {
		if err := os.WriteFile(golden, append(shape, '\n'), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	expected, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if string(shape)+"\n" != string(expected) {
		t.Errorf("the shape of the state has changed:\n%s\nexpected:\n%s", shape, expected)
	}
}

// Tests on real clusters, such as TestAccPacketsShowWhatAChangeOfTheTunnelCosts, check that the descriptions are true.
func TestAttributesThatInterruptTrafficSaySo(t *testing.T) {
	for interruption, interrupting := range map[string][]string{
		restarts: {"mtu", "key_rotation_trigger"}, costsInGuide: {"server_gateway", "client_gateway"},
		replacesGateway("client"): {"client_namespace"}, replacesGateway("server"): {"server_namespace"},
	} {
		for name, attribute := range shortcutSchema().Attributes {
			if says := strings.HasSuffix(
				attribute.GetMarkdownDescription(), interruption,
			); says != slices.Contains(interrupting, name) {
				t.Errorf("the description of %s contains%s: %t", name, interruption, says)
			}
		}
	}
}
