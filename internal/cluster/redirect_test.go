package cluster

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/access"
)

// serveTLS starts an API server of a leaf. It logs nothing, because connections end with the registry.
func serveTLS(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.EnableHTTP2 = true
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

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
			credentials := access.Credentials{Host: server.URL, Insecure: true}
			registry := NewRegistry(Config{Clusters: map[string]access.Credentials{"rome": credentials}, LiqoNamespace: "liqo"})
			defer registry.Close()
			_, err := registry.Leaf(t.Context(), "rome")
			if err == nil || !strings.Contains(err.Error(), `leaf "rome": the address is not that of an API server`) ||
				!strings.Contains(err.Error(), "it redirects to https://"+address) || Unreachable(err) {
				t.Errorf("got: %v", err)
			}
			if err != nil && (strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "s3cret")) {
				t.Errorf("a secret is in: %v", err)
			}

			config, err := credentials.RESTConfig()
			must(t, err)
			leaf, _, err := assemble("rome", config, nil, newHealth(), nil)
			must(t, err)
			for what, ask := range map[string]func() error{
				"a write": func() error {
					return leaf.clients.Live.Create(t.Context(), &corev1.Secret{
						ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "one"},
					})
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
