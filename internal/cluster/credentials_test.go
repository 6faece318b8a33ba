package cluster

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/client-go/rest"
)

func TestCredentialsBecomeAClientConfiguration(t *testing.T) {
	kubeconfig := Kubeconfig{Content: sample}
	for name, test := range map[string]struct {
		credentials Credentials
		check       func(*rest.Config) bool
	}{
		"the current context": {
			Credentials{Kubeconfig: kubeconfig},
			func(c *rest.Config) bool { return c.Host == "https://rome.example:6443" && c.BearerToken == "s3cret" },
		},
		"another context": {
			Credentials{Kubeconfig: kubeconfig, Context: "milan"},
			func(c *rest.Config) bool { return c.Host == "https://milan.example:6443" && c.Username == "guest" },
		},
		"another cluster and another user than the context's": {
			Credentials{Kubeconfig: kubeconfig, Context: "milan", ContextCluster: "rome", ContextAuthInfo: "admin"},
			func(c *rest.Config) bool { return c.Host == "https://rome.example:6443" && c.BearerToken == "s3cret" },
		},
		"values that override the kubeconfig's": {
			Credentials{Kubeconfig: kubeconfig, Host: "https://other.example", Token: "t0ken"},
			func(c *rest.Config) bool { return c.Host == "https://other.example" && c.BearerToken == "t0ken" },
		},
		"no kubeconfig at all": {
			Credentials{
				Host: "1.2.3.4:6443", Username: "u", Password: "p", ClusterCACertificate: "PEM", TLSServerName: "kubernetes",
			},
			func(c *rest.Config) bool {
				return c.Host == "https://1.2.3.4:6443" && c.Username == "u" && c.Password == "p" &&
					string(c.CAData) == "PEM" && c.ServerName == "kubernetes"
			},
		},
		"a client certificate": {
			Credentials{Host: "https://h", ClientCertificate: "CERT", ClientKey: "KEY"},
			func(c *rest.Config) bool { return string(c.CertData) == "CERT" && string(c.KeyData) == "KEY" },
		},
		"no check of the certificate": {
			Credentials{Host: "https://h", Insecure: true}, func(c *rest.Config) bool { return c.Insecure },
		},
		"a proxy": {
			Credentials{Host: "https://h", ProxyURL: "http://proxy:3128"}, func(c *rest.Config) bool { return c.Proxy != nil },
		},
		"a credential plugin": {
			Credentials{Host: "https://h", Exec: &Exec{
				APIVersion: "client.authentication.k8s.io/v1", Command: "aws", Args: []string{"eks"},
				Env: map[string]string{"B": "2", "A": "1"},
			}},
			func(c *rest.Config) bool {
				return c.ExecProvider != nil && c.ExecProvider.Command == "aws" && c.ExecProvider.Args[0] == "eks" &&
					c.ExecProvider.Env[0].Name == "A" && c.ExecProvider.Env[1].Value == "2"
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			config, err := test.credentials.restConfig()
			if err != nil {
				t.Fatal(err)
			}
			if !test.check(config) {
				t.Errorf("got %v", config) // rest.Config hides its secrets
			}
		})
	}
}

func TestMisspeltNamesAreAnsweredWithThoseThereAre(t *testing.T) {
	kubeconfig := Kubeconfig{Content: sample}
	for expected, credentials := range map[string]Credentials{
		`no context "rom"; it has "milan", "rome"`:       {Kubeconfig: kubeconfig, Context: "rom"},
		`no cluster "rom"; it has "milan", "rome"`:       {Kubeconfig: kubeconfig, ContextCluster: "rom"},
		`no user "root"; it has "admin", "guest"`:        {Kubeconfig: kubeconfig, ContextAuthInfo: "root"},
		"neither a current context nor a host":           {},
		"`host` \"a b\" is not the URL of an API server": {Host: "a b"},
		"`proxy_url` is not a URL":                       {Host: "https://h", ProxyURL: "http://user:pa ss@proxy\x7f"},
	} {
		if _, err := credentials.restConfig(); err == nil || !strings.Contains(err.Error(), expected) {
			t.Errorf("expected %q, got: %v", expected, err)
		}
	}
}

func TestCredentialsDoNotShowInLogs(t *testing.T) {
	credentials := Credentials{Token: "s3cret", Password: "hunter2", Kubeconfig: Kubeconfig{Content: "s3cret"}}
	for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
		if text := fmt.Sprintf(format, credentials); strings.Contains(text, "s3cret") || strings.Contains(text, "hunter2") {
			t.Errorf("%s shows a secret: %s", format, text)
		}
	}
}
