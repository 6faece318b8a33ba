package cluster

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/access"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

func TestOnlyALeafWhoseOwnAddressIsDeadIsLost(t *testing.T) {
	const json = "Content-Type: application/json"
	answering := func(code int, header, body string) access.Credentials {
		return at(serveTLS(t, func(w http.ResponseWriter, _ *http.Request) {
			if name, value, ok := strings.Cut(header, ": "); ok {
				w.Header().Set(name, value)
			}
			w.WriteHeader(code)
			_, _ = w.Write([]byte(body))
		}))
	}
	behind := func(proxy string) access.Credentials {
		credentials := answering(http.StatusOK, "", "")
		credentials.ProxyURL = proxy
		return credentials
	}
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "ask your administrator", http.StatusForbidden)
	}))
	t.Cleanup(refusing.Close)
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	demanding := serveTLS(t, http.NotFound, func(server *httptest.Server) {
		server.EnableHTTP2 = false // or else the client may see a cut connection first
		server.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert, MinVersion: tls.VersionTLS13}
	})

	nowhere := access.Kubeconfig{Paths: []string{"/nowhere"}}
	const stranger, proxy = trouble.ID("not-an-api-server"), trouble.ID("proxy-failed")
	const ofGateway, ofLogin = `{"message":"no"}`,
		`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","message":"log in"}`
	expired := strings.Replace(ofLogin, "Forbidden", "Unauthorized", 1)
	plugin := answering(http.StatusOK, "", "")
	plugin.Exec = &access.Exec{APIVersion: "client.authentication.k8s.io/v1", Command: "/no/such"}
	for name, test := range map[string]struct {
		access.Credentials
		id   trouble.ID
		says string
		lost bool
	}{
		"nobody": {access.Credentials{Host: "https://" + closedPort(t)}, "api-server-unreachable", "refused", true},
		"no such name": {
			access.Credentials{Host: "https://rome.invalid:6443"}, "name-not-resolved", "rome.invalid", false,
		},
		"no TLS": {
			access.Credentials{Host: "https://" + plain.Listener.Addr().String()}, stranger, "HTTP response", false,
		},
		"a stranger":      {access.Credentials{Host: demanding.URL}, "certificate-untrusted", "unknown authority", true},
		"no kubeconfig":   {access.Credentials{Kubeconfig: nowhere}, "credentials-unusable", "/nowhere", false},
		"old credentials": {answering(http.StatusUnauthorized, json, expired), "credentials-refused", "", false},
		"a login by TLS":  {at(demanding), stranger, "certificate required", false},
		"a page":          {answering(http.StatusNotFound, "", "default backend - 404"), stranger, "404 Not Found", false},
		"a gateway":       {answering(http.StatusForbidden, json, ofGateway), stranger, "403 Forbidden", false},
		"a login's words": {answering(http.StatusForbidden, json, ofLogin), "request-refused", "log in", false},
		"a bare cluster":  {answering(http.StatusNotFound, "Audit-ID: 1", "404"), "liqo-kind-unknown", "", true},
		"half an answer":  {answering(http.StatusOK, "Content-Length: 1000", `{`), "answer-cut-off", "", false},
		"no proxy":        {behind("http://" + closedPort(t)), proxy, "proxyconnect", false},
		"a proxy's words": {behind(refusing.URL), proxy, refusing.Listener.Addr().String() + " answers 403 Forbidden", false},
		"a proxy by TLS":  {behind("https://" + plain.Listener.Addr().String()), proxy, "begins with http://", false},
		"no SOCKS":        {behind("socks5://" + closedPort(t)), proxy, "refused", false},
		"no plugin":       {plugin, "credential-plugin-failed", "/no/such", false},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := registryFor(t, test.Credentials).Leaf(t.Context(), "rome")
			explained, _ := errors.AsType[*Error](err)
			if explained == nil || explained.ID != test.id || !strings.Contains(fmt.Sprint(err), test.says) {
				t.Fatalf("got: %v", err)
			}
			if Lost(err) != test.lost {
				t.Errorf("lost: %t: %v", Lost(err), err)
			}
		})
	}
}
