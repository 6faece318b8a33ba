package access

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/leafmesh/terraform-provider-liqo/internal/access/accesstest"
)

func TestCredentialsBecomeAClientConfiguration(t *testing.T) {
	kubeconfig := Kubeconfig{Content: accesstest.Kubeconfig}
	const rome, milan = "https://rome.example:6443", "https://milan.example:6443"
	for name, test := range map[string]struct {
		credentials Credentials
		expected    rest.Config
	}{
		"the current context": {Credentials{Kubeconfig: kubeconfig}, rest.Config{Host: rome, BearerToken: "s3cret"}},
		"another context": {
			Credentials{Kubeconfig: kubeconfig, Context: "milan"},
			rest.Config{Host: milan, Username: "guest", Password: "hunter2"},
		},
		"another cluster and another user than the context's": {
			Credentials{Kubeconfig: kubeconfig, Context: "milan", ContextCluster: "rome", ContextAuthInfo: "admin"},
			rest.Config{Host: rome, BearerToken: "s3cret"},
		},
		"values that override the kubeconfig's": {
			Credentials{Kubeconfig: kubeconfig, Host: "https://other.example", Token: "t0ken"},
			rest.Config{Host: "https://other.example", BearerToken: "t0ken"},
		},
		"no kubeconfig at all": {
			Credentials{Host: "1.2.3.4:6443", Username: "u", Password: "p", ClusterCACertificate: "PEM", TLSServerName: "name"},
			rest.Config{Host: "https://1.2.3.4:6443", Username: "u", Password: "p", TLSClientConfig: rest.TLSClientConfig{
				CAData: []byte("PEM"), ServerName: "name",
			}},
		},
		"a client certificate": {
			Credentials{Host: "https://h", ClientCertificate: "CERT", ClientKey: "KEY"},
			rest.Config{Host: "https://h", TLSClientConfig: rest.TLSClientConfig{
				CertData: []byte("CERT"), KeyData: []byte("KEY"),
			}},
		},
		"no check of the certificate": {
			Credentials{Host: "https://h", Insecure: true},
			rest.Config{Host: "https://h", TLSClientConfig: rest.TLSClientConfig{Insecure: true}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			config, err := test.credentials.RESTConfig()
			must(t, err)
			got := rest.Config{
				Host: config.Host, BearerToken: config.BearerToken, Username: config.Username, Password: config.Password,
				TLSClientConfig: config.TLSClientConfig,
			}
			if !reflect.DeepEqual(got, test.expected) || config.Proxy != nil || config.ExecProvider != nil {
				t.Errorf("got %v", config) // rest.Config hides its secrets
			}
		})
	}
	config, err := Credentials{Host: "https://h", ProxyURL: "http://proxy:3128", Exec: &Exec{
		APIVersion: "client.authentication.k8s.io/v1", Command: "aws", Args: []string{"eks"},
		Env: map[string]string{"B": "2", "A": "1"},
	}}.RESTConfig()
	must(t, err)
	plugin := config.ExecProvider
	if plugin == nil || plugin.Command != "aws" || plugin.Args[0] != "eks" || plugin.Env[0].Name != "A" ||
		plugin.Env[1].Value != "2" || config.Proxy == nil {
		t.Errorf("a plugin behind a proxy: got %v", config)
	}
}

func TestATokenIsUsedWithoutTheSpaceAroundIt(t *testing.T) {
	inKubeconfig := strings.Replace(accesstest.Kubeconfig, "s3cret", `"s3cret\r\n"`, 1)
	for name, credentials := range map[string]Credentials{
		"in the provider block": {Host: "rome.example", Token: " s3cret\n"},
		"in a kubeconfig":       {Kubeconfig: Kubeconfig{Content: inKubeconfig}},
	} {
		t.Run(name, func(t *testing.T) {
			if config, err := credentials.RESTConfig(); err != nil || config.BearerToken != "s3cret" {
				t.Errorf("got %v (%v)", config, err)
			}
		})
	}
	_, err := Credentials{Host: "rome.example", Token: "s3\ncret"}.RESTConfig()
	if text := fmt.Sprint(err); !strings.Contains(text, "the token has a line break") || strings.Contains(text, "cret") {
		t.Errorf("a line break inside: got %v", err)
	}
}

func TestMisspeltNamesAreAnsweredWithThoseThereAre(t *testing.T) {
	kubeconfig := Kubeconfig{Content: accesstest.Kubeconfig}
	for expected, credentials := range map[string]Credentials{
		`no context "rom"; it has "milan", "rome"`:       {Kubeconfig: kubeconfig, Context: "rom"},
		`no cluster "rom"; it has "milan", "rome"`:       {Kubeconfig: kubeconfig, ContextCluster: "rom"},
		`no user "root"; it has "admin", "guest"`:        {Kubeconfig: kubeconfig, ContextAuthInfo: "root"},
		"neither a current context nor a host":           {},
		"`host` \"a b\" is not the URL of an API server": {Host: "a b"},
		"`proxy_url` is not a URL":                       {Host: "https://h", ProxyURL: "http://user:pa ss@proxy\x7f"},
	} {
		t.Run(expected, func(t *testing.T) {
			if _, err := credentials.RESTConfig(); err == nil || !strings.Contains(err.Error(), expected) {
				t.Errorf("expected %q, got: %v", expected, err)
			}
		})
	}
}

func TestAKubeconfigWithAnAuthProviderIsRefusedWithWhatToWrite(t *testing.T) {
	content := `{"contexts":[{"name":"rome","context":{"cluster":"rome","user":"gke"}}],"current-context":"rome",` +
		`"clusters":[{"name":"rome","cluster":{"server":"https://rome"}}],` +
		`"users":[{"name":"gke","user":{"auth-provider":{"name":"gcp"}}}]}`
	_, err := Credentials{Kubeconfig: Kubeconfig{Content: content}}.RESTConfig()
	if err == nil || !strings.Contains(err.Error(), "the `auth-provider` \"gcp\"") ||
		!strings.Contains(err.Error(), "as `exec`") {
		t.Errorf("got: %v", err)
	}
}

func TestAPasswordInAURLIsInNoError(t *testing.T) {
	kubeconfig := func(cluster string) Kubeconfig {
		return Kubeconfig{
			Content: strings.Replace(accesstest.Kubeconfig, `cluster: {server: "https://rome.example:6443"}`, cluster, 1),
		}
	}
	proxied := func(proxy string) Credentials { return Credentials{Host: "https://h", ProxyURL: proxy} }
	const inCluster = " of cluster \"rome\" in the kubeconfig in `config_content` "
	const hasPassword = "`host` has a user name or a password in it"
	for name, test := range map[string]struct {
		credentials Credentials
		expected    string
	}{
		"a proxy whose scheme is unknown": {
			proxied("socks5h://user:hunter2@proxy:1080"),
			"`proxy_url` has the scheme \"socks5h\"; it must be http, https or socks5",
		},
		"a proxy without a scheme": {proxied("//user:hunter2@proxy:1080"), "`proxy_url` has the scheme \"\""},
		"a proxy with only a host": {proxied("user:hunter2@proxy:1080"), "`proxy_url` is not a URL"},
		"a proxy without a host":   {proxied("http://user:hunter2@"), "`proxy_url` is not a URL"},
		"a proxy of a kubeconfig": {
			Credentials{Kubeconfig: kubeconfig(`cluster: {server: "https://rome", proxy-url: "socks5h://user:hunter2@proxy"}`)},
			"the `proxy-url`" + inCluster + "has the scheme \"socks5h\"",
		},
		"a proxy of a cluster of a kubeconfig": {
			Credentials{
				Kubeconfig: kubeconfig(`cluster: {server: "https://rome", proxy-url: "user:hunter2@proxy"}`),
				Context:    "milan", ContextCluster: "rome",
			}, "the `proxy-url`" + inCluster + "is not a URL",
		},
		"a host with a password":                      {Credentials{Host: "https://user:hunter2@rome.example"}, hasPassword},
		"a host with a password and without a scheme": {Credentials{Host: "user:hunter2@rome.example:6443"}, hasPassword},
		"a host with a password that is no URL":       {Credentials{Host: "https://user:hunter2@rome example"}, hasPassword},
		"a server of a kubeconfig that is no URL": {
			Credentials{Kubeconfig: kubeconfig(`cluster: {server: "https://user:hunter2@rome example"}`)},
			"the `server`" + inCluster + "is not the URL of an API server",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := test.credentials.RESTConfig()
			if err == nil || !strings.Contains(err.Error(), test.expected) {
				t.Errorf("expected %q, got: %v", test.expected, err)
			}
			if err != nil && (strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "user:")) {
				t.Errorf("the error repeats the password: %v", err)
			}
		})
	}
	unused := Credentials{
		Kubeconfig: kubeconfig(`cluster: {server: "https://rome", proxy-url: "socks5h://user:hunter2@proxy"}`),
		Context:    "milan",
	}
	if _, err := unused.RESTConfig(); err != nil {
		t.Errorf("a proxy of another cluster: %v", err)
	}
	overridden := Credentials{Kubeconfig: unused.Kubeconfig, ProxyURL: "http://proxy:3128"}
	if _, err := overridden.RESTConfig(); err != nil {
		t.Errorf("a proxy that is overridden: %v", err)
	}
}

func TestCredentialsDoNotShowInLogs(t *testing.T) {
	credentials := Credentials{Token: "s3cret", Password: "hunter2", Kubeconfig: Kubeconfig{Content: "s3cret"}}
	for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
		text := fmt.Sprintf(format, credentials) + fmt.Sprintf(format, credentials.Kubeconfig)
		if strings.Contains(text, "s3cret") || strings.Contains(text, "hunter2") {
			t.Errorf("%s shows a secret: %s", format, text)
		}
	}
}
