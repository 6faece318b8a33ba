package liqo

import (
	"reflect"
	"strings"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
)

func TestLimitsAreReadBackUnlessSomeoneHasEditedTheirRules(t *testing.T) {
	edit := func(rules *networkingv1beta1.FirewallConfiguration) {
		rules.Spec.Table.Chains[5].Rules.FilterRules[1].Match[3].Port.Value = "1-65535"
	}
	of := func(version string) func(*networkingv1beta1.FirewallConfiguration) {
		return func(rules *networkingv1beta1.FirewallConfiguration) {
			record := rules.Annotations[LimitsAnnotation]
			rules.Annotations[LimitsAnnotation] = strings.Replace(record, `"version":1`, `"version":`+version, 1)
		}
	}
	for name, test := range map[string]struct {
		changes []func(*networkingv1beta1.FirewallConfiguration)
		version int // 0 if the limits are not known
	}{
		"as written":   {nil, 1},
		"another port": {[]func(*networkingv1beta1.FirewallConfiguration){edit}, 0},
		"a chain less": {[]func(*networkingv1beta1.FirewallConfiguration){func(f *networkingv1beta1.FirewallConfiguration) {
			f.Spec.Table.Chains = f.Spec.Table.Chains[:4]
		}}, 0},
		"no chain": {[]func(*networkingv1beta1.FirewallConfiguration){func(f *networkingv1beta1.FirewallConfiguration) {
			f.Spec.Table.Chains = nil
		}}, 0},
		"no name": {[]func(*networkingv1beta1.FirewallConfiguration){func(f *networkingv1beta1.FirewallConfiguration) {
			f.Spec.Table.Name = nil
		}}, 0},
		"no annotation": {[]func(*networkingv1beta1.FirewallConfiguration){func(f *networkingv1beta1.FirewallConfiguration) {
			f.Annotations = nil
		}}, 0},
		"hostile annotation": {[]func(*networkingv1beta1.FirewallConfiguration){
			func(f *networkingv1beta1.FirewallConfiguration) {
				f.Annotations[LimitsAnnotation] = `{"in":[{"protocol":"\u001b[2J"}],"nodes":"10.70.0.0","version":2}`
			},
		}, 0},
		"of an older version":         {[]func(*networkingv1beta1.FirewallConfiguration){of("-1")}, -1},
		"of an older version, edited": {[]func(*networkingv1beta1.FirewallConfiguration){of("-1"), edit}, 0},
		"of a newer version, which writes another table": {
			[]func(*networkingv1beta1.FirewallConfiguration){of("2"), edit}, 2,
		},
	} {
		t.Run(name, func(t *testing.T) {
			rules := &networkingv1beta1.FirewallConfiguration{}
			limited.WriteTo(rules, "t")
			for _, change := range test.changes {
				change(rules)
			}
			objects := Objects{Firewall: rules}
			found := objects.Limits()
			if known := test.version != 0; (found != nil) != known || known && !reflect.DeepEqual(*found, limited) {
				t.Errorf("got %+v", found)
			}
			if got := objects.LimitsVersion(); got != test.version {
				t.Errorf("got version %d", got)
			}
		})
	}
}
