package provider

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// plannedWithoutLeaves returns the plan of a configuration while the provider knows no leaf yet.
func plannedWithoutLeaves(t *testing.T, values map[string]tftypes.Value) map[string]tftypes.Value {
	t.Helper()
	object := shortcutType()
	var attributes map[string]tftypes.Value
	must(t, planned(t, tftypes.NewValue(object, filled(object, values))).As(&attributes))
	return attributes
}

func TestUnsetAttributesHaveTheirDefault(t *testing.T) {
	planned := plannedWithoutLeaves(t, map[string]tftypes.Value{"client": text("rome"), "server": text("milan")})
	yes, no := tftypes.NewValue(tftypes.Bool, true), tftypes.NewValue(tftypes.Bool, false)
	for name, expected := range map[string]tftypes.Value{
		"mtu": number(1340), "wait_for_connection": yes, "cidr_remapping": text("allow"),
		"on_destroy": text("reset"), "abandon_lost_cluster": no, "destroy_peering_network": no,
	} {
		t.Run(name, func(t *testing.T) {
			if !planned[name].Equal(expected) {
				t.Errorf("%s is %s, expected %s", name, planned[name], expected)
			}
		})
	}
	var gateway map[string]tftypes.Value
	must(t, planned["server_gateway"].As(&gateway))
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

var update = flag.Bool("update", false, "rewrite the expected shape of the state")

// Once a version of the provider is released, every later one must be able to read its state. A new attribute is null
// in an older state. If that is right, run `go test ./internal/provider -update`. In every other case, first give the
// schema a version, and add a state upgrader and its test.
func TestTheShapeOfTheStateChangesOnlyOnPurpose(t *testing.T) {
	shape, err := shortcutType().MarshalJSON() //nolint:staticcheck // the only way to write a type
	must(t, err)
	golden := filepath.Join("testdata", "shortcut_state.json")
	if *update {
		must(t, os.WriteFile(golden, append(shape, '\n'), 0o600))
	}
	expected, err := os.ReadFile(golden)
	must(t, err)
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
		t.Run(interruption, func(t *testing.T) {
			for name, attribute := range shortcutSchema().Attributes {
				if says := strings.HasSuffix(
					attribute.GetMarkdownDescription(), interruption,
				); says != slices.Contains(interrupting, name) {
					t.Errorf("the description of %s contains%s: %t", name, interruption, says)
				}
			}
		})
	}
}
