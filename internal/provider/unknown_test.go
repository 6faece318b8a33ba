package provider

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// withUnknown returns a configuration or a plan of which only the apply will know some settings. Each one is a dotted
// path, also of a whole block.
func withUnknown(t *testing.T, object tftypes.Value, settings []string) tftypes.Value {
	t.Helper()
	changed, err := tftypes.Transform(object,
		func(at *tftypes.AttributePath, value tftypes.Value) (tftypes.Value, error) {
			if slices.Contains(settings, pathText(at)) {
				return unknownOf(value.Type()), nil
			}
			return value, nil
		})
	must(t, err)
	return changed
}

func TestAnySettingMayBeKnownOnlyByTheApply(t *testing.T) {
	all := valuesOf(t, tftypes.NewValue(shortcutType(), nil))
	single := settings(shortcutSchema().Attributes, "")
	blocks := map[string]bool{}
	for _, setting := range single {
		for i, letter := range setting {
			if letter == '.' {
				blocks[setting[:i]] = true
			}
		}
	}
	var cases [][]string
	for _, one := range append(slices.Sorted(maps.Keys(blocks)), single...) {
		cases = append(cases, []string{one})
		for other := range blocks {
			if blocks[one] && one < other && !strings.Contains(one+other, ".") {
				cases = append(cases, []string{one, other})
			}
		}
	}
	existing := join(t, starts()[1])
	recorded, _ := existing.seen(t, existing.plan)
	_, limited := change(t, "allow")
	for _, unknown := range cases {
		t.Run(strings.Join(unknown, " and "), func(t *testing.T) {
			for _, start := range []values{starts()[1], limited} {
				configured := maps.Clone(start)
				for setting := range all {
					for _, one := range unknown { // the blocks exist
						if _, set := configured[setting]; !set && (setting == one || strings.HasPrefix(setting, one+".")) {
							configured[setting] = tftypes.NewValue(all[setting].Type(), nil)
						}
					}
				}
				config := withUnknown(t, configured.of(shortcutType()), unknown)
				plan, configuration := modelsOf(t, withUnknown(t, planned(t, config), unknown), config)
				for _, state := range []*shortcutModel{nil, &recorded} {
					p := planningOf(plan, configuration, state, existing.leaves)
					p.own = ownership{Token: "mine"}
					if diags := append(checkFeasible(t.Context(), p), p.costs(t.Context())...); diags.HasError() {
						t.Errorf("limited: %t, new: %t: %v", !plan.Allow.IsNull(), state == nil, diags.Errors())
					}
				}
			}
		})
	}
}
