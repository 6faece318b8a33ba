package protocol

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"sync"
	"syscall"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// proxy stands between the provider and a leaf. It passes on requests, with the credentials of whoever sends them.
type proxy struct {
	t       *testing.T
	address string
	forward http.Handler
	server  *httptest.Server

	mu       sync.Mutex
	requests []request
	fault    func(http.ResponseWriter, *http.Request) bool // answers a request, or returns false
}

// request is one that the provider has sent.
type request struct{ method, path string }

// writes reports whether the request may change something.
func (r request) writes() bool { return r.method != http.MethodGet }

// silent discards what an HTTP server logs: connections that are cut are part of the tests.
var silent = log.New(io.Discard, "", 0)

func proxyFor(t *testing.T, to started) *proxy {
	t.Helper()
	target, err := url.Parse(to.Server)
	if err != nil {
		t.Fatal(err)
	}
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM([]byte(to.CertificateAuthority))
	transport := &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true,
	}
	p := &proxy{t: t, address: reserve(t), forward: &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport:     transport,
		FlushInterval: -1, // a watch must not wait for more events
		ErrorHandler:  func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
		ErrorLog:      silent,
	}}
	p.start()
	t.Cleanup(func() {
		p.stop()
		transport.CloseIdleConnections()
	})
	return p
}

// reserve returns an address of this machine that nobody else gets, also while nobody listens there.
func reserve(t *testing.T) string {
	t.Helper()
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	must(err)
	t.Cleanup(func() { _ = syscall.Close(socket) })
	must(syscall.SetsockoptInt(socket, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1)) // for who listens
	must(syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	bound, err := syscall.Getsockname(socket)
	must(err)
	return fmt.Sprintf("127.0.0.1:%d", bound.(*syscall.SockaddrInet4).Port) //nolint:errcheck,forcetypeassert // as bound
}

// start lets the leaf answer, at the same address as before.
func (p *proxy) start() {
	p.t.Helper()
	listener, err := net.Listen("tcp", p.address)
	if err != nil {
		p.t.Fatal(err)
	}
	p.server = &httptest.Server{
		Listener: listener, EnableHTTP2: true,
		Config: &http.Server{Handler: p, ErrorLog: silent}, //nolint:gosec // only the provider sends requests
	}
	p.server.StartTLS()
}

// stop cuts all connections to the leaf, and refuses new ones.
func (p *proxy) stop() {
	p.server.CloseClientConnections()
	p.server.Close()
}

// url is the address of the leaf for the provider.
func (p *proxy) url() string { return "https://" + p.address }

// authority is the certificate of who vouches for the proxy.
func (p *proxy) authority() string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: p.server.Certificate().Raw}))
}

// ServeHTTP implements [http.Handler].
func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.requests = append(p.requests, request{r.Method, r.URL.Path})
	fault := p.fault
	p.mu.Unlock()
	if fault == nil || !fault(w, r) {
		p.forward.ServeHTTP(w, r)
	}
}

// disturb lets fault see each request from now on. It answers the request, or returns false. It is called by several
// goroutines.
func (p *proxy) disturb(fault func(http.ResponseWriter, *http.Request) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault = fault
}

// take returns the requests since the last call that are selected.
func (p *proxy) take(selected func(request) bool) []request {
	p.mu.Lock()
	defer p.mu.Unlock()
	taken := p.requests
	p.requests = nil
	return slices.DeleteFunc(taken, func(r request) bool { return !selected(r) })
}

// refuse answers a request as an API server does.
func refuse(w http.ResponseWriter, code int, reason metav1.StatusReason, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(metav1.Status{ // the client may have gone
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure,
		Code: int32(code), Reason: reason, Message: message, //nolint:gosec // a code of HTTP
	})
}
