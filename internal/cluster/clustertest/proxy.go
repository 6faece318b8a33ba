package clustertest

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"maps"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Proxy stands between the provider and the API server of a leaf. It passes on requests, with the credentials of
// whoever sends them. A test can let it answer some of them, hold them back, or refuse connections.
type Proxy struct {
	Address string       // host and port, also while it does not listen
	Forward http.Handler // the way to the API server

	t      *testing.T
	server *httptest.Server

	mu       sync.Mutex
	requests []Request
	received map[string]int                                // bytes of the API server, by method and path
	fault    func(http.ResponseWriter, *http.Request) bool // answers a request, or returns false
	heals    chan struct{}                                 // is closed when the way is open again; nil while it is open
	stopped  bool
}

// Request is one that somebody has sent to a proxy.
type Request struct{ Method, Path string }

// Writes reports whether the request may change something.
func (r Request) Writes() bool { return r.Method != http.MethodGet }

// silent discards what an HTTP server logs: connections that are cut are part of the tests.
var silent = log.New(io.Discard, "", 0)

// certificate is that of all proxies. Most of a handshake would be work with the RSA key of httptest's own.
var certificate = sync.OnceValue(func() tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err) // no randomness
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotAfter: time.Now().Add(24 * time.Hour),
	}
	content, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		panic(err) // the template is incomplete
	}
	return tls.Certificate{Certificate: [][]byte{content}, PrivateKey: key}
})

// NewProxy starts a proxy, which ends with the test, for an API server with this URL and certificate authority.
func NewProxy(t *testing.T, server, authority string) *Proxy {
	t.Helper()
	target, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	trusted := x509.NewCertPool()
	if !trusted.AppendCertsFromPEM([]byte(authority)) {
		t.Fatal("the leaf has no certificate")
	}
	transport := &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true,
	}
	p := &Proxy{t: t, Address: reserve(t), received: map[string]int{}}
	p.Forward = &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport:     transport,
		FlushInterval: -1, // a watch must not wait for more events
		ErrorHandler:  func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
		ErrorLog:      silent,
		ModifyResponse: func(response *http.Response) error {
			what := response.Request.Method + " " + response.Request.URL.Path
			response.Body = &counted{ReadCloser: response.Body, proxy: p, what: what, request: response.Request.Context()}
			return nil
		},
	}
	p.Start()
	t.Cleanup(func() {
		p.Stop()
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

// Start lets the leaf answer, at the same address as before.
func (p *Proxy) Start() {
	p.t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(p.t.Context(), "tcp", p.Address)
	if err != nil {
		p.t.Fatal(err)
	}
	p.server = &httptest.Server{
		Listener: listener, EnableHTTP2: true, TLS: &tls.Config{Certificates: []tls.Certificate{certificate()}},
		Config: &http.Server{Handler: p, ErrorLog: silent}, //nolint:gosec // only the provider sends requests
	}
	p.server.StartTLS()
	p.setStopped(false)
}

// Stop cuts all connections to the leaf, and refuses new ones. A client may open one in between. It gets no answer.
func (p *Proxy) Stop() {
	p.setStopped(true)
	p.server.CloseClientConnections()
	p.server.Close()
}

func (p *Proxy) setStopped(stopped bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopped = stopped
}

// URL is the address of the leaf for the provider.
func (p *Proxy) URL() string { return "https://" + p.Address }

// Authority is the certificate of who vouches for the proxy, in PEM.
func (p *Proxy) Authority() string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: p.server.Certificate().Raw}))
}

// ServeHTTP implements [http.Handler].
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.requests = append(p.requests, Request{r.Method, r.URL.Path})
	fault, stopped := p.fault, p.stopped
	p.mu.Unlock()
	if stopped {
		panic(http.ErrAbortHandler)
	}
	if !p.passes(r.Context()) {
		panic(http.ErrAbortHandler) // the client has closed its connection, so it never sends the request again
	}
	if fault == nil || !fault(w, r) {
		p.Forward.ServeHTTP(w, r)
	}
}

// Take returns the requests since the last call.
func (p *Proxy) Take() []Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	taken := p.requests
	p.requests = nil
	return taken
}

// Received returns how many bytes the API server has answered with, by method and path.
func (p *Proxy) Received() map[string]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.received)
}

// Disturb lets fault see each request from now on. It answers the request, or returns false. It is called by several
// goroutines.
func (p *Proxy) Disturb(fault func(http.ResponseWriter, *http.Request) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault = fault
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
	c.proxy.received[c.what] += n
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
