package provider

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework-nettypes/cidrtypes"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// withRanges is a leaf with these address ranges of its own.
func withRanges(t *testing.T, name, podCIDR, externalCIDR string) *cluster.Leaf {
	t.Helper()
	return clustertest.Leaf(t, name, clustertest.Ranges(map[string]string{"pod-cidr": podCIDR, "external-cidr": externalCIDR})...)
}

// announcing are the pod CIDR and the external CIDR that a configuration names; null where they are empty.
func announcing(podCIDR, externalCIDR string) types.Object {
	pods := types.ListNull(cidrtypes.IPPrefixType{})
	if podCIDR != "" {
		pods = cidrList([]string{podCIDR})
	}
	return types.ObjectValueMust(networkTypes, map[string]attr.Value{
		"pod_cidrs": pods, "external_cidr": cidrOrNull(externalCIDR),
		"remapped_pod_cidrs": types.ListNull(cidrtypes.IPPrefixType{}), "remapped_external_cidr": cidrtypes.NewIPPrefixNull(),
	})
}

func TestANetworkIsPlannedAsTheLeafHasItUnlessTheConfigurationSaysOtherwise(t *testing.T) {
	const open = `"remapped_external_cidr":<unknown>,"remapped_pod_cidrs":<unknown>}`
	recorded := networkObject(shortcut.Network{
		PodCIDRs: []string{"10.1.0.0/16"}, ExternalCIDR: "10.70.0.0/16", RemappedPodCIDRs: []string{"10.9.0.0/16"}, RemappedExternalCIDR: "10.71.0.0/16",
	})
	for name, test := range map[string]struct {
		configured, recorded types.Object
		expected             string
	}{
		"as the leaf has it": {
			types.ObjectNull(networkTypes), types.ObjectNull(networkTypes), `{"external_cidr":"10.70.0.0/16","pod_cidrs":["10.1.0.0/16"],` + open,
		},
		"as it is on record": {types.ObjectNull(networkTypes), recorded, recorded.String()},
		"other pod CIDRs": {
			announcing("10.5.0.0/16", ""), recorded, `{"external_cidr":"10.70.0.0/16","pod_cidrs":["10.5.0.0/16"],` + open,
		},
		"another external CIDR": {
			announcing("", "10.6.0.0/16"), recorded, `{"external_cidr":"10.6.0.0/16","pod_cidrs":["10.1.0.0/16"],` + open,
		},
		"not any more": {
			types.ObjectNull(networkTypes), networkOf("10.5.0.0/16", "10.70.0.0/16"), `{"external_cidr":"10.70.0.0/16","pod_cidrs":["10.1.0.0/16"],` + open,
		},
		"known after the apply": {types.ObjectUnknown(networkTypes), recorded, "<unknown>"},
	} {
		t.Run(name, func(t *testing.T) {
			plan, config, state := settled(), settled(), settled()
			plan.ClientNetwork, config.ClientNetwork, state.ClientNetwork = types.ObjectUnknown(networkTypes), test.configured, test.recorded
			pair := pair{client: withRanges(t, "rome", "10.1.0.0/16", "10.70.0.0/16")} // Milan is not reached
			if diags := planNetworks(t.Context(), pair, &plan, &config, &state); diags.HasError() {
				t.Fatal(diags)
			}
			if got := plan.ClientNetwork.String(); got != test.expected {
				t.Errorf("got      %s\nexpected %s", got, test.expected)
			}
			if !plan.ServerNetwork.IsNull() {
				t.Errorf("of a leaf that nobody knows, it plans %s", plan.ServerNetwork)
			}
		})
	}
}

func TestALeafWhoseRangesCannotBeReadFailsThePlan(t *testing.T) {
	plan, config := settled(), settled()
	diags := planNetworks(t.Context(), pair{client: clustertest.Leaf(t, "rome")}, &plan, &config, nil)
	if !diags.HasError() {
		t.Errorf("planned is %s", plan.ClientNetwork)
	}
}

func TestARepairLeavesOpenWhereTheOtherLeafReachesANetwork(t *testing.T) {
	state := settled()
	if diags := state.observed(t.Context(), working()); diags.HasError() {
		t.Fatal(diags)
	}
	state.Status, state.ClientNamespace = types.StringValue("Disconnected"), types.StringNull()
	state.ClientNetwork = networkOf("10.1.0.0/16", "10.70.0.0/16")
	state.ServerNetwork = types.ObjectNull(networkTypes)
	plan := state
	planRepair(&plan, &state)
	const open = `{"external_cidr":"10.70.0.0/16","pod_cidrs":["10.1.0.0/16"],"remapped_external_cidr":<unknown>,"remapped_pod_cidrs":<unknown>}`
	if plan.ClientNetwork.String() != open || !plan.ServerNetwork.IsUnknown() {
		t.Errorf("planned are %s and %s", plan.ClientNetwork, plan.ServerNetwork)
	}
	if !plan.ClientNamespace.IsUnknown() || plan.ServerNamespace.ValueString() != "liqo-tenant-rome" || !plan.Status.IsUnknown() || !plan.ServerEndpoint.IsUnknown() {
		t.Errorf("planned are the namespaces %s and %s, status %s, endpoint %s", plan.ClientNamespace, plan.ServerNamespace, plan.Status, plan.ServerEndpoint)
	}
}

func TestAPlanWarnsOfARemappingAndFailsWhereItIsForbidden(t *testing.T) {
	joined := pair{client: withRanges(t, "rome", "10.1.0.0/16", "10.70.0.0/16"), server: withRanges(t, "milan", "10.1.128.0/17", "10.70.0.0/16")}
	for remapping, forbidden := range map[string]bool{remappingAllowed: false, remappingForbidden: true} {
		plan := settled()
		plan.CIDRRemapping = types.StringValue(remapping)
		spec, diags := plan.spec(t.Context(), &plan)
		if diags.HasError() {
			t.Fatal(diags)
		}
		said := warnOfRemapping(t.Context(), shortcut.New(joined.client, joined.server), spec)
		if len(said) != 2 || said.HasError() != forbidden || !strings.Contains(said[0].Detail()+said[1].Detail(), `10.1.128.0/17 of "milan" overlaps with 10.1.0.0/16`) {
			t.Errorf("%s: it says: %v", remapping, said)
		}
	}
}
