package protocol

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
)

// What is here does as Terraform's package internal/plans/objchange, which nobody else may import: [proposed] as
// ProposedNew, [invented] as AssertPlanValid, and [unkept] as AssertObjectCompatible. The first two go along a schema,
// because it says who may choose a value. The provider's schemas have no computed attribute within a list, set or map
// that can be configured, so these are values like any other. The last one compares two values of any type.

// proposed returns what Terraform proposes to the provider: what is configured and, of computed attributes that are
// not, what was there before. Of a resource that is not configured any more, it is nothing.
func proposed(attributes []*tfprotov6.SchemaAttribute, prior, config cty.Value) cty.Value {
	if config.IsNull() {
		return config
	}
	values := map[string]cty.Value{}
	for _, a := range attributes {
		former, configured := attribute(prior, a.Name), attribute(config, a.Name)
		switch {
		case configured.IsNull() && a.Computed && (!a.Optional || !onceConfigured(a.NestedType, former)):
			values[a.Name] = former
		case isBlock(a.NestedType) && configured.IsKnown():
			values[a.Name] = proposed(a.NestedType.Attributes, former, configured)
		default:
			values[a.Name] = configured
		}
	}
	return cty.ObjectVal(values)
}

// isBlock reports whether an attribute has attributes of its own, once.
func isBlock(kind *tfprotov6.SchemaObject) bool {
	return kind != nil && kind.Nesting == tfprotov6.SchemaObjectNestingModeSingle
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
	if !isBlock(kind) || value.IsNull() {
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

// invented returns where a plan has neither what is configured nor what was there before, although the provider can't
// choose. Terraform takes that for a defect of the provider.
func invented(attributes []*tfprotov6.SchemaAttribute, prior, config, planned cty.Value, path string) []string {
	var found []string
	for _, a := range attributes {
		former, configured, now := attribute(prior, a.Name), attribute(config, a.Name), attribute(planned, a.Name)
		here := path + "." + a.Name
		switch {
		case configured.IsNull() && a.Computed, now.RawEquals(configured), now.RawEquals(former):
		case isBlock(a.NestedType) && !configured.IsNull() && configured.IsKnown() && !now.IsNull() && now.IsKnown():
			found = append(found, invented(a.NestedType.Attributes, former, configured, now, here)...)
		default:
			found = append(found, fmt.Sprintf("%s is %s, but %s is configured", here, shown(now), shown(configured)))
		}
	}
	return found
}

// plain returns a value without what else is known of an unknown value.
func plain(value cty.Value) cty.Value {
	value, _ = cty.Transform(value, func(_ cty.Path, inner cty.Value) (cty.Value, error) {
		if !inner.IsKnown() {
			return cty.UnknownVal(inner.Type()), nil
		}
		return inner, nil
	})
	return value
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

func TestTheCheckOfAPlanFindsOtherElementsOfASetThanConfigured(t *testing.T) {
	port := func(number int64) cty.Value {
		return cty.ObjectVal(map[string]cty.Value{"port": cty.NumberIntVal(number)})
	}
	allow := func(rules cty.Value) cty.Value { return cty.ObjectVal(map[string]cty.Value{"allow": rules}) }
	ports := func(rules ...cty.Value) cty.Value { return allow(cty.SetVal(rules)) }
	kind, http, https := port(80).Type(), port(80), port(443)
	none, empty := allow(cty.NullVal(cty.Set(kind))), allow(cty.SetValEmpty(kind))
	schema := []*tfprotov6.SchemaAttribute{{Name: "allow", Optional: true, NestedType: &tfprotov6.SchemaObject{
		Nesting:    tfprotov6.SchemaObjectNestingModeSet,
		Attributes: []*tfprotov6.SchemaAttribute{{Name: "port", Type: tftypes.Number, Required: true}},
	}}}
	for name, test := range map[string]struct {
		prior, configured, planned cty.Value
		wrong                      bool
	}{
		"another element":          {none, ports(http), ports(https), true},
		"an element more":          {none, ports(http), ports(http, https), true},
		"an element less":          {none, ports(http, https), ports(http), true},
		"no element":               {none, ports(http), empty, true},
		"an element instead of []": {none, empty, ports(http), true},
		"nothing instead of []":    {ports(http), empty, none, true},
		"[] instead of nothing":    {ports(http), none, empty, true},
		"what is configured":       {none, ports(http), ports(http), false},
		"[]":                       {ports(http), empty, empty, false},
		"what was there before":    {ports(https), ports(http), ports(https), false},
	} {
		t.Run(name, func(t *testing.T) {
			if found := invented(schema, test.prior, test.configured, test.planned, "x"); len(found) > 0 != test.wrong {
				t.Errorf("found %q", found)
			}
		})
	}
}
