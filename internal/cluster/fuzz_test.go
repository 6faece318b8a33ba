package cluster

import (
	"strings"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/access"
	"github.com/leafmesh/terraform-provider-liqo/internal/access/accesstest"
)

// FuzzKubeconfig resolves anything as a kubeconfig. An error names the attribute, and never has a secret in it.
func FuzzKubeconfig(f *testing.F) {
	f.Add(accesstest.Kubeconfig, "rome")
	f.Add(accesstest.Kubeconfig, "")
	f.Add(strings.ReplaceAll(accesstest.Kubeconfig, "https://", "://"), "rome")
	f.Add(accesstest.Kubeconfig[:len(accesstest.Kubeconfig)/2], "milan")
	for _, proxy := range []string{"socks5h://user:hunter2@proxy:1", "//user:hunter2@proxy", "user:hunter2@proxy"} {
		proxied := strings.Replace(accesstest.Kubeconfig, "example:6443\"}", "example:6443\", proxy-url: \""+proxy+"\"}", 1)
		f.Add(proxied, "rome")
	}
	for _, broken := range []string{"", "null", "[]", "{", "a: b", "\x00", "clusters: 7", "contexts: [null]",
		"clusters: [{name: a, cluster: null}]\ncontexts: [{name: a, context: {cluster: a, user: b}}]\ncurrent-context: a",
		"users: [{name: a, user: {exec: {}}}]", "users: [{name: a, user: {auth-provider: {name: x}}}]",
	} {
		f.Add(broken, "rome")
	}
	f.Fuzz(func(t *testing.T, content, name string) {
		if content == "" {
			return // not set
		}
		kubeconfig := access.Kubeconfig{Content: content}
		kubeconfig.Contexts()
		registry := NewRegistry(Config{Clusters: map[string]access.Credentials{
			"own": {Kubeconfig: kubeconfig, Context: name}, "shared": {},
		}, Kubeconfig: kubeconfig})
		defer registry.Close()
		for _, leaf := range []string{"own", "shared", name} {
			credentials, err := registry.credentials(leaf)
			if err == nil {
				_, err = credentials.RESTConfig()
			}
			if err != nil && !strings.Contains(err.Error(), "config_content") {
				t.Errorf("%q does not name the attribute: %v", leaf, err)
			}
			if err != nil && strings.Contains(content, "token: s3cret") && strings.Contains(err.Error(), "s3cret") {
				t.Errorf("%q has a secret: %v", leaf, err)
			}
			if err != nil && strings.Contains(content, "user:hunter2@") && strings.Contains(err.Error(), "hunter2@") {
				t.Errorf("%q has the password of a proxy: %v", leaf, err)
			}
		}
	})
}
