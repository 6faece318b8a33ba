package cluster

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// FuzzKubeconfig resolves anything as a kubeconfig. An error names the attribute, and never has a secret in it.
func FuzzKubeconfig(f *testing.F) {
	f.Add(sample, "rome")
	f.Add(sample, "")
	f.Add(strings.ReplaceAll(sample, "https://", "://"), "rome")
	f.Add(sample[:len(sample)/2], "milan")
	for _, proxy := range []string{"socks5h://user:hunter2@proxy:1", "//user:hunter2@proxy", "user:hunter2@proxy"} {
		f.Add(strings.Replace(sample, "example:6443\"}", "example:6443\", proxy-url: \""+proxy+"\"}", 1), "rome")
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
		kubeconfig := Kubeconfig{Content: content}
		kubeconfig.contexts()
		registry := NewRegistry(Config{Clusters: map[string]Credentials{
			"own": {Kubeconfig: kubeconfig, Context: name}, "shared": {},
		}, Kubeconfig: kubeconfig})
		defer registry.Close()
		for _, leaf := range []string{"own", "shared", name} {
			credentials, err := registry.credentials(leaf)
			if err == nil {
				_, err = credentials.restConfig()
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

// FuzzPools reads the pools of an IPAM from any argument.
func FuzzPools(f *testing.F) {
	for _, argument := range []string{
		"--pools=10.0.0.0/8,192.168.0.0/16", "--pools=", "--pools=,", "--pools=fd00::/8", "--pools=10.0.0.0/99", "--other",
	} {
		f.Add(argument)
	}
	f.Fuzz(func(t *testing.T, argument string) {
		ipam := &appsv1.Deployment{}
		ipam.Spec.Template.Spec.Containers = []corev1.Container{{Args: []string{argument}}, {}}
		pools, err := poolsOf(ipam)
		for _, pool := range pools {
			if err == nil && !pool.IsValid() {
				t.Errorf("%q: %v", argument, pools)
			}
		}
	})
}
