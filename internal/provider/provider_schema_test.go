package provider

import (
	"maps"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// validateProvider validates a provider block in the same way as Terraform. It returns all diagnostics, one error per
// line.
func validateProvider(t *testing.T, values map[string]tftypes.Value) string {
	t.Helper()
	var schema provider.SchemaResponse
	New("test").Schema(t.Context(), provider.SchemaRequest{}, &schema)
	object, ok := schema.Schema.Type().TerraformType(t.Context()).(tftypes.Object)
	if !ok {
		t.Fatal("the schema is not an object")
	}
	config, err := tfprotov6.NewDynamicValue(object, tftypes.NewValue(object, filled(object, values)))
	must(t, err)
	response, err := unconfigured().ValidateProviderConfig(
		t.Context(), &tfprotov6.ValidateProviderConfigRequest{Config: &config},
	)
	must(t, err)
	return told(response.Diagnostics)
}

// listOf returns a list of these values.
func listOf(values ...tftypes.Value) tftypes.Value {
	return tftypes.NewValue(tftypes.List{ElementType: tftypes.String}, values)
}

// program returns an `exec` with these attributes and the required ones.
func program(values map[string]tftypes.Value) tftypes.Value {
	kind := tftypes.Object{AttributeTypes: map[string]tftypes.Type{
		"api_version": tftypes.String, "command": tftypes.String, "args": tftypes.List{ElementType: tftypes.String},
		"env": tftypes.Map{ElementType: tftypes.String},
	}}
	all := filled(kind, map[string]tftypes.Value{"api_version": text("v1"), "command": text("aws")})
	maps.Copy(all, values)
	return tftypes.NewValue(kind, all)
}

// null is a missing string.
var null = tftypes.NewValue(tftypes.String, nil)

func TestEmptyCredentialsAreRejectedAtTheirAttribute(t *testing.T) {
	for _, name := range []string{"config_path", "config_content", "liqo_namespace"} {
		if said := validateProvider(t, map[string]tftypes.Value{name: text("")}); !strings.Contains(said, name+" is empty") {
			t.Errorf("an empty %s: %s", name, said)
		}
	}
	entry := func(name string, value tftypes.Value) string {
		return validateProvider(
			t, map[string]tftypes.Value{"clusters": clusters(t, map[string]map[string]tftypes.Value{"rome": {name: value}})},
		)
	}
	for _, name := range []string{
		"config_path", "config_content", "config_context", "config_context_auth_info", "config_context_cluster", "host",
		"username", "password",
		"tls_server_name", "client_certificate", "client_key", "cluster_ca_certificate", "token", "proxy_url",
		"liqo_namespace", "credentials_from", "cluster_id",
	} {
		for _, empty := range []string{"", " \n"} {
			expected := `AttributeName("clusters").ElementKeyString("rome").AttributeName("` + name + `"): ` +
				`Empty value: clusters["rome"].` + name + " is empty."
			if said := entry(name, text(empty)); !strings.Contains(said, expected) {
				t.Errorf("%q for %s: %s", empty, name, said)
			}
		}
	}
	for expected, said := range map[string]string{
		`clusters["rome"].config_paths[1] is empty`: entry("config_paths", listOf(text("~/.kube/config"), text(""))),
		`config_paths[0] is empty`: validateProvider(
			t, map[string]tftypes.Value{"config_paths": listOf(text(""))},
		),
		`config_paths list must contain at least 1`: validateProvider(
			t, map[string]tftypes.Value{"config_paths": listOf()},
		),
		`clusters["rome"].exec.command is empty`: entry("exec", program(map[string]tftypes.Value{"command": text("")})),
		`clusters["rome"].exec.api_version is empty`: entry(
			"exec", program(map[string]tftypes.Value{"api_version": text("")}),
		),
		`AttributeName("config_paths"): Null List`: validateProvider(
			t, map[string]tftypes.Value{"config_paths": listOf(text("~/.kube/config"), null)},
		),
		`AttributeName("args"): Null List Value`: entry("exec", program(map[string]tftypes.Value{"args": listOf(null)})),
		`AttributeName("env"): Null Map Value`: entry(
			"exec", program(map[string]tftypes.Value{"env": textByName("A", null)}),
		),
		`AttributeName("clusters"): Null Map Value`: validateProvider(
			t, map[string]tftypes.Value{"clusters": nullCluster(t)},
		),
		`AttributeName("clusters").ElementKeyString(`: validateProvider(
			t, map[string]tftypes.Value{"clusters": clusters(t, map[string]map[string]tftypes.Value{"": {}})},
		),
	} {
		t.Run(expected, func(t *testing.T) {
			if !strings.Contains(said, expected) {
				t.Errorf("expected %s, got: %s", expected, said)
			}
			if strings.Contains(said, "Value Conversion Error") {
				t.Errorf("an error of the framework: %s", said)
			}
		})
	}
}

func TestALeafThatIsReachedThroughAnotherHasNoOtherCredentials(t *testing.T) {
	entry := func(values map[string]tftypes.Value) string {
		return validateProvider(
			t, map[string]tftypes.Value{"clusters": clusters(t, map[string]map[string]tftypes.Value{"rome": values})},
		)
	}
	through := text("europe")
	for name, value := range map[string]tftypes.Value{
		"config_path": through, "config_paths": listOf(through), "config_content": through, "config_context": through,
		"username": through, "token": through, "client_certificate": through, "client_key": through, "exec": program(nil),
	} {
		t.Run(name, func(t *testing.T) {
			if said := entry(map[string]tftypes.Value{"credentials_from": through, name: value}); !strings.Contains(
				said, "cannot be specified when",
			) {
				t.Error(said)
			}
		})
	}
	for name, value := range map[string]tftypes.Value{
		"cluster_id": through, "host": through, "proxy_url": through, "tls_server_name": through,
	} {
		t.Run(name, func(t *testing.T) {
			if said := entry(map[string]tftypes.Value{"credentials_from": through, name: value}); said != "" {
				t.Error(said)
			}
		})
	}
	if said := entry(map[string]tftypes.Value{"cluster_id": through}); said != "" {
		t.Errorf("a cluster ID without a centre: %s", said)
	}
	said := entry(map[string]tftypes.Value{"cluster_id": text("Europe\"")})
	if !strings.Contains(said, "Not a cluster ID") {
		t.Errorf("a cluster ID with a quote: %s", said)
	}
}

// textByName returns a map with one entry.
func textByName(name string, value tftypes.Value) tftypes.Value {
	return tftypes.NewValue(tftypes.Map{ElementType: tftypes.String}, map[string]tftypes.Value{name: value})
}

// nullCluster returns a `clusters` whose entry rome is null.
func nullCluster(t *testing.T) tftypes.Value {
	t.Helper()
	kind, ok := clusters(t, nil).Type().(tftypes.Map)
	if !ok {
		t.Fatal("`clusters` is not a map")
	}
	return tftypes.NewValue(kind, map[string]tftypes.Value{"rome": tftypes.NewValue(kind.ElementType, nil)})
}

func TestCredentialsThatAreUnknownOrMayBeEmptyAreAccepted(t *testing.T) {
	for name, values := range map[string]map[string]tftypes.Value{
		"unknown values": {
			"config_path": unknownText,
			"clusters":    clusters(t, map[string]map[string]tftypes.Value{"rome": {"token": unknownText, "host": unknownText}}),
		},
		"a partly unknown list": {"config_paths": listOf(unknownText, text("~/.kube/config"))},
		"empty arguments and variables": {"clusters": clusters(t, map[string]map[string]tftypes.Value{"rome": {
			"host": text("https://rome"),
			"exec": program(map[string]tftypes.Value{"args": listOf(text("")), "env": textByName("A", text(""))}),
		}})},
		"an empty entry": {"clusters": clusters(t, map[string]map[string]tftypes.Value{"rome": {}})},
	} {
		t.Run(name, func(t *testing.T) {
			if said := validateProvider(t, values); said != "" {
				t.Error(said)
			}
		})
	}
}
