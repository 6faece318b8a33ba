package provider

import (
	"flag"
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
	if schema.Schema.Version != 0 {
		t.Errorf("the version is %d: pin the shape of each version in a file of its own", schema.Schema.Version)
	}
	shape, err := schema.Schema.Type().TerraformType(t.Context()).MarshalJSON() //nolint:staticcheck // there is no other way to write a type down
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "shortcut_state_v0.json")
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
