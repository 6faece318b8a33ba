package cluster

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestARedirectIsNotFollowed(t *testing.T) {
	var asked atomic.Int32
	elsewhere := serveTLS(t, func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.WriteHeader(http.StatusTeapot)
	})
	for _, code := range []int{
		http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect,
		http.StatusPermanentRedirect,
	} {
		t.Run(http.StatusText(code), func(t *testing.T) {
			address := strings.TrimPrefix(elsewhere.URL, "https://")
			server := serveTLS(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", "https://user:hunter2@"+address+"/login?token=s3cret")
				w.WriteHeader(code)
			})
			_, err := registryFor(t, at(server)).Leaf(t.Context(), "rome")
			text := fmt.Sprint(err)
			has(t, text, `leaf "rome": the address is not that of an API server`, "it redirects to https://"+address)
			if Unreachable(err) || strings.Contains(text, "hunter2") || strings.Contains(text, "s3cret") {
				t.Errorf("it counts as unreachable, or a secret is in: %v", err)
			}

			leaf := leafAt(t, server.URL, newHealth())
			for what, ask := range map[string]func() error{
				"a write": func() error {
					meta := metav1.ObjectMeta{Namespace: "default", Name: "one"}
					return leaf.clients.Live.Create(t.Context(), &corev1.Secret{ObjectMeta: meta})
				},
				"discovery": func() error { _, err := leaf.KubernetesVersion(t.Context()); return err },
			} {
				if err := ask(); err == nil || !strings.Contains(err.Error(), "it redirects to") {
					t.Errorf("%s: %v", what, err)
				}
			}
		})
	}
	if count := asked.Load(); count > 0 {
		t.Errorf("the other server was asked %d times", count)
	}
}
