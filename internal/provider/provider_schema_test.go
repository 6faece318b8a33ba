package provider

import (
	"maps"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// validateProvider checks a provider block as Terraform does before it uses it, and returns all that it says, an error a line.
func validateProvider(t *testing.T, values map[string]tftypes.Value) string {
	t.Helper()
	var schema provider.SchemaResponse
	New("test").Schema(t.Context(), provider.SchemaRequest{}, &schema)
	object, ok := schema.Schema.Type().TerraformType(t.Context()).(tftypes.Object)
	if !ok {
		t.Fatal("the schema is no object")
	}
	config, err := tfprotov6.NewDynamicValue(object, tftypes.NewValue(object, filled(object, values)))
	if err != nil {
		t.Fatal(err)
	}
	response, err := providerserver.NewProtocol6(New("test"))().ValidateProviderConfig(t.Context(), &tfprotov6.ValidateProviderConfigRequest{Config: &config})
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, diagnostic := range response.Diagnostics {
		lines = append(lines, diagnostic.Attribute.String()+": "+diagnostic.Summary+": "+diagnostic.Detail)
	}
	return strings.Join(lines, "\n")
}

// listOf is a list of these.
func listOf(values ...tftypes.Value) tftypes.Value {
	return tftypes.NewValue(tftypes.List{ElementType: tftypes.String}, values)
}

// program is an `exec` with these attributes besides those that it must have.
func program(values map[string]tftypes.Value) tftypes.Value {
	kind := tftypes.Object{AttributeTypes: map[string]tftypes.Type{
		"api_version": tftypes.String, "command": tftypes.String, "args": tftypes.List{ElementType: tftypes.String},
		"env": tftypes.Map{ElementType: tftypes.String},
	}}
	all := filled(kind, map[string]tftypes.Value{"api_version": text("v1"), "command": text("aws")})
	maps.Copy(all, values)
	return tftypes.NewValue(kind, all)
}

// null is a text that is not there.
var null = tftypes.NewValue(tftypes.String, nil)

func TestEmptyCredentialsAreRefusedAtTheirAttribute(t *testing.T) {
	for _, name := range []string{"config_path", "config_content", "liqo_namespace"} {
		if said := validateProvider(t, map[string]tftypes.Value{name: text("")}); !strings.Contains(said, name+" is empty") {
			t.Errorf("of an empty %s it says: %s", name, said)
		}
	}
	entry := func(name string, value tftypes.Value) string {
		return validateProvider(t, map[string]tftypes.Value{"clusters": clusters(t, map[string]map[string]tftypes.Value{"rome": {name: value}})})
	}
	for _, name := range []string{
		"config_path", "config_content", "config_context", "config_context_auth_info", "config_context_cluster", "host", "username", "password",
		"tls_server_name", "client_certificate", "client_key", "cluster_ca_certificate", "token", "proxy_url", "liqo_namespace",
	} {
		for _, empty := range []string{"", " \n"} {
			expected := `AttributeName("clusters").ElementKeyString("rome").AttributeName("` + name + `"): Empty value: clusters["rome"].` + name + " is empty."
			if said := entry(name, text(empty)); !strings.Contains(said, expected) {
				t.Errorf("of %q for %s it says: %s", empty, name, said)
			}
		}
	}
	for expected, said := range map[string]string{
		`clusters["rome"].config_paths[1] is empty`:   entry("config_paths", listOf(text("~/.kube/config"), text(""))),
		`config_paths[0] is empty`:                    validateProvider(t, map[string]tftypes.Value{"config_paths": listOf(text(""))}),
		`config_paths list must contain at least 1`:   validateProvider(t, map[string]tftypes.Value{"config_paths": listOf()}),
		`clusters["rome"].exec.command is empty`:      entry("exec", program(map[string]tftypes.Value{"command": text("")})),
		`clusters["rome"].exec.api_version is empty`:  entry("exec", program(map[string]tftypes.Value{"api_version": text("")})),
		`AttributeName("config_paths"): Null List`:    validateProvider(t, map[string]tftypes.Value{"config_paths": listOf(text("~/.kube/config"), null)}),
		`AttributeName("args"): Null List Value`:      entry("exec", program(map[string]tftypes.Value{"args": listOf(null)})),
		`AttributeName("env"): Null Map Value`:        entry("exec", program(map[string]tftypes.Value{"env": textByName("A", null)})),
		`AttributeName("clusters"): Null Map Value`:   validateProvider(t, map[string]tftypes.Value{"clusters": nullCluster(t)}),
		`AttributeName("clusters").ElementKeyString(`: validateProvider(t, map[string]tftypes.Value{"clusters": clusters(t, map[string]map[string]tftypes.Value{"": {}})}),
	} {
		if !strings.Contains(said, expected) {
			t.Errorf("expected %s, it says: %s", expected, said)
		}
		if strings.Contains(said, "Value Conversion Error") {
			t.Errorf("the framework speaks: %s", said)
		}
	}
}

// textByName is a map with one entry.
func textByName(name string, value tftypes.Value) tftypes.Value {
	return tftypes.NewValue(tftypes.Map{ElementType: tftypes.String}, map[string]tftypes.Value{name: value})
}

// nullCluster is a `clusters` in which rome is null.
func nullCluster(t *testing.T) tftypes.Value {
	t.Helper()
	kind, ok := clusters(t, nil).Type().(tftypes.Map)
	if !ok {
		t.Fatal("`clusters` is no map")
	}
	return tftypes.NewValue(kind, map[string]tftypes.Value{"rome": tftypes.NewValue(kind.ElementType, nil)})
}

func TestCredentialsThatMaySaySomethingAreAccepted(t *testing.T) {
	for name, values := range map[string]map[string]tftypes.Value{
		"values known later": {
			"config_path": unknownText,
			"clusters":    clusters(t, map[string]map[string]tftypes.Value{"rome": {"token": unknownText, "host": unknownText}}),
		},
		"a part of a list known later": {"config_paths": listOf(unknownText, text("~/.kube/config"))},
		"arguments and variables that are empty": {"clusters": clusters(t, map[string]map[string]tftypes.Value{"rome": {
			"host": text("https://rome"), "exec": program(map[string]tftypes.Value{"args": listOf(text("")), "env": textByName("A", text(""))}),
		}})},
		"an entry that says nothing": {"clusters": clusters(t, map[string]map[string]tftypes.Value{"rome": {}})},
	} {
		if said := validateProvider(t, values); said != "" {
			t.Errorf("%s: %s", name, said)
		}
	}
}
