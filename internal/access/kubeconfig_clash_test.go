package access

import (
	"strings"
	"testing"
)

// kubeadms is a kubeconfig as kubeadm writes it, except for the name of its context.
func kubeadms(context, server, token string) string {
	return `
apiVersion: v1
kind: Config
current-context: ` + context + `
clusters: [{name: kubernetes, cluster: {server: "` + server + `"}}]
users: [{name: kubernetes-admin, user: {token: ` + token + `}}]
contexts: [{name: ` + context + `, context: {cluster: kubernetes, user: kubernetes-admin}}]
`
}

func TestAContextNeverGetsTheClusterOrUserOfAnotherFileBySurprise(t *testing.T) {
	const rome, milan = "https://rome.example:6443", "https://milan.example:6443"
	for name, test := range map[string]struct {
		second  string // the first one is that of Rome
		entry   Credentials
		refused string // the kind; empty if it is used
	}{
		"the first file's own context":  {kubeadms("milan", milan, "b"), Credentials{Context: "rome"}, ""},
		"another cluster by that name":  {kubeadms("milan", milan, "a"), Credentials{Context: "milan"}, "clusters"},
		"another user by that name":     {kubeadms("milan", rome, "b"), Credentials{Context: "milan"}, "users"},
		"the same content":              {kubeadms("milan", rome, "a"), Credentials{Context: "milan"}, ""},
		"a token of the provider block": {kubeadms("milan", rome, "b"), Credentials{Context: "milan", Token: "c"}, ""},
		"a host of the provider block":  {kubeadms("milan", milan, "a"), Credentials{Context: "milan", Host: milan}, ""},
		"a context alone in its file": {
			"{apiVersion: v1, kind: Config, contexts: [{name: milan, context: {cluster: kubernetes, user: kubernetes-admin}}]}",
			Credentials{Context: "milan"}, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			first, second := writeKubeconfig(t, kubeadms("rome", rome, "a")), writeKubeconfig(t, test.second)
			test.entry.Kubeconfig = Kubeconfig{Paths: []string{first, second}}
			_, err := test.entry.RESTConfig()
			if test.refused == "" {
				must(t, err)
			} else if err == nil || !strings.Contains(err.Error(), "two different "+test.refused+` by the name "kubernetes`) ||
				!strings.Contains(err.Error(), `clusters = { "milan" = { config_path = "`+second) {
				t.Errorf("got: %v", err)
			}
		})
	}
}
