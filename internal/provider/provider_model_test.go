package provider

import (
	"reflect"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/leafmesh/terraform-provider-liqo/internal/access"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// configOf returns what a provider block says in an environment, and which leaves it leaves unknown.
func configOf(t *testing.T, block values, environment map[string]string) (cluster.Config, unknownNames) {
	t.Helper()
	var model providerModel
	sound(t, tfsdk.Config{Schema: providerSchema(), Raw: block.of(typeOf(providerSchema()))}.Get(t.Context(), &model))
	config, unknown, diags := model.config(t.Context(), func(name string) string { return environment[name] })
	sound(t, diags)
	return config, unknown
}

func TestTheProviderBlockOverridesTheEnvironment(t *testing.T) {
	for expected, block := range map[string]values{
		"/from/environment": {},
		"/from/block":       {"config_path": text("/from/block")},
		"/from/list":        {"config_paths": listOf(text("/from/list"))},
	} {
		t.Run(expected, func(t *testing.T) {
			config, _ := configOf(t, block, map[string]string{"KUBE_CONFIG_PATH": "/from/environment"})
			if paths := config.Kubeconfig.Paths; !slices.Equal(paths, []string{expected}) {
				t.Errorf("got %v", paths)
			}
		})
	}
}

func TestEveryCredentialOfAClusterIsUsed(t *testing.T) {
	config, _ := configOf(t, withRome(values{
		"config_path": text("1"), "config_context": text("2"), "config_context_auth_info": text("3"),
		"config_context_cluster": text("4"), "host": text("5"), "username": text("6"), "password": text("7"),
		"tls_server_name": text("8"), "client_certificate": text("9"), "client_key": text("10"),
		"cluster_ca_certificate": text("11"), "token": text("12"), "proxy_url": text("13"), "liqo_namespace": text("14"),
		"credentials_from": text("15"), "cluster_id": text("16"), "insecure": boolean(true),
		"exec.api_version": text("17"), "exec.command": text("18"), "exec.args": listOf(text("19")),
		"exec.env": textByName("A", text("20")),
	}), nil)
	expected := access.Credentials{
		Kubeconfig: access.Kubeconfig{Paths: []string{"1"}}, Context: "2", ContextAuthInfo: "3", ContextCluster: "4",
		Host: "5", Username: "6", Password: "7", TLSServerName: "8", ClientCertificate: "9", ClientKey: "10",
		ClusterCACertificate: "11", Token: "12", ProxyURL: "13", LiqoNamespace: "14", From: "15", ClusterID: "16",
		Insecure: true,
		Exec:     &access.Exec{APIVersion: "17", Command: "18", Args: []string{"19"}, Env: map[string]string{"A": "20"}},
	}
	if !reflect.DeepEqual(config.Clusters["rome"], expected) {
		t.Error("a credential is missing or in the wrong place")
	}
}

func TestTheNamespaceOfLiqoHasADefaultAndAClusterMayHaveItsOwn(t *testing.T) {
	if config, _ := configOf(t, nil, nil); config.LiqoNamespace != "liqo" {
		t.Errorf("by default, it is %q", config.LiqoNamespace)
	}
	block := withRome(values{"liqo_namespace": text("of-rome")})
	block["liqo_namespace"] = text("networking")
	config, _ := configOf(t, block, nil)
	if config.LiqoNamespace != "networking" || config.Clusters["rome"].LiqoNamespace != "of-rome" {
		t.Errorf("got %q, and %q for Rome", config.LiqoNamespace, config.Clusters["rome"].LiqoNamespace)
	}
}

func TestAKubeconfigCanBeGivenAsContent(t *testing.T) {
	content := text("apiVersion: v1")
	block := withRome(values{"config_content": content})
	block["config_content"] = content
	config, _ := configOf(t, block, map[string]string{"KUBECONFIG": "/from/environment"})
	if config.Kubeconfig.Content != "apiVersion: v1" || len(config.Kubeconfig.Paths) != 0 ||
		config.Clusters["rome"].Kubeconfig.Content != "apiVersion: v1" {
		t.Error("the content is not used for the leaves")
	}
}

func TestOnlyLeavesWithUnknownCredentialsAreUnknown(t *testing.T) {
	entries := clusters(map[string]values{
		"rome":  {"host": unknownText},
		"milan": {"host": text("https://milan")},
		"turin": {"host": text("https://tunnel"), "config_context": text("turin")},
		"siena": {"credentials_from": text("rome")},
		"monza": {"credentials_from": text("milan")},
		"lucca": {"credentials_from": text("a context")},
	})
	for name, test := range map[string]struct {
		block          values
		unknown, known []string
	}{
		"a host": {
			values{"clusters": entries}, []string{"rome", "siena"},
			[]string{"milan", "monza", "lucca", "turin", "a context"},
		},
		"the kubeconfig": {
			values{"config_path": unknownText, "clusters": entries},
			[]string{"rome", "siena", "turin", "lucca", "a context"}, []string{"milan", "monza"},
		},
		"Liqo's namespace": {values{"liqo_namespace": unknownText}, []string{"rome", "milan"}, nil},
		"all the clusters": {values{"clusters": unknownOf(entries.Type())}, []string{"rome", "a context"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			_, unknown := configOf(t, test.block, nil)
			for _, leaf := range slices.Concat(test.unknown, test.known) {
				if expected := slices.Contains(test.unknown, leaf); unknown.has(leaf) != expected {
					t.Errorf("%s is unknown: %t, expected %t", leaf, !expected, expected)
				}
			}
		})
	}
}

func TestTheSchemasAreValidAndDescribeEveryAttribute(t *testing.T) {
	schemas, err := unconfigured().GetProviderSchema(t.Context(), nil)
	must(t, err)
	if len(schemas.Diagnostics) > 0 {
		t.Error(told(schemas.Diagnostics))
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
	ofRome := path.Root("clusters").AtMapKey("rome")
	for _, at := range []path.Path{
		path.Root("config_content"), ofRome.AtName("config_content"), ofRome.AtName("password"), ofRome.AtName("token"),
		ofRome.AtName("client_key"),
	} {
		attribute, diags := providerSchema().AttributeAtPath(t.Context(), at)
		if diags.HasError() || !attribute.IsSensitive() {
			t.Errorf("%s is not sensitive (%v)", at, diags)
		}
	}
}
