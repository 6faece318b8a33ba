package liqo

import (
	"reflect"
	"strings"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
)

func TestLimitsAreReadBackUnlessSomeoneHasEditedTheirRules(t *testing.T) {
	type rules = networkingv1beta1.FirewallConfiguration
	edit := func(r *rules) { r.Spec.Table.Chains[5].Rules.FilterRules[1].Match[3].Port.Value = "1-65535" }
	of := func(version string) func(*rules) {
		return func(r *rules) {
			record := r.Annotations[LimitsAnnotation]
			r.Annotations[LimitsAnnotation] = strings.Replace(record, `"version":1`, `"version":`+version, 1)
		}
	}
	hostile := `{"in":[{"protocol":"\u001b[2J"}],"nodes":"10.70.0.0","version":2}`
	for name, test := range map[string]struct {
		changes []func(*rules)
		version int // 0 if the limits are not known
	}{
		"as written":         {nil, 1},
		"another port":       {[]func(*rules){edit}, 0},
		"a chain less":       {[]func(*rules){func(r *rules) { r.Spec.Table.Chains = r.Spec.Table.Chains[:4] }}, 0},
		"no chain":           {[]func(*rules){func(r *rules) { r.Spec.Table.Chains = nil }}, 0},
		"no name":            {[]func(*rules){func(r *rules) { r.Spec.Table.Name = nil }}, 0},
		"no annotation":      {[]func(*rules){func(r *rules) { r.Annotations = nil }}, 0},
		"hostile annotation": {[]func(*rules){func(r *rules) { r.Annotations[LimitsAnnotation] = hostile }}, 0},

		"of an older version":                            {[]func(*rules){of("-1")}, -1},
		"of an older version, edited":                    {[]func(*rules){of("-1"), edit}, 0},
		"of a newer version, which writes another table": {[]func(*rules){of("2"), edit}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			objects := Objects{Firewall: &rules{}}
			limited.WriteTo(objects.Firewall, "t")
			for _, change := range test.changes {
				change(objects.Firewall)
			}
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
