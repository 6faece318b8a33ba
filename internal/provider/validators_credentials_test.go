package provider

import (
	"encoding/base64"
	"strings"
	"testing"
)

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
			mentions(t, said, `clusters["rome"].`+test.attribute, test.said)
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
	if said := validateProvider(t, block); said != "" {
		t.Errorf("got %s", said)
	}
}
