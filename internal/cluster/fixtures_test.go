package cluster

import (
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/access"
)

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// has fails a test for each of the parts that a text lacks.
func has(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing in:\n%s", part, text)
		}
	}
}

// serveTLS starts an API server of a leaf. It logs nothing, because connections end with the registry.
func serveTLS(t *testing.T, handler http.HandlerFunc, changes ...func(*httptest.Server)) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.EnableHTTP2 = true
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	for _, change := range changes {
		change(server)
	}
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

// closedPort returns an address at which nothing listens.
func closedPort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	must(t, listener.Close())
	return listener.Addr().String()
}

// registryFor returns a registry of Rome with these credentials. It ends with the test.
func registryFor(t *testing.T, rome access.Credentials) *Registry {
	t.Helper()
	registry := NewRegistry(Config{Clusters: map[string]access.Credentials{"rome": rome}, LiqoNamespace: "liqo"})
	t.Cleanup(registry.Close)
	return registry
}

// at are the credentials for a server of a test.
func at(server *httptest.Server) access.Credentials {
	return access.Credentials{Host: server.URL, Insecure: true}
}
