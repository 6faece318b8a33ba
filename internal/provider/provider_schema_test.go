package provider

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
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
			clustertest.Has(t, validateProvider(t, values{name: text("")}), name+" is empty")
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
				clustertest.Has(t, said, at+name+": Empty value: "+at+name+" is empty.")
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
			clustertest.Has(t, said, expected)
			if strings.Contains(said, "Value Conversion Error") {
				t.Errorf("an error of the framework: %s", said)
			}
		})
	}
}

func TestALeafThatIsReachedThroughAnotherHasNoOtherCredentials(t *testing.T) {
	through := text("europe")
	for name, value := range map[string]tftypes.Value{
		"config_path": through, "config_paths": listOf(through), "config_content": through, "config_context": through,
		"username": through, "token": through, "client_certificate": through, "client_key": through,
		"exec.command": through,
	} {
		t.Run(name, func(t *testing.T) {
			entry := values{"credentials_from": through, name: value}
			clustertest.Has(t, validateProvider(t, withRome(entry)), "cannot be specified when")
		})
	}
	for _, name := range []string{"cluster_id", "host", "proxy_url", "tls_server_name"} {
		t.Run(name, func(t *testing.T) {
			accepted(t, validateProvider(t, withRome(values{"credentials_from": through, name: through})))
		})
	}
	accepted(t, validateProvider(t, withRome(values{"cluster_id": through})))
	clustertest.Has(t, validateProvider(t, withRome(values{"cluster_id": text(`Europe"`)})), "Not a cluster ID")
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
			accepted(t, validateProvider(t, block))
		})
	}
}

// These have the form of credentials, and nothing inside.
const (
	pemCertificate = "-----BEGIN CERTIFICATE-----\nc2VjcmV0\n-----END CERTIFICATE-----\n"
	pemKey         = "-----BEGIN EC PRIVATE KEY-----\nc2VjcmV0\n-----END EC PRIVATE KEY-----\n"
	kubeconfigYAML = "apiVersion: v1\nkind: Config\nclusters: [{name: secret}]\n"
)

func TestACredentialThatNoRequestCanCarryIsRejectedAtItsAttributeAndNotShown(t *testing.T) {
	inBase64 := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	const decode = "is base64. Decode it: `base64decode(…)`"
	for name, test := range map[string]struct{ attribute, value, said string }{
		"a certificate in base64":     {"client_certificate", inBase64(pemCertificate), decode},
		"a certificate of a CA alike": {"cluster_ca_certificate", inBase64(pemCertificate) + "\n", decode},
		"a key in base64":             {"client_key", inBase64(pemKey), decode},
		"a kubeconfig in base64":      {"config_content", inBase64(kubeconfigYAML), decode},
		"a key for a certificate":     {"client_certificate", pemKey, "has PEM of the type EC PRIVATE KEY"},
		"a certificate for a key":     {"client_key", pemCertificate, "Are two attributes swapped?"},
		"the name of a file":          {"client_key", "secret.pem", "For a file, write `file(\"…\")`"},
		"a token of two lines":        {"token", "sec\nret", "a line break or another control character inside"},
	} {
		t.Run(name, func(t *testing.T) {
			said := validateProvider(t, withRome(values{test.attribute: text(test.value)}))
			clustertest.Has(t, said, `clusters["rome"].`+test.attribute, test.said)
			if strings.Contains(said, strings.TrimSpace(test.value)) || strings.Contains(said, "c2VjcmV0") {
				t.Errorf("the value is shown: %s", said)
			}
		})
	}
}

func TestCredentialsAsFilesAndCloudsGiveThemAreAccepted(t *testing.T) {
	block := withRome(values{
		"client_certificate":     text(pemCertificate),
		"cluster_ca_certificate": text("# of Rome\n" + pemCertificate + pemCertificate),
		"client_key":             text(pemCertificate + pemKey), "token": text("s3cret\r\n"),
	})
	block["config_content"] = text(kubeconfigYAML)
	accepted(t, validateProvider(t, block))
}
