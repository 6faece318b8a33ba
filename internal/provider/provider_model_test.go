package provider

import (
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// providerBlock returns a provider block with these attributes. The others are null.
func providerBlock(t *testing.T, values map[string]tftypes.Value) providerModel {
	t.Helper()
	var schema provider.SchemaResponse
	New("test").Schema(t.Context(), provider.SchemaRequest{}, &schema)
	object, ok := schema.Schema.Type().TerraformType(t.Context()).(tftypes.Object)
	if !ok {
		t.Fatal("the schema is not an object")
	}
	config := tfsdk.Config{Schema: schema.Schema, Raw: tftypes.NewValue(object, filled(object, values))}
	var model providerModel
	sound(t, config.Get(t.Context(), &model))
	return model
}

// clusters returns a `clusters` attribute with these entries. Their other attributes are null.
func clusters(t *testing.T, entries map[string]map[string]tftypes.Value) tftypes.Value {
	t.Helper()
	var schema provider.SchemaResponse
	New("test").Schema(t.Context(), provider.SchemaRequest{}, &schema)
	attribute, diags := schema.Schema.AttributeAtPath(t.Context(), path.Root("clusters"))
	sound(t, diags)
	mapType, ok := attribute.GetType().TerraformType(t.Context()).(tftypes.Map)
	if !ok {
		t.Fatal("`clusters` is not a map")
	}
	entryType, ok := mapType.ElementType.(tftypes.Object)
	if !ok {
		t.Fatal("an entry of `clusters` is not an object")
	}
	values := map[string]tftypes.Value{}
	for name, entry := range entries {
		values[name] = tftypes.NewValue(entryType, filled(entryType, entry))
	}
	return tftypes.NewValue(mapType, values)
}

func filled(object tftypes.Object, values map[string]tftypes.Value) map[string]tftypes.Value {
	all := map[string]tftypes.Value{}
	for name, attribute := range object.AttributeTypes {
		all[name] = tftypes.NewValue(attribute, nil)
	}
	maps.Copy(all, values)
	return all
}

func text(value string) tftypes.Value { return tftypes.NewValue(tftypes.String, value) }

var unknownText = tftypes.NewValue(tftypes.String, tftypes.UnknownValue)

func environment(variables map[string]string) func(string) string {
	return func(name string) string { return variables[name] }
}

func TestTheProviderBlockOverridesTheEnvironment(t *testing.T) {
	variables := environment(map[string]string{"KUBE_CONFIG_PATH": "/from/environment"})
	for expected, values := range map[string]map[string]tftypes.Value{
		"/from/environment": {},
		"/from/block":       {"config_path": text("/from/block")},
		"/from/list": {"config_paths": tftypes.NewValue(tftypes.List{ElementType: tftypes.String}, []tftypes.Value{
			text("/from/list"),
		})},
	} {
		t.Run(expected, func(t *testing.T) {
			model := providerBlock(t, values)
			config, _, diags := model.config(t.Context(), variables)
			if diags.HasError() || len(config.Kubeconfig.Paths) != 1 || config.Kubeconfig.Paths[0] != expected {
				t.Errorf("got %v (%v), expected %s", config.Kubeconfig.Paths, diags, expected)
			}
		})
	}
}

func TestEveryCredentialOfAClusterIsUsed(t *testing.T) {
	entries := clusters(t, map[string]map[string]tftypes.Value{"rome": {
		"config_path": text("1"), "config_context": text("2"),
		"config_context_auth_info": text("3"), "config_context_cluster": text("4"),
		"host": text("5"), "username": text("6"), "password": text("7"),
		"tls_server_name": text("8"), "client_certificate": text("9"), "client_key": text("10"),
		"cluster_ca_certificate": text("11"), "token": text("12"), "proxy_url": text("13"),
		"credentials_from": text("15"), "cluster_id": text("16"),
		"liqo_namespace": text("14"), "insecure": tftypes.NewValue(tftypes.Bool, true),
	}})
	model := providerBlock(t, map[string]tftypes.Value{"clusters": entries})
	config, _, diags := model.config(t.Context(), environment(nil))
	sound(t, diags)
	rome := config.Clusters["rome"]
	if rome.Kubeconfig.Paths[0] != "1" || rome.Context != "2" ||
		rome.ContextAuthInfo != "3" || rome.ContextCluster != "4" ||
		rome.Host != "5" || rome.Username != "6" || rome.Password != "7" ||
		rome.TLSServerName != "8" || rome.ClientCertificate != "9" || rome.ClientKey != "10" ||
		rome.ClusterCACertificate != "11" || rome.Token != "12" || rome.ProxyURL != "13" ||
		rome.From != "15" || rome.ClusterID != "16" || rome.LiqoNamespace != "14" || !rome.Insecure {
		t.Error("a credential is missing or in the wrong place")
	}
}

func TestLiqoHasADefaultNamespace(t *testing.T) {
	model := providerBlock(t, nil)
	if config, _, _ := model.config(t.Context(), environment(nil)); config.LiqoNamespace != "liqo" {
		t.Errorf("got %q", config.LiqoNamespace)
	}
}

func TestAClusterOverridesTheNamespaceOfLiqo(t *testing.T) {
	model := providerBlock(t, map[string]tftypes.Value{
		"liqo_namespace": text("networking"),
		"clusters":       clusters(t, map[string]map[string]tftypes.Value{"rome": {"liqo_namespace": text("of-rome")}}),
	})
	config, _, diags := model.config(t.Context(), environment(nil))
	if diags.HasError() || config.LiqoNamespace != "networking" || config.Clusters["rome"].LiqoNamespace != "of-rome" {
		t.Errorf("got %q, and %q for Rome (%v)", config.LiqoNamespace, config.Clusters["rome"].LiqoNamespace, diags)
	}
}

func TestAKubeconfigCanBeGivenAsContent(t *testing.T) {
	content := text("apiVersion: v1")
	model := providerBlock(t, map[string]tftypes.Value{
		"config_content": content,
		"clusters":       clusters(t, map[string]map[string]tftypes.Value{"rome": {"config_content": content}}),
	})
	config, _, diags := model.config(t.Context(), environment(map[string]string{"KUBECONFIG": "/from/environment"}))
	if diags.HasError() || config.Kubeconfig.Content != "apiVersion: v1" || len(config.Kubeconfig.Paths) != 0 ||
		config.Clusters["rome"].Kubeconfig.Content != "apiVersion: v1" {
		t.Error("the content is not used for the leaves")
	}
}

func TestACredentialPluginIsUsed(t *testing.T) {
	entries := clusters(t, map[string]map[string]tftypes.Value{"rome": {
		"exec": program(map[string]tftypes.Value{
			"api_version": text("client.authentication.k8s.io/v1"), "command": text("aws"), "args": listOf(text("eks")),
			"env": textByName("A", text("1")),
		}),
	}})
	model := providerBlock(t, map[string]tftypes.Value{"clusters": entries})
	config, _, diags := model.config(t.Context(), environment(nil))
	run := config.Clusters["rome"].Exec
	if diags.HasError() || run == nil || run.APIVersion != "client.authentication.k8s.io/v1" || run.Command != "aws" ||
		!slices.Equal(run.Args, []string{"eks"}) || run.Env["A"] != "1" {
		t.Errorf("got %+v (%v)", run, diags)
	}
}

func TestOnlyLeavesWithUnknownCredentialsAreUnknown(t *testing.T) {
	entries := clusters(t, map[string]map[string]tftypes.Value{
		"rome":  {"host": unknownText},
		"milan": {"host": text("https://milan")},
		"turin": {"host": text("https://tunnel"), "config_context": text("turin")},
		"siena": {"credentials_from": text("rome")},
		"monza": {"credentials_from": text("milan")},
		"lucca": {"credentials_from": text("a context")},
	})
	for name, test := range map[string]struct {
		values         map[string]tftypes.Value
		unknown, known []string
	}{
		"a host": {
			map[string]tftypes.Value{"clusters": entries}, []string{"rome", "siena"},
			[]string{"milan", "monza", "lucca", "turin", "a context"},
		},
		"the kubeconfig": {
			map[string]tftypes.Value{"config_path": unknownText, "clusters": entries},
			[]string{"rome", "siena", "turin", "lucca", "a context"}, []string{"milan", "monza"},
		},
		"Liqo's namespace": {map[string]tftypes.Value{"liqo_namespace": unknownText}, []string{"rome", "milan"}, nil},
		"all the clusters": {
			map[string]tftypes.Value{"clusters": tftypes.NewValue(entries.Type(), tftypes.UnknownValue)},
			[]string{"rome", "a context"}, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			model := providerBlock(t, test.values)
			_, unknown, diags := model.config(t.Context(), environment(nil))
			sound(t, diags)
			for _, leaf := range test.unknown {
				if !unknown.has(leaf) {
					t.Errorf("%s is known", leaf)
				}
			}
			for _, leaf := range test.known {
				if unknown.has(leaf) {
					t.Errorf("%s is unknown", leaf)
				}
			}
		})
	}
}

func TestTheSchemasAreValidAndDescribeEveryAttribute(t *testing.T) {
	server := unconfigured()
	schemas, err := server.GetProviderSchema(t.Context(), nil)
	must(t, err)
	for _, diagnostic := range schemas.Diagnostics {
		t.Errorf("%s: %s", diagnostic.Summary, diagnostic.Detail)
	}
	for name, resource := range schemas.ResourceSchemas {
		for _, attribute := range resource.Block.Attributes {
			if attribute.Description == "" && attribute.Name != "timeouts" {
				t.Errorf("%s.%s has no description", name, attribute.Name)
			}
		}
	}
}

func TestSecretsAreSensitive(t *testing.T) {
	server := unconfigured()
	schemas, err := server.GetProviderSchema(context.Background(), nil)
	must(t, err)
	sensitive := map[string]bool{}
	for _, attribute := range schemas.Provider.Block.Attributes {
		sensitive[attribute.Name] = attribute.Sensitive
		if attribute.NestedType != nil {
			for _, nested := range attribute.NestedType.Attributes {
				sensitive[attribute.Name+"."+nested.Name] = nested.Sensitive
			}
		}
	}
	for _, name := range []string{
		"config_content", "clusters.config_content", "clusters.password", "clusters.token", "clusters.client_key",
	} {
		if !sensitive[name] {
			t.Errorf("%s is not sensitive", name)
		}
	}
}
