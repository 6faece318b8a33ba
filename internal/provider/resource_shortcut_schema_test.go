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

func TestUnsetAttributesHaveTheirDefaultOrAreKnownAfterTheApply(t *testing.T) {
	defaults := values{
		"client": text("rome"), "server": text("milan"), "mtu": number(1340), "wait_for_connection": boolean(true),
		"cidr_remapping": text("allow"), "on_destroy": text("reset"), "abandon_lost_cluster": boolean(false),
		"destroy_peering_network": boolean(false), "server_gateway.service_type": text("LoadBalancer"),
		"server_gateway.port": number(51840),
	}
	fromTheLeaves := []string{
		"id", "owner_id", "client_cluster_id", "server_cluster_id", "client_cluster_uid", "server_cluster_uid",
		"client_namespace", "server_namespace", "client_network", "server_network", "server_endpoint", "status",
	}
	for name, value := range valuesOf(t, planned(t, romeMilan(nil))) {
		expected, set := defaults[name]
		block, _, _ := strings.Cut(name, ".")
		if !set {
			expected = tftypes.NewValue(value.Type(), nil)
		}
		if slices.Contains(fromTheLeaves, block) {
			expected = unknownOf(value.Type())
		}
		if !value.Equal(expected) {
			t.Errorf("%s is %s, expected %s", name, value, expected)
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
