package liqo

import (
	"go/token"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode"
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

// has reports whether there is a field, which is nested in all the others before it.
func (s Schema) has(names ...string) bool {
	for _, name := range names {
		inner, ok := s.Properties[name]
		if !ok {
			return false
		}
		s = inner
	}
	return true
}

// at returns the schema of the field that is nested in all the others before it. Of a list, that is the field of an
// item. It is empty if there is none.
func (s Schema) at(names ...string) Schema {
	for _, name := range names {
		s = s.Properties[name]
		if s.Items != nil {
			s = *s.Items
		}
	}
	return s
}

// allows reports whether a value is one of those that the schema lists.
func (s Schema) allows(value string) bool { return slices.Contains(s.Enum, any(value)) }

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
