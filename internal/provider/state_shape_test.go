package provider

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource"
)

var update = flag.Bool("update", false, "write what the tests compare with anew")

// A state that an older version of the provider has written must be readable by a newer one. If this test fails, raise the schema's version, give it a
// state upgrader and a test of that, and only then run `go test ./internal/provider -update`.
func TestTheShapeOfTheStateOnlyChangesWithItsVersion(t *testing.T) {
	var schema resource.SchemaResponse
	newShortcutResource().Schema(t.Context(), resource.SchemaRequest{}, &schema)
	shape, err := schema.Schema.Type().TerraformType(t.Context()).MarshalJSON() //nolint:staticcheck // there is no other way to write a type down
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", fmt.Sprintf("shortcut_state_v%d.json", schema.Schema.Version))
	if *update {
		if err := os.WriteFile(golden, append(shape, '\n'), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	expected, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if string(shape)+"\n" != string(expected) {
		t.Errorf("the state has another shape now:\n%s\nexpected:\n%s", shape, expected)
	}
}
