package provider

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	providerschema "github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// unconfigured returns a provider that knows no leaf. All tests share it, because it makes and checks each schema when
// the schema is first needed.
var unconfigured = sync.OnceValue(providerserver.NewProtocol6(New("test")))

// providerSchema returns the schema of a provider block.
var providerSchema = sync.OnceValue(func() providerschema.Schema {
	var response provider.SchemaResponse
	New("test").Schema(context.Background(), provider.SchemaRequest{}, &response)
	return response.Schema
})

// shortcutSchema returns the schema of a liqo_shortcut.
var shortcutSchema = sync.OnceValue(func() schema.Schema { return shortcutResourceSchema(context.Background()) })

// shortcutType returns the Terraform type of this schema.
var shortcutType = sync.OnceValue(func() tftypes.Object { return typeOf(shortcutSchema()) })

// typeOf returns the Terraform type of a schema.
func typeOf(schema interface{ Type() attr.Type }) tftypes.Object {
	kind := schema.Type().TerraformType(context.Background())
	return kind.(tftypes.Object) //nolint:errcheck,forcetypeassert // a schema is an object
}

// values holds the values of an object's attributes, by dotted path. Values in a null or unknown nested object are null
// or unknown themselves.
type values map[string]tftypes.Value

// of returns an object with these values. Other attributes, and nested objects without any of these values, are null.
func (v values) of(kind tftypes.Object) tftypes.Value { return v.within(kind, "") }

func (v values) within(kind tftypes.Object, prefix string) tftypes.Value {
	attributes, empty := map[string]tftypes.Value{}, prefix != ""
	for path := range v {
		empty = empty && !strings.HasPrefix(path, prefix)
	}
	if empty {
		return tftypes.NewValue(kind, nil)
	}
	for name, kind := range kind.AttributeTypes {
		if nested, ok := kind.(tftypes.Object); ok {
			attributes[name] = v.within(nested, prefix+name+".")
		} else if value, ok := v[prefix+name]; ok {
			attributes[name] = value
		} else {
			attributes[name] = tftypes.NewValue(kind, nil)
		}
	}
	return tftypes.NewValue(kind, attributes)
}

// valuesOf returns the values of an object.
func valuesOf(t *testing.T, object tftypes.Value) values {
	t.Helper()
	all := values{}
	all.take(t, object, "")
	return all
}

func (v values) take(t *testing.T, object tftypes.Value, prefix string) {
	t.Helper()
	attributes := map[string]tftypes.Value{}
	if object.IsKnown() && !object.IsNull() {
		must(t, object.As(&attributes))
	}
	of := object.Type().(tftypes.Object) //nolint:errcheck,forcetypeassert // it is an object
	for name, kind := range of.AttributeTypes {
		value, ok := attributes[name]
		switch {
		case !ok && object.IsKnown():
			value = tftypes.NewValue(kind, nil)
		case !ok:
			value = unknownOf(kind)
		}
		if kind.Is(tftypes.Object{}) {
			v.take(t, value, prefix+name+".")
		} else {
			v[prefix+name] = value
		}
	}
}

func text(value string) tftypes.Value { return tftypes.NewValue(tftypes.String, value) }

func number(value int) tftypes.Value { return tftypes.NewValue(tftypes.Number, value) }

func boolean(value bool) tftypes.Value { return tftypes.NewValue(tftypes.Bool, value) }

// listOf returns a list of texts.
func listOf(texts ...tftypes.Value) tftypes.Value {
	return tftypes.NewValue(tftypes.List{ElementType: tftypes.String}, texts)
}

// textByName returns a map with one text.
func textByName(name string, value tftypes.Value) tftypes.Value {
	return tftypes.NewValue(tftypes.Map{ElementType: tftypes.String}, map[string]tftypes.Value{name: value})
}

func unknownOf(kind tftypes.Type) tftypes.Value { return tftypes.NewValue(kind, tftypes.UnknownValue) }

// null and unknownText are texts.
var null, unknownText = tftypes.NewValue(tftypes.String, nil), unknownOf(tftypes.String)

// romeMilan returns a liqo_shortcut between rome and milan with these settings.
func romeMilan(settings values) tftypes.Value {
	all := values{"client": text("rome"), "server": text("milan")}
	maps.Copy(all, settings)
	return all.of(shortcutType())
}

// sent returns a value in the form in which Terraform sends it.
func sent(t *testing.T, value tftypes.Value) *tfprotov6.DynamicValue {
	t.Helper()
	dynamic, err := tfprotov6.NewDynamicValue(value.Type(), value)
	must(t, err)
	return &dynamic
}

// validated returns all diagnostics of a validation of a liqo_shortcut, one error per line.
func validated(t *testing.T, config tftypes.Value) string {
	t.Helper()
	return validatedAs(t, "liqo_shortcut", config)
}

// validatedAs does the same for a resource of this type.
func validatedAs(t *testing.T, typeName string, config tftypes.Value) string {
	t.Helper()
	response, err := unconfigured().ValidateResourceConfig(t.Context(),
		&tfprotov6.ValidateResourceConfigRequest{TypeName: typeName, Config: sent(t, config)})
	must(t, err)
	return told(response.Diagnostics)
}

// accepted fails the test if a validation has said anything.
func accepted(t *testing.T, said string) {
	t.Helper()
	if said != "" {
		t.Error(said)
	}
}

// told returns diagnostics as text, one a line: the attribute, the summary and the detail.
func told(diagnostics []*tfprotov6.Diagnostic) string {
	lines := make([]string, len(diagnostics))
	for i, diagnostic := range diagnostics {
		text, _, _ := strings.Cut(diagnostic.Detail, "\n\n"+help)
		lines[i] = pathText(diagnostic.Attribute) + ": " + diagnostic.Summary + ": " + text
	}
	return strings.Join(lines, "\n")
}

// pathText returns a path as in a configuration. An element of a set has no index.
func pathText(path *tftypes.AttributePath) string {
	var text strings.Builder
	for _, step := range path.Steps() {
		switch step := step.(type) {
		case tftypes.AttributeName:
			text.WriteString("." + string(step))
		case tftypes.ElementKeyString:
			fmt.Fprintf(&text, "[%q]", string(step))
		case tftypes.ElementKeyInt:
			fmt.Fprintf(&text, "[%d]", int64(step))
		case tftypes.ElementKeyValue:
			text.WriteString("[]")
		}
	}
	return strings.TrimPrefix(text.String(), ".")
}

// planned returns the plan of a new liqo_shortcut while the provider knows no leaf yet.
func planned(t *testing.T, config tftypes.Value) tftypes.Value {
	t.Helper()
	return plannedAs(t, "liqo_shortcut", config)
}

// plannedAs does the same for a resource of this type.
func plannedAs(t *testing.T, typeName string, config tftypes.Value) tftypes.Value {
	t.Helper()
	response, err := unconfigured().
		PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{
			TypeName: typeName, Config: sent(t, config), ProposedNewState: sent(t, config),
			PriorState: sent(t, tftypes.NewValue(config.Type(), nil)),
		})
	if err != nil || len(response.Diagnostics) > 0 {
		t.Fatalf("%v %v", err, response.Diagnostics)
	}
	value, err := response.PlannedState.Unmarshal(config.Type())
	must(t, err)
	return value
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// sound fails the test if one of the diagnostics is an error.
func sound(tb testing.TB, diags diag.Diagnostics) {
	tb.Helper()
	if diags.HasError() {
		tb.Fatal(diags)
	}
}
