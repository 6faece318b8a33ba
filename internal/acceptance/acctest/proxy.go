package acctest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Proxy stands between the provider and the API server of a leaf. It passes on requests, with the credentials of
// whoever sends them, and answers some of them itself.
type Proxy struct {
	server  *httptest.Server
	Forward *httputil.ReverseProxy

	mu    sync.Mutex
	fault func(http.ResponseWriter, *http.Request) bool // answers a request, or returns false
	heals chan struct{}                                 // is closed when the way is open again; nil while it is open
	asked int                                           // the number of requests
	bytes map[string]int                                // that the API server has answered with, by method and path
}

// ProxyFor starts a proxy for a leaf. It returns the proxy, and the access to the leaf through it.
func ProxyFor(t *testing.T, to Leaf) (*Proxy, Leaf) {
	t.Helper()
	target, err := url.Parse(to.Host)
	if err != nil {
		t.Fatal(err)
	}
	trusted := x509.NewCertPool()
	if !trusted.AppendCertsFromPEM([]byte(to.ClusterCACertificate)) {
		t.Fatal("the leaf has no certificate")
	}
	transport := &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true,
	}
	t.Cleanup(transport.CloseIdleConnections)
	p := &Proxy{bytes: map[string]int{}}
	p.Forward = &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport:     transport,
		FlushInterval: -1, // a watch must not wait for more events
		ErrorHandler:  func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
		ErrorLog:      log.New(io.Discard, "", 0), // connections that are cut are part of the test
		ModifyResponse: func(response *http.Response) error {
			what := response.Request.Method + " " + response.Request.URL.Path
			response.Body = &counted{ReadCloser: response.Body, proxy: p, what: what, request: response.Request.Context()}
			return nil
		},
	}
	p.server = httptest.NewUnstartedServer(p)
	p.server.EnableHTTP2 = true
	p.server.Config.ErrorLog = p.Forward.ErrorLog
	p.server.StartTLS()
	t.Cleanup(func() {
		p.server.CloseClientConnections()
		p.server.Close()
	})
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: p.server.Certificate().Raw})
	return p, Leaf{p.server.URL, string(ca), to.Token}
}

// ServeHTTP implements [http.Handler].
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.asked++
	fault := p.fault
	p.mu.Unlock()
	if !p.passes(r.Context()) {
		panic(http.ErrAbortHandler) // the client has closed its connection, so it never sends the request again
	}
	if fault == nil || !fault(w, r) {
		p.Forward.ServeHTTP(w, r)
	}
}

// passes waits until the way is open. It reports false if the client has closed its connection meanwhile.
func (p *Proxy) passes(request context.Context) bool {
	p.mu.Lock()
	heals := p.heals
	p.mu.Unlock()
	if heals == nil {
		return true
	}
	select {
	case <-heals:
	case <-request.Done():
	}
	return request.Err() == nil
}

// Disturb lets fault see each request from now on. It answers the request, or returns false. It is called by several
// goroutines.
func (p *Proxy) Disturb(fault func(http.ResponseWriter, *http.Request) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault = fault
}

// Received returns how many bytes the API server has answered with, by method and path.
func (p *Proxy) Received() map[string]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.bytes)
}

// counted counts the bytes of an answer.
type counted struct {
	io.ReadCloser

	proxy   *Proxy
	what    string // the request's method and path
	request context.Context
}

// Read implements [io.Reader].
func (c *counted) Read(into []byte) (int, error) {
	n, err := c.ReadCloser.Read(into)
	if !c.proxy.passes(c.request) {
		return 0, c.request.Err()
	}
	c.proxy.mu.Lock()
	defer c.proxy.mu.Unlock()
	c.proxy.bytes[c.what] += n
	return n, err
}

// Refuse answers a request as an API server does.
func Refuse(w http.ResponseWriter, code int, reason metav1.StatusReason, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(metav1.Status{ // the client may have gone
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure,
		Code: int32(code), Reason: reason, Message: message, //nolint:gosec // a code of HTTP
	})
}

// Cut lets the proxy hold back all requests and answers, as a network that loses packets, until the returned function
// is called. Requests of connections that the client closes meanwhile never arrive.
func (p *Proxy) Cut() (heal func()) {
	healed := make(chan struct{})
	p.mu.Lock()
	defer p.mu.Unlock()
	p.heals = healed
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.heals = nil
		close(healed)
	}
}

// Requests returns the number of requests.
func (p *Proxy) Requests() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked
}
