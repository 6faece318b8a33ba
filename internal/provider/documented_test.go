package provider

import (
	"os"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/list"
)

func TestThePageOfTheListResourceHasEveryArgument(t *testing.T) {
	const file = "../../templates/list-resources/shortcut.md"
	page, err := os.ReadFile(file)
	must(t, err)
	var described list.ListResourceSchemaResponse
	newShortcutList().ListResourceConfigSchema(t.Context(), list.ListResourceSchemaRequest{}, &described)
	for name := range described.Schema.Attributes {
		if !strings.Contains(string(page), "- `"+name+"` (") {
			t.Errorf("%s does not have `%s`", file, name)
		}
	}
}
