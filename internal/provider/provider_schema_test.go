package provider

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// clusters returns a `clusters` with these entries.
func clusters(entries map[string]values) tftypes.Value {
	kind := typeOf(providerSchema()).AttributeTypes["clusters"].(tftypes.Map) //nolint:errcheck,forcetypeassert // a map
	all := map[string]tftypes.Value{}
	for name, entry := range entries {
		all[name] = entry.of(kind.ElementType.(tftypes.Object)) //nolint:errcheck,forcetypeassert // an entry is an object
	}
	return tftypes.NewValue(kind, all)
}

// withRome returns a provider block with the cluster rome, which has these attributes.
func withRome(entry values) values {
	return values{"clusters": clusters(map[string]values{"rome": entry})}
}

// validateProvider validates a provider block in the same way as Terraform. It returns all diagnostics, one error per
// line.
func validateProvider(t *testing.T, block values) string {
	t.Helper()
	response, err := unconfigured().ValidateProviderConfig(t.Context(),
		&tfprotov6.ValidateProviderConfigRequest{Config: sent(t, block.of(typeOf(providerSchema())))})
	must(t, err)
	return told(response.Diagnostics)
}

func TestEmptyCredentialsAreRejectedAtTheirAttribute(t *testing.T) {
	for _, name := range []string{"config_path", "config_content", "liqo_namespace"} {
		t.Run(name, func(t *testing.T) {
			mentions(t, validateProvider(t, values{name: text("")}), name+" is empty")
		})
	}
	for _, name := range []string{
		"config_path", "config_content", "config_context", "config_context_auth_info", "config_context_cluster", "host",
		"username", "password", "tls_server_name", "client_certificate", "client_key", "cluster_ca_certificate", "token",
		"proxy_url", "liqo_namespace", "credentials_from", "cluster_id",
	} {
		t.Run(name+" of a cluster", func(t *testing.T) {
			const at = `clusters["rome"].`
			for _, empty := range []string{"", " \n"} {
				said := validateProvider(t, withRome(values{name: text(empty)}))
				mentions(t, said, at+name+": Empty value: "+at+name+" is empty.")
			}
		})
	}
}

// plugin returns the least that an entry needs for a credential plugin, and one more setting.
func plugin(setting string, value tftypes.Value) values {
	all := values{"exec.api_version": text("v1"), "exec.command": text("aws")}
	all[setting] = value
	return all
}

func TestEmptyPartsOfCredentialsAreRejectedAtTheirAttribute(t *testing.T) {
	path, empty := text("~/.kube/config"), text("")
	kind := clusters(nil).Type().(tftypes.Map) //nolint:errcheck,forcetypeassert // it is a map
	nothing := tftypes.NewValue(kind, map[string]tftypes.Value{"rome": tftypes.NewValue(kind.ElementType, nil)})
	for expected, block := range map[string]values{
		`clusters["rome"].config_paths[1] is empty`:   withRome(values{"config_paths": listOf(path, empty)}),
		"config_paths[0] is empty":                    {"config_paths": listOf(empty)},
		"config_paths list must contain at least 1":   {"config_paths": listOf()},
		`clusters["rome"].exec.command is empty`:      withRome(plugin("exec.command", empty)),
		`clusters["rome"].exec.api_version is empty`:  withRome(plugin("exec.api_version", empty)),
		"config_paths: Null List":                     {"config_paths": listOf(path, null)},
		`clusters["rome"].exec.args: Null List Value`: withRome(plugin("exec.args", listOf(null))),
		`clusters["rome"].exec.env: Null Map Value`:   withRome(plugin("exec.env", textByName("A", null))),
		"clusters: Null Map Value":                    {"clusters": nothing},
		`clusters[""]: `:                              {"clusters": clusters(map[string]values{"": {}})},
	} {
		t.Run(expected, func(t *testing.T) {
			said := validateProvider(t, block)
			mentions(t, said, expected)
			if strings.Contains(said, "Value Conversion Error") {
				t.Errorf("an error of the framework: %s", said)
			}
		})
	}
}

func TestALeafThatIsReachedThroughAnotherHasNoOtherCredentials(t *testing.T) {
	through := text("europe")
	for name, entry := range map[string]values{
		"config_path": {"config_path": through}, "config_paths": {"config_paths": listOf(through)},
		"config_content": {"config_content": through}, "config_context": {"config_context": through},
		"username": {"username": through}, "token": {"token": through},
		"client_certificate": {"client_certificate": through}, "client_key": {"client_key": through},
		"exec": plugin("exec.args", listOf()),
	} {
		t.Run(name, func(t *testing.T) {
			entry["credentials_from"] = through
			mentions(t, validateProvider(t, withRome(entry)), "cannot be specified when")
		})
	}
	for _, name := range []string{"cluster_id", "host", "proxy_url", "tls_server_name"} {
		t.Run(name, func(t *testing.T) {
			if said := validateProvider(t, withRome(values{"credentials_from": through, name: through})); said != "" {
				t.Error(said)
			}
		})
	}
	if said := validateProvider(t, withRome(values{"cluster_id": through})); said != "" {
		t.Errorf("a cluster ID without a centre: %s", said)
	}
	mentions(t, validateProvider(t, withRome(values{"cluster_id": text(`Europe"`)})), "Not a cluster ID")
}

func TestCredentialsThatAreUnknownOrMayBeEmptyAreAccepted(t *testing.T) {
	unknown, empty := withRome(values{"token": unknownText, "host": unknownText}), plugin("exec.args", listOf(text("")))
	unknown["config_path"] = unknownText
	empty["host"], empty["exec.env"] = text("https://rome"), textByName("A", text(""))
	for name, block := range map[string]values{
		"unknown values":                unknown,
		"a partly unknown list":         {"config_paths": listOf(unknownText, text("~/.kube/config"))},
		"empty arguments and variables": withRome(empty),
		"an empty entry":                withRome(nil),
	} {
		t.Run(name, func(t *testing.T) {
			if said := validateProvider(t, block); said != "" {
				t.Error(said)
			}
		})
	}
}
