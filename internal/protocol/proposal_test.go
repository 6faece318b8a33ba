package protocol

import (
	"fmt"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
)

// What is here does as Terraform's package internal/plans/objchange, which nobody else may import: [proposed] as
// ProposedNew, [invented] as AssertPlanValid, and [unkept] as AssertObjectCompatible. The first two go along a schema,
// because it says who may choose a value. The last one compares two values of any type.

// proposed returns what Terraform proposes to the provider: what is configured and, of computed attributes that are
// not, what was there before.
func proposed(attributes []*tfprotov6.SchemaAttribute, prior, config cty.Value) cty.Value {
	values := map[string]cty.Value{}
	for _, a := range attributes {
		former, configured := attribute(prior, a.Name), attribute(config, a.Name)
		switch {
		case configured.IsNull() && a.Computed && (!a.Optional || !onceConfigured(a.NestedType, former)):
			values[a.Name] = former
		case a.NestedType == nil || configured.IsNull() || !configured.IsKnown():
			values[a.Name] = configured
		default:
			values[a.Name] = nested(a.NestedType, configured, func(key any, element cty.Value) cty.Value {
				return proposed(a.NestedType.Attributes, counterpart(former, key, element.Type()), element)
			})
		}
	}
	return cty.ObjectVal(values)
}

// attribute returns an attribute of an object, which may be null.
func attribute(of cty.Value, name string) cty.Value {
	if of.IsNull() {
		return cty.NullVal(of.Type().AttributeType(name))
	}
	return of.GetAttr(name)
}

// onceConfigured reports whether a value has something that only a configuration can have set. Then it is no computed
// value, although its attribute could have one.
func onceConfigured(kind *tfprotov6.SchemaObject, value cty.Value) bool {
	if kind == nil || kind.Nesting != tfprotov6.SchemaObjectNestingModeSingle || value.IsNull() {
		return false
	}
	for _, a := range kind.Attributes {
		inner := value.GetAttr(a.Name)
		if !a.Computed && !inner.IsNull() || onceConfigured(a.NestedType, inner) {
			return true
		}
	}
	return false
}

// nested changes each object of a nested attribute.
func nested(kind *tfprotov6.SchemaObject, value cty.Value, change func(any, cty.Value) cty.Value) cty.Value {
	if kind.Nesting == tfprotov6.SchemaObjectNestingModeSingle {
		return change(nil, value)
	}
	if value.LengthInt() == 0 {
		return value
	}
	list, set, byKey := []cty.Value{}, []cty.Value{}, map[string]cty.Value{}
	for key, element := range value.Elements() {
		switch kind.Nesting {
		case tfprotov6.SchemaObjectNestingModeList:
			list = append(list, change(len(list), element))
		case tfprotov6.SchemaObjectNestingModeMap:
			byKey[key.AsString()] = change(key.AsString(), element)
		default:
			set = append(set, change(element, element))
		}
	}
	if len(set) > 0 {
		return cty.SetVal(set)
	}
	if len(list) > 0 {
		return cty.ListVal(list)
	}
	return cty.MapVal(byKey)
}

// counterpart returns the object of a former nested attribute that belongs to this key, or null.
func counterpart(former cty.Value, key any, kind cty.Type) cty.Value {
	var index cty.Value
	switch key := key.(type) {
	case nil:
		return former
	case int:
		index = cty.NumberIntVal(int64(key))
	case string:
		index = cty.StringVal(key)
	default: // an element of a set has none
		return cty.NullVal(kind)
	}
	if former.IsNull() || former.HasIndex(index).False() {
		return cty.NullVal(kind)
	}
	return former.Index(index)
}

// invented returns where a plan has neither what is configured nor what was there before, although the provider can't
// choose. Terraform takes that for a defect of the provider.
func invented(attributes []*tfprotov6.SchemaAttribute, prior, config, planned cty.Value, path string) []string {
	var found []string
	for _, a := range attributes {
		former, configured, now := attribute(prior, a.Name), attribute(config, a.Name), attribute(planned, a.Name)
		here := path + "." + a.Name
		switch {
		case configured.IsNull() && a.Computed, now.RawEquals(configured), now.RawEquals(former),
			!now.IsKnown() && !configured.IsKnown(): // what else is known of an unknown value does not count
		case a.NestedType == nil || configured.IsNull() || !configured.IsKnown() || now.IsNull() || !now.IsKnown():
			found = append(found, fmt.Sprintf("%s is %s, but %s is configured", here, shown(now), shown(configured)))
		default:
			found = append(found, inventedWithin(a.NestedType, former, configured, now, here)...)
		}
	}
	return found
}

// inventedWithin does so for the objects of a nested attribute. Those of a set have no keys. So each of them must fit
// one of the other side, as for Terraform.
func inventedWithin(kind *tfprotov6.SchemaObject, former, configured, planned cty.Value, path string) []string {
	var found []string
	if kind.Nesting != tfprotov6.SchemaObjectNestingModeSingle && configured.LengthInt() != planned.LengthInt() {
		found = append(found, fmt.Sprintf("%s is %s, but %s is configured", path, shown(planned), shown(configured)))
	}
	if kind.Nesting == tfprotov6.SchemaObjectNestingModeSet {
		fits := func(element, planned cty.Value) bool {
			return len(invented(kind.Attributes, cty.NullVal(element.Type()), element, planned, path)) == 0
		}
		for _, element := range configured.AsValueSlice() {
			if !slices.ContainsFunc(planned.AsValueSlice(), func(other cty.Value) bool { return fits(element, other) }) {
				found = append(found, fmt.Sprintf("%s lacks %s, which is configured", path, shown(element)))
			}
		}
		for _, other := range planned.AsValueSlice() {
			if !slices.ContainsFunc(configured.AsValueSlice(), func(element cty.Value) bool { return fits(element, other) }) {
				found = append(found, fmt.Sprintf("%s has %s, which is not configured", path, shown(other)))
			}
		}
		return found
	}
	nested(kind, configured, func(key any, element cty.Value) cty.Value {
		of := element.Type()
		found = append(found, invented(kind.Attributes,
			counterpart(former, key, of), element, counterpart(planned, key, of), path)...)
		return element
	})
	return found
}

// unkept returns where a value is not the one that was planned. What was unknown may be anything, and so may a set with
// something unknown in it.
func unkept(planned, actual cty.Value, path string) []string {
	kind := planned.Type()
	switch {
	case !planned.IsKnown(), planned.RawEquals(actual), kind.IsSetType() && !planned.IsWhollyKnown():
		return nil
	case planned.IsNull() || actual.IsNull() || !actual.IsKnown() || kind.IsPrimitiveType() || kind.IsSetType(),
		!kind.IsObjectType() && planned.LengthInt() != actual.LengthInt():
		return []string{fmt.Sprintf("%s was %s, but now %s", path, shown(planned), shown(actual))}
	}
	var found []string
	for key, element := range planned.Elements() {
		var other cty.Value
		switch {
		case kind.IsObjectType():
			other = actual.GetAttr(key.AsString())
		case actual.HasIndex(key).True():
			other = actual.Index(key)
		default:
			other = cty.NullVal(element.Type())
		}
		found = append(found, unkept(element, other, path+"."+fmt.Sprintf("%#v", key))...)
	}
	return found
}

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
