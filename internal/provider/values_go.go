package provider

import (
	"context"
	"fmt"
	"math/big"
	"reflect"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// The packages below this one describe settings and what they observe by structs of Go. The tag `tfsdk` of a field is
// the name of its attribute. Fields without a tag, or whose attribute an object does not have, are left out. What is
// empty is null, except for what a pointer leads to, and for the elements of a list or a map.

// readInto copies the value of an attribute. What is null or unknown leaves its place empty.
func readInto(ctx context.Context, value attr.Value, into any) {
	read(terraformValue(ctx, value), reflect.ValueOf(into).Elem())
}

func terraformValue(ctx context.Context, value attr.Value) tftypes.Value {
	terraform, err := value.ToTerraformValue(ctx)
	if err != nil {
		panic(err) // every value of an attribute has one
	}
	return terraform
}

func read(value tftypes.Value, into reflect.Value) {
	if value.IsNull() || !value.IsKnown() {
		return
	}
	switch into.Kind() {
	case reflect.Pointer:
		into.Set(reflect.New(into.Type().Elem()))
		read(value, into.Elem())
	case reflect.Struct:
		attributes := as[map[string]tftypes.Value](value)
		for _, field := range reflect.VisibleFields(into.Type()) {
			if attribute, ok := attributes[field.Tag.Get("tfsdk")]; ok {
				read(attribute, into.FieldByIndex(field.Index))
			}
		}
	case reflect.Map:
		into.Set(reflect.MakeMap(into.Type()))
		for key, element := range as[map[string]tftypes.Value](value) {
			copied := reflect.New(into.Type().Elem()).Elem()
			read(element, copied)
			into.SetMapIndex(reflect.ValueOf(key), copied)
		}
	case reflect.Slice:
		elements := as[[]tftypes.Value](value)
		into.Set(reflect.MakeSlice(into.Type(), len(elements), len(elements)))
		for i, element := range elements {
			read(element, into.Index(i))
		}
	case reflect.String:
		into.SetString(as[string](value))
	default:
		number := as[big.Float](value)
		whole, _ := number.Int64()
		into.SetInt(whole)
	}
}

// as returns a value in the form that its type has.
func as[T any](value tftypes.Value) (form T) {
	if err := value.As(&form); err != nil {
		panic(fmt.Sprintf("a setting has another type than its attribute: %v", err))
	}
	return form
}

// objectOf returns what a struct says as an object with these attributes. It is null for nil.
func objectOf(ctx context.Context, attributes map[string]attr.Type, said any) types.Object {
	object := valueOf(ctx, types.ObjectType{AttrTypes: attributes}, said)
	return object.(types.Object) //nolint:errcheck,forcetypeassert // of this type
}

// valueOf returns the value of an attribute of this type.
func valueOf(ctx context.Context, kind attr.Type, said any) attr.Value {
	value, err := kind.ValueFromTerraform(ctx, written(ctx, kind.TerraformType(ctx), reflect.ValueOf(said)))
	if err != nil {
		panic(fmt.Sprintf("an attribute has another type than what it shows: %v", err))
	}
	return value
}

func written(ctx context.Context, kind tftypes.Type, said reflect.Value) tftypes.Value {
	if said.IsZero() {
		return tftypes.NewValue(kind, nil)
	}
	if value, ok := reflect.TypeAssert[attr.Value](said); ok {
		return terraformValue(ctx, value)
	}
	said = reflect.Indirect(said)
	switch kind := kind.(type) {
	case tftypes.Object:
		values := map[string]tftypes.Value{}
		for name, attribute := range kind.AttributeTypes {
			values[name] = tftypes.NewValue(attribute, nil)
		}
		for _, field := range reflect.VisibleFields(said.Type()) {
			if attribute, ok := kind.AttributeTypes[field.Tag.Get("tfsdk")]; ok {
				values[field.Tag.Get("tfsdk")] = written(ctx, attribute, said.FieldByIndex(field.Index))
			}
		}
		return tftypes.NewValue(kind, values)
	case tftypes.List:
		return tftypes.NewValue(kind, writtenAll(ctx, kind.ElementType, said))
	case tftypes.Set:
		return tftypes.NewValue(kind, writtenAll(ctx, kind.ElementType, said))
	case tftypes.Map:
		values := map[string]tftypes.Value{}
		for key, element := range said.Seq2() {
			values[key.String()] = writtenElement(ctx, kind.ElementType, element)
		}
		return tftypes.NewValue(kind, values)
	}
	if said.CanInt() {
		return tftypes.NewValue(kind, said.Int())
	}
	return tftypes.NewValue(kind, said.String())
}

func writtenAll(ctx context.Context, kind tftypes.Type, said reflect.Value) []tftypes.Value {
	all := []tftypes.Value{}
	for _, element := range said.Seq2() {
		all = append(all, writtenElement(ctx, kind, element))
	}
	return all
}

// writtenElement is written for an element, which is never null.
func writtenElement(ctx context.Context, kind tftypes.Type, said reflect.Value) tftypes.Value {
	pointer := reflect.New(said.Type())
	pointer.Elem().Set(said)
	return written(ctx, kind, pointer)
}
