package protocol

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
)

// ruleSet is a nested set as `allow` is one, whose rules also have a computed value.
var ruleSet = []*tfprotov6.SchemaAttribute{{Name: "allow", Optional: true, NestedType: &tfprotov6.SchemaObject{
	Nesting: tfprotov6.SchemaObjectNestingModeSet,
	Attributes: []*tfprotov6.SchemaAttribute{
		{Name: "port", Type: tftypes.Number, Required: true}, {Name: "name", Type: tftypes.String, Computed: true},
	},
}}}

func ruleFor(port int64, name string) cty.Value {
	named := cty.NullVal(cty.String)
	if name != "" {
		named = cty.StringVal(name)
	}
	return cty.ObjectVal(map[string]cty.Value{"port": cty.NumberIntVal(port), "name": named})
}

func TestTheCheckOfAPlanFindsOtherElementsOfASetThanConfigured(t *testing.T) {
	set := func(rules ...cty.Value) cty.Value {
		allow := cty.SetValEmpty(ruleFor(0, "").Type())
		if len(rules) > 0 {
			allow = cty.SetVal(rules)
		}
		return cty.ObjectVal(map[string]cty.Value{"allow": allow})
	}
	null := cty.ObjectVal(map[string]cty.Value{"allow": cty.NullVal(set().GetAttr("allow").Type())})
	for name, test := range map[string]struct {
		prior, configured, planned cty.Value
		wrong                      bool
	}{
		"another element": {null, set(ruleFor(80, "")), set(ruleFor(443, "")), true},
		"an element more": {null, set(ruleFor(80, "")), set(ruleFor(80, ""), ruleFor(443, "")), true},
		"an element less": {null, set(ruleFor(80, ""), ruleFor(443, "")), set(ruleFor(80, "")), true},
		"one twice, the other not": {
			null, set(ruleFor(80, ""), ruleFor(443, "")), set(ruleFor(80, ""), ruleFor(80, "a")), true,
		},
		"no element":               {null, set(ruleFor(80, "")), set(), true},
		"an element instead of []": {null, set(), set(ruleFor(80, "")), true},
		"nothing instead of []":    {set(ruleFor(80, "")), set(), null, true},
		"[] instead of nothing":    {set(ruleFor(80, "")), null, set(), true},
		"what is configured":       {null, set(ruleFor(80, "")), set(ruleFor(80, "")), false},
		"with a computed value":    {null, set(ruleFor(80, "")), set(ruleFor(80, "a")), false},
		"[]":                       {set(ruleFor(80, "")), set(), set(), false},
		"what was there before":    {set(ruleFor(443, "")), set(ruleFor(80, "")), set(ruleFor(443, "")), false},
	} {
		t.Run(name, func(t *testing.T) {
			if found := invented(ruleSet, test.prior, test.configured, test.planned, "x"); len(found) > 0 != test.wrong {
				t.Errorf("found %q", found)
			}
		})
	}
}
