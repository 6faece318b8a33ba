package provider

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// unconfigured returns a provider that knows no leaf. All tests share it, because it makes and checks each schema when
// the schema is first needed.
var unconfigured = sync.OnceValue(providerserver.NewProtocol6(New("test")))

// shortcutSchema returns the schema of a liqo_shortcut.
var shortcutSchema = sync.OnceValue(func() schema.Schema {
	var response resource.SchemaResponse
	newShortcutResource().Schema(context.Background(), resource.SchemaRequest{}, &response)
	return response.Schema
})

// shortcutType returns the Terraform type of this schema.
var shortcutType = sync.OnceValue(func() tftypes.Object {
	kind := shortcutSchema().Type().TerraformType(context.Background())
	return kind.(tftypes.Object) //nolint:errcheck,forcetypeassert // a schema is an object
})

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

// told returns diagnostics as text, one a line: the attribute, the summary and the detail.
func told(diagnostics []*tfprotov6.Diagnostic) string {
	lines := make([]string, len(diagnostics))
	for i, diagnostic := range diagnostics {
		text, _, _ := strings.Cut(diagnostic.Detail, "\n\n"+help)
		lines[i] = diagnostic.Attribute.String() + ": " + diagnostic.Summary + ": " + text
	}
	return strings.Join(lines, "\n")
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
