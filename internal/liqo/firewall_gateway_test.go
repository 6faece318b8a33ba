package liqo

import (
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
)

func TestAGatewayReadsWhatIsForItAndWhatIsForEveryGateway(t *testing.T) {
	for name, test := range map[string]struct {
		labels map[string]string
		read   bool
	}{
		"for it":            {map[string]string{FirewallCategoryLabel: "gateway", FirewallUniqueLabel: "rome"}, true},
		"for another one":   {map[string]string{FirewallCategoryLabel: "gateway", FirewallUniqueLabel: "turin"}, false},
		"for all":           {map[string]string{FirewallCategoryLabel: "gateway", firewallSubcategoryLabel: "fabric"}, true},
		"for nodes":         {map[string]string{FirewallCategoryLabel: "fabric", FirewallUniqueLabel: "rome"}, false},
		"of another kind":   {map[string]string{FirewallCategoryLabel: "gateway", firewallSubcategoryLabel: "x"}, false},
		"without any label": {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			configuration := &networkingv1beta1.FirewallConfiguration{}
			configuration.Labels = test.labels
			if got := IsReadBy(configuration, "rome"); got != test.read {
				t.Errorf("got %t", got)
			}
		})
	}
}
