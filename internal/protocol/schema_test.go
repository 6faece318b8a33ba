package protocol

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	ctyjson "github.com/zclconf/go-cty/cty/json"
	"github.com/zclconf/go-cty/cty/msgpack"

	"github.com/leafmesh/terraform-provider-liqo/internal/provider"
)

// schema is that of a provider, a resource, a data source or a list resource.
type schema struct {
	attributes []*tfprotov6.SchemaAttribute
	version    int64
	of         cty.Type
}

// schemaFor returns the schema of a provider, a resource, a data source or a list, or the type of an identity.
func schemaFor(kind, typeName string) schema { return schemas()[keyOf(kind, typeName)] }

// unconfigured returns a provider that knows no leaf. All tests share it, because it makes and checks each schema when
// the schema is first needed.
var unconfigured = sync.OnceValue(providerserver.NewProtocol6(provider.New("test")))

// schemas are all of the provider's, by the keys of [keyOf].
var schemas = sync.OnceValue(func() map[string]schema {
	answer := sure(unconfigured().GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{}))
	identities := sure(unconfigured().GetResourceIdentitySchemas(context.Background(),
		&tfprotov6.GetResourceIdentitySchemasRequest{}))
	all := map[string]schema{keyOf("provider", "liqo"): schemaOf(answer.Provider)}
	for kind, some := range map[string]map[string]*tfprotov6.Schema{
		"resource": answer.ResourceSchemas, "data": answer.DataSourceSchemas, "list": answer.ListResourceSchemas,
	} {
		for name, one := range some {
			all[keyOf(kind, name)] = schemaOf(one)
		}
	}
	for name, identity := range identities.IdentitySchemas {
		all[keyOf("identity", name)] = schema{of: typeOf(identity.ValueType())}
	}
	return all
})

func keyOf(kind, typeName string) string { return kind + " " + typeName }

func schemaOf(one *tfprotov6.Schema) schema {
	return schema{one.Block.Attributes, one.Version, typeOf(one.ValueType())}
}

func typeOf(kind tftypes.Type) cty.Type { return sure(ctyjson.UnmarshalType(sure(json.Marshal(kind)))) }

// sure returns a result that can't fail, unless the provider or these tests confuse types.
func sure[T any](result T, err error) T {
	if err != nil {
		panic(err)
	}
	return result
}

// fill returns a configured value with all attributes of its type. Those that are missing are null.
func fill(value cty.Value, kind cty.Type) (cty.Value, error) {
	return convert.Convert(value, lenient(kind))
}

// lenient is a type whose objects may lack attributes.
func lenient(kind cty.Type) cty.Type {
	switch {
	case kind.IsObjectType():
		attributes, names := map[string]cty.Type{}, []string{}
		for name, attribute := range kind.AttributeTypes() {
			attributes[name] = lenient(attribute)
			names = append(names, name)
		}
		return cty.ObjectWithOptionalAttrs(attributes, names)
	case kind.IsListType():
		return cty.List(lenient(kind.ElementType()))
	case kind.IsSetType():
		return cty.Set(lenient(kind.ElementType()))
	case kind.IsMapType():
		return cty.Map(lenient(kind.ElementType()))
	default:
		return kind
	}
}

// sent returns a value as it crosses to the provider.
func sent(value cty.Value, kind cty.Type) *tfprotov6.DynamicValue {
	return &tfprotov6.DynamicValue{MsgPack: sure(msgpack.Marshal(value, kind))}
}

// received returns a value of the provider's answer, which may lack it.
func received(answer *tfprotov6.DynamicValue, kind cty.Type) cty.Value {
	if answer == nil {
		return cty.NullVal(kind)
	}
	return sure(msgpack.Unmarshal(answer.MsgPack, kind))
}

// at returns a nested value: steps are names of attributes, keys of maps and indices of lists.
func at(value cty.Value, steps ...any) cty.Value {
	for _, step := range steps {
		if value.IsNull() || !value.IsKnown() {
			return value
		}
		switch step := step.(type) {
		case int:
			value = value.Index(cty.NumberIntVal(int64(step)))
		case string:
			if value.Type().IsMapType() {
				value = value.Index(cty.StringVal(step))
			} else {
				value = value.GetAttr(step)
			}
		}
	}
	return value
}

const unknown = "(known after apply)"

// shown returns a value as text: a string as it is, everything else as JSON.
func shown(value cty.Value) string {
	switch {
	case !value.IsWhollyKnown():
		return unknown
	case value.Type() == cty.String && !value.IsNull():
		return value.AsString()
	}
	return string(sure(ctyjson.Marshal(value, value.Type())))
}
