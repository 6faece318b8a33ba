package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

func TestOtherRangesAreAReplacementOnlyIfLiqoDoesNotFollow(t *testing.T) {
	announced := func(podCIDR, remapped string) types.Object {
		return objectOf(t.Context(), networkTypes, &liqo.RemoteRanges{
			PodCIDRs: []string{podCIDR}, ExternalCIDR: "10.70.0.0/16",
			RemappedPodCIDRs: []string{remapped}, RemappedExternalCIDR: "10.70.0.0/16",
		})
	}
	rome, milan := clustertest.Leaf(t, "rome"), clustertest.OlderLiqo(clustertest.Leaf(t, "milan"))
	both, before := pair{client: rome, server: milan}, announced("10.0.0.0/16", "10.0.0.0/16")
	other, elsewhere := announced("10.0.0.0/17", "10.0.0.0/17"), announced("10.0.0.0/16", "10.9.0.0/16")
	for name, test := range map[string]struct {
		client, server, was types.Object // was is that of both
		pair                pair
		replaced            bool
	}{
		"to Liqo 1.1":                         {other, before, before, both, true},
		"to Liqo 1.2":                         {before, other, before, both, false},
		"to a leaf that can't be read":        {other, before, before, pair{client: rome}, false},
		"the same ranges, remapped elsewhere": {elsewhere, before, before, both, false},
		"ranges that are known later":         {types.ObjectUnknown(networkTypes), before, before, both, true},
		"a Configuration that is missing":     {before, before, types.ObjectNull(networkTypes), both, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := planningOf(shortcutModel{ClientNetwork: test.client, ServerNetwork: test.server}, shortcutModel{},
				&shortcutModel{ClientNetwork: test.was, ServerNetwork: test.was}, test.pair)
			diags := p.planRanges(t.Context())
			replace := p.replace
			if diags.HasError() || (len(replace) == 1) != test.replaced || diags.WarningsCount() != len(replace) {
				t.Errorf("%v, %v", replace, diags)
			}
			if len(replace) > 0 && !replace[0].Equal(path.Root("client_network")) {
				t.Errorf("because of %s", replace[0])
			}
			if (p.state == nil) != test.replaced || p.plan.ClientNamespace.IsUnknown() != test.replaced {
				t.Errorf("the state is %v, the namespace %s", p.state, p.plan.ClientNamespace)
			}
		})
	}
}
