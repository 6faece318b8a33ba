package liqo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"go/token"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unicode"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// Schema is the part of a schema that says which fields an object has.
type Schema struct {
	Type       string            `json:"type"`
	Properties map[string]Schema `json:"properties"`
	Items      *Schema           `json:"items"`
	Enum       []any             `json:"enum"`
}

// schemaOf returns the schema of a Go type that can be written in JSON.
func schemaOf(of reflect.Type) Schema {
	switch of.Kind() {
	case reflect.Pointer:
		return schemaOf(of.Elem())
	case reflect.Struct:
		fields := map[string]Schema{}
		for _, field := range reflect.VisibleFields(of) {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			fields[name] = schemaOf(field.Type)
		}
		return Schema{Type: "object", Properties: fields}
	case reflect.Map:
		return Schema{Type: "object"}
	case reflect.Slice:
		items := schemaOf(of.Elem())
		return Schema{Type: "array", Items: &items}
	case reflect.String:
		return Schema{Type: "string"}
	case reflect.Bool:
		return Schema{Type: "boolean"}
	default:
		return Schema{Type: "integer"}
	}
}

// Covers reports whether the schema has every field of a value.
func (s Schema) Covers(value any) bool {
	fields, _ := value.(map[string]any)
	for name, inner := range fields {
		schema, ok := s.Properties[name]
		if len(s.Properties) > 0 && (!ok || !schema.Covers(inner)) {
			return false
		}
	}
	return true
}

// at returns the schema of the field that is nested in all the others before it, if there is one. Of a list, that is
// the field of an item.
func (s Schema) at(names ...string) (field Schema, exists bool) {
	for _, name := range names {
		s, exists = s.Properties[name]
		if s.Items != nil {
			s = *s.Items
		}
	}
	return s, exists
}

// has reports whether there is such a field.
func (s Schema) has(names ...string) bool {
	_, exists := s.at(names...)
	return exists
}

// TemplateData returns a value of this schema as Liqo's controllers hand it to a Go template: an object is a struct
// with the fields that the schema has, so that any other field is an error, as it is in Liqo. A field that is not set
// has the zero value of its type. The value is data, so the types of Liqo that this program is built with limit
// nothing.
func (s Schema) TemplateData(value any) any {
	switch s.Type {
	case "object":
		set, _ := value.(map[string]any)
		if len(s.Properties) == 0 {
			return set // its keys are free, as those of labels are
		}
		return s.structure(set)
	case "array":
		items, _ := value.([]any)
		if s.Items == nil {
			return items
		}
		all := make([]any, len(items))
		for i, item := range items {
			all[i] = s.Items.TemplateData(item)
		}
		return all
	}
	if value != nil {
		return value
	}
	return map[string]any{"string": "", "integer": int64(0), "number": float64(0), "boolean": false}[s.Type]
}

// structure returns a struct with the fields of an object.
func (s Schema) structure(set map[string]any) any {
	values := map[string]any{}
	for field, schema := range s.Properties {
		for _, name := range goNames(field) {
			values[name] = schema.TemplateData(set[field])
		}
	}
	names := slices.Sorted(maps.Keys(values))
	fields := make([]reflect.StructField, len(names))
	for i, name := range names {
		fields[i] = reflect.StructField{Name: name, Type: reflect.TypeFor[any]()}
	}
	structure := reflect.New(reflect.StructOf(fields)).Elem()
	for i, name := range names {
		if value := values[name]; value != nil {
			structure.Field(i).Set(reflect.ValueOf(value))
		}
	}
	return structure.Interface()
}

// goNames returns what the field of a Go struct is called that is this field in JSON. It has two candidates for a name
// that may begin with an initialism: `mtu` is MTU in Liqo. A name that no field of Go can have gives none.
func goNames(field string) []string {
	word := strings.IndexFunc(field, unicode.IsUpper)
	if word < 0 {
		word = len(field)
	}
	first := min(1, word)
	names := []string{strings.ToUpper(field[:first]) + field[first:], strings.ToUpper(field[:word]) + field[word:]}
	return slices.DeleteFunc(names, func(name string) bool { return !token.IsIdentifier(name) || !token.IsExported(name) })
}

// Schemas are those of Liqo's networking kinds whose fields differ between versions of Liqo.
type Schemas struct{ Configuration, GatewayServer, GatewayClient, FirewallConfiguration Schema }

// CommonSchemas returns the schemas of the specs of gateways, with the fields that every version of Liqo has from 1.0
// on. There is none of the Configuration.
var CommonSchemas = sync.OnceValue(func() Schemas {
	server := schemaOf(reflect.TypeFor[networkingv1beta1.GatewayServerSpec]())
	for _, since12 := range []string{"serviceAnnotations", "serviceLabels"} {
		delete(server.Properties, since12)
	}
	gateway := func(spec Schema) Schema { return Schema{Type: "object", Properties: map[string]Schema{"spec": spec}} }
	return Schemas{
		GatewayServer: gateway(server),
		GatewayClient: gateway(schemaOf(reflect.TypeFor[networkingv1beta1.GatewayClientSpec]())),
	}
})

// SchemasOf reads the schemas that the API server of a leaf serves. It asks the API server once. The answer has more
// than a megabyte, which takes many round trips from a distant leaf. So ask only where [CommonSchemas] do not answer.
func SchemasOf(ctx context.Context, leaf *cluster.Leaf) (Schemas, error) {
	return cluster.Once(ctx, leaf, func() (schemas Schemas, err error) {
		document, err := networkingDocument(ctx, leaf)
		for _, each := range []struct {
			kind   string
			schema *Schema
		}{
			{networkingv1beta1.ConfigurationKind, &schemas.Configuration},
			{networkingv1beta1.GatewayServerKind, &schemas.GatewayServer},
			{networkingv1beta1.GatewayClientKind, &schemas.GatewayClient},
			{cluster.FirewallConfigurationKind, &schemas.FirewallConfiguration},
		} {
			if err == nil {
				*each.schema, err = document.schema(each.kind)
			}
		}
		return schemas, leaf.Explain(err)
	})
}

// document is the OpenAPI document of Liqo's networking kinds, in JSON.
type document []byte

// documentPath is where an API server has the document. A REST client puts the path of the server's address before it,
// for instance that of a proxy.
var documentPath = "/openapi/v3/apis/" + networkingv1beta1.GroupVersion.String()

// networkingDocument downloads the document. Client-go's client of OpenAPI would first ask for the list of all
// documents, which has a hash of each for caches. That costs a round trip, and there is no cache here.
func networkingDocument(ctx context.Context, leaf *cluster.Leaf) (document, error) {
	return leaf.Document(ctx, "schemas of "+networkingv1beta1.GroupVersion.String(), documentPath)
}

// schemaPrefix begins the names of the schemas of Liqo's networking kinds: an API server reverses the group.
const schemaPrefix = "io.liqo.networking.v1beta1."

// schema returns the schema of a kind, and decodes only this one. The document has more than a megabyte, mostly on
// requests, and to decode it all takes thirty times as long.
func (d document) schema(kind string) (Schema, error) {
	name := `"` + schemaPrefix + kind + `"` // a reference to the schema has a path before the name
	_, rest, _ := bytes.Cut(d, []byte(name))
	value, ok := bytes.CutPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte(":"))
	if !ok {
		return Schema{}, fmt.Errorf("the API server has no schema of the kind %s", kind)
	}
	var schema Schema
	if err := json.NewDecoder(bytes.NewReader(value)).Decode(&schema); err != nil {
		return Schema{}, fmt.Errorf("the schema of the kind %s: %w", kind, err)
	}
	return schema, nil
}
