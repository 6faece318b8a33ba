package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework-nettypes/cidrtypes"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

// network is a `client_network` or `server_network`; what is nil is unknown.
func network(podCIDRs, externalCIDR, remappedPodCIDRs, remappedExternalCIDR attr.Value) types.Object {
	attributes := map[string]attr.Value{
		"pod_cidrs":              types.ListUnknown(cidrtypes.IPPrefixType{}),
		"external_cidr":          cidrtypes.NewIPPrefixUnknown(),
		"remapped_pod_cidrs":     types.ListUnknown(cidrtypes.IPPrefixType{}),
		"remapped_external_cidr": cidrtypes.NewIPPrefixUnknown(),
	}
	for name, value := range map[string]attr.Value{
		"pod_cidrs": podCIDRs, "external_cidr": externalCIDR,
		"remapped_pod_cidrs": remappedPodCIDRs, "remapped_external_cidr": remappedExternalCIDR,
	} {
		if value != nil {
			attributes[name] = value
		}
	}
	return types.ObjectValueMust(networkTypes, attributes)
}

func TestARemappingIsKnownOnlyIfTheStateSaysItOfTheSameRanges(t *testing.T) {
	pods := func(cidr string) types.List { return cidrList([]string{cidr}) }
	noPods := types.ListNull(cidrtypes.IPPrefixType{})
	ownPods, elsewhere := pods("10.1.0.0/16"), pods("10.9.0.0/16")
	own, remapped, none := cidrOrNull("10.70.0.0/16"), cidrOrNull("10.71.0.0/16"), cidrOrNull("")
	whole := network(ownPods, own, elsewhere, remapped)
	configured := func(podCIDRs, externalCIDR attr.Value) types.Object {
		return network(podCIDRs, externalCIDR, noPods, none)
	}
	nobody, unknown := types.ObjectNull(networkTypes), types.ObjectUnknown(networkTypes)
	made, missing := network(ownPods, own, nil, nil), network(noPods, none, noPods, none)
	unassigned, edited := network(ownPods, own, noPods, none), network(elsewhere, own, elsewhere, remapped)
	otherPods, otherExternal := configured(elsewhere, none), cidrOrNull("10.72.0.0/16")
	for name, test := range map[string]struct {
		reached                        bool // whether the leaf answers
		configured, recorded, expected types.Object
	}{
		"as it is":                           {true, nobody, whole, whole},
		"as it is, as far as is known":       {false, nobody, whole, whole},
		"to be made":                         {true, nobody, nobody, made},
		"to be made on a leaf not known yet": {false, nobody, nobody, unknown},
		"a Configuration that is missing":    {true, nobody, missing, made},
		"one that is missing, not reached":   {false, nobody, missing, unknown},
		"one that Liqo has not looked at":    {true, nobody, unassigned, made},
		"one that was edited":                {true, nobody, edited, made},
		"other ranges":                       {true, otherPods, whole, network(elsewhere, own, nil, nil)},
		"other ranges, not reached":          {false, otherPods, whole, network(elsewhere, own, nil, nil)},
		"other ranges, to be made, no leaf":  {false, otherPods, nobody, network(elsewhere, nil, nil, nil)},
		"another external CIDR": {
			true, configured(noPods, otherExternal), whole, network(ownPods, otherExternal, nil, nil),
		},
		"pod CIDRs that are known later":       {true, configured(nil, none), whole, network(nil, own, nil, nil)},
		"an external CIDR that is known later": {true, configured(noPods, nil), whole, network(ownPods, nil, nil, nil)},
		"all of it known later":                {true, unknown, whole, unknown},
	} {
		t.Run(name, func(t *testing.T) {
			var leaves pair
			if test.reached {
				leaves.client = clustertest.Leaf(t, "rome", clustertest.Ranges("10.1.0.0/16", "10.70.0.0/16")...)
			}
			p := planningOf(shortcutModel{}, shortcutModel{ClientNetwork: test.configured, ServerNetwork: nobody},
				&shortcutModel{ClientNetwork: test.recorded, ServerNetwork: nobody}, leaves)
			sound(t, p.planNetworks(t.Context()))
			if !p.plan.ClientNetwork.Equal(test.expected) {
				t.Errorf("got %s, expected %s", p.plan.ClientNetwork, test.expected)
			}
		})
	}
}

func TestALeafWhoseRangesCannotBeReadFailsThePlan(t *testing.T) {
	p := planningOf(settled(t), settled(t), nil, pair{client: clustertest.Leaf(t, "rome")})
	if diags := p.planNetworks(t.Context()); !diags.HasError() {
		t.Errorf("planned is %s", p.plan.ClientNetwork)
	}
}
