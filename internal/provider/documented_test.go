package provider

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

// attributesPage has a table for each resource.
const attributesPage = "../../templates/guides/attributes.md.tmpl"

func TestEveryAttributeOfAResourceIsOnThePageOfAttributesWithItsDefault(t *testing.T) {
	page, err := os.ReadFile(attributesPage)
	if err != nil {
		t.Fatal(err)
	}
	for _, newResource := range New("test").Resources(t.Context()) {
		r := newResource()
		var name resource.MetadataResponse
		r.Metadata(t.Context(), resource.MetadataRequest{ProviderTypeName: TypeName}, &name)
		var described resource.SchemaResponse
		r.Schema(t.Context(), resource.SchemaRequest{}, &described)
		want, got := defaultsOf("", described.Schema.Attributes), documentedDefaults(string(page), name.TypeName)
		for _, attribute := range slices.Sorted(maps.Keys(want)) {
			shown, found := got[attribute]
			switch {
			case !found:
				t.Errorf("%s has no row for `%s` of %s", attributesPage, attribute, name.TypeName)
			case want[attribute] != "" && shown != want[attribute]:
				t.Errorf("%s says that the default of `%s` of %s is %q. It is %q", attributesPage, attribute, name.TypeName, shown,
					want[attribute])
			}
			delete(got, attribute)
		}
		for attribute := range got {
			t.Errorf("%s has a row for `%s`, which %s does not have", attributesPage, attribute, name.TypeName)
		}
	}
}

// defaultsOf returns the attributes that can be set, without blocks, and their defaults in Markdown. A default is empty
// if the description of the attribute has none that is a value.
func defaultsOf(prefix string, attributes map[string]schema.Attribute) map[string]string {
	value := regexp.MustCompile("Default: (`[^`]+`)")
	defaults := map[string]string{}
	for name, attribute := range attributes {
		nested, isBlock := attribute.(schema.NestedAttribute)
		switch {
		case !attribute.IsRequired() && !attribute.IsOptional():
		case name == "timeouts": // its attributes are of another type
			if operations, ok := attribute.GetType().(attr.TypeWithAttributeTypes); ok {
				for operation := range operations.AttributeTypes() {
					defaults["timeouts."+operation] = ""
				}
			}
		case isBlock:
			inner := map[string]schema.Attribute{}
			for name, attribute := range nested.GetNestedObject().GetAttributes() {
				if a, ok := attribute.(schema.Attribute); ok {
					inner[name] = a
				}
			}
			maps.Copy(defaults, defaultsOf(prefix+name+".", inner))
		case attribute.IsRequired():
			defaults[prefix+name] = "required"
		default:
			defaults[prefix+name] = ""
			if found := value.FindStringSubmatch(attribute.GetMarkdownDescription()); found != nil {
				defaults[prefix+name] = found[1]
			}
		}
	}
	return defaults
}

// documentedDefaults returns the attributes of one resource and their defaults.
func documentedDefaults(page, name string) map[string]string {
	_, section, _ := strings.Cut(page, "\n## "+name+"\n")
	section, _, _ = strings.Cut(section, "\n## ")
	row := regexp.MustCompile("(?m)^\\| `([a-z_.]+)` \\| (.+?) \\| .+ \\|$")
	defaults := map[string]string{}
	for _, found := range row.FindAllStringSubmatch(section, -1) {
		defaults[found[1]] = found[2]
	}
	return defaults
}

func TestThePageOfTheListResourceHasEveryArgument(t *testing.T) {
	const file = "../../templates/list-resources/shortcut.md"
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var described list.ListResourceSchemaResponse
	newShortcutList().ListResourceConfigSchema(t.Context(), list.ListResourceSchemaRequest{}, &described)
	for name := range described.Schema.Attributes {
		if !strings.Contains(string(page), "- `"+name+"` (") {
			t.Errorf("%s does not have `%s`", file, name)
		}
	}
}
