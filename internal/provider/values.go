package provider

import (
	"context"
	"fmt"
	"maps"
	"reflect"

	"github.com/hashicorp/terraform-plugin-framework-nettypes/cidrtypes"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// attributeTypes returns the types of a block's attributes, from its schema.
func attributeTypes[A interface{ GetType() attr.Type }](attributes map[string]A) map[string]attr.Type {
	all := make(map[string]attr.Type, len(attributes))
	for name, attribute := range attributes {
		all[name] = attribute.GetType()
	}
	return all
}

// objectWith returns an object with these types and values. An attribute without a value is null.
func objectWith(ctx context.Context, attributes map[string]attr.Type, values map[string]attr.Value) types.Object {
	all := make(map[string]attr.Value, len(attributes))
	for name, kind := range attributes {
		all[name] = nullOf(ctx, kind)
	}
	maps.Copy(all, values)
	return types.ObjectValueMust(attributes, all)
}

func nullOf(ctx context.Context, kind attr.Type) attr.Value {
	null, err := kind.ValueFromTerraform(ctx, tftypes.NewValue(kind.TerraformType(ctx), nil))
	if err != nil {
		panic(fmt.Sprintf("type %s has no null: %v", kind, err)) // every type has one
	}
	return null
}

// sameValues reports whether two models of a resource have the same value of each attribute.
func sameValues[M any](one, other *M) bool {
	ours, theirs := reflect.ValueOf(*one), reflect.ValueOf(*other)
	for _, field := range reflect.VisibleFields(ours.Type()) {
		if field.Anonymous {
			continue // its own fields are visible, too
		}
		our, ok := reflect.TypeAssert[attr.Value](ours.FieldByIndex(field.Index))
		their, alsoOK := reflect.TypeAssert[attr.Value](theirs.FieldByIndex(field.Index))
		if !ok || !alsoOK || !our.Equal(their) {
			return false
		}
	}
	return true
}

// given reports whether a value is set: neither null nor unknown.
func given(value attr.Value) bool { return !value.IsNull() && !value.IsUnknown() }

// fullyKnown reports whether all values, and all values nested in them, are known.
func fullyKnown(ctx context.Context, values ...attr.Value) bool {
	for _, value := range values {
		terraform, err := value.ToTerraformValue(ctx)
		if err != nil || !terraform.IsFullyKnown() {
			return false
		}
	}
	return true
}

// known returns the new text or, if it is empty, the old one.
func known(old types.String, text string) types.String {
	if text == "" && !old.IsUnknown() {
		return old
	}
	return stringOrNull(text)
}

func stringOrNull(text string) types.String {
	if text == "" {
		return types.StringNull()
	}
	return types.StringValue(text)
}

func int32OrNull(number int32) types.Int32 {
	if number == 0 {
		return types.Int32Null()
	}
	return types.Int32Value(number)
}

func cidrOrNull(cidr string) cidrtypes.IPPrefix {
	if cidr == "" {
		return cidrtypes.NewIPPrefixNull()
	}
	return cidrtypes.NewIPPrefixValue(cidr)
}

// cidrList returns null for nil.
func cidrList(cidrs []string) types.List {
	if cidrs == nil {
		return types.ListNull(cidrtypes.IPPrefixType{})
	}
	values := make([]attr.Value, len(cidrs))
	for i, cidr := range cidrs {
		values[i] = cidrtypes.NewIPPrefixValue(cidr)
	}
	return types.ListValueMust(cidrtypes.IPPrefixType{}, values)
}
