package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/transport"

	"github.com/leafmesh/terraform-provider-liqo/internal/access"
)

// These are the layers of the transport to an API server that have no other place. client-go builds the rest.

// opening is a transport that lets the first request connect alone. The others wait until it is sent, and then share
// its connection: HTTP/2 carries all requests on one. Otherwise each of the first requests would open a connection of
// its own, and most of the work of a plan would be handshakes of TLS. If nothing answers the first request in time, the
// others fail with it.
type opening struct {
	transport http.RoundTripper
	late      <-chan struct{} // closed when it is too late to connect
	begin     func()          // called before the first request is sent

	begun  atomic.Bool   // by the first request
	opened chan struct{} // closed when the first request is sent or has failed
	err    error         // of the first request, if it was too late; set before opened is closed
}

// newOpening returns a wrapper that makes an opening.
func newOpening(late <-chan struct{}, begin func()) transport.WrapperFunc {
	return func(transport http.RoundTripper) http.RoundTripper {
		return &opening{transport: transport, late: late, begin: begin, opened: make(chan struct{})}
	}
}

// RoundTrip implements [http.RoundTripper].
func (o *opening) RoundTrip(request *http.Request) (*http.Response, error) {
	if o.begun.CompareAndSwap(false, true) {
		return o.open(request)
	}
	select {
	case <-o.opened:
		if o.err != nil {
			return nil, o.err
		}
		return o.transport.RoundTrip(request)
	case <-request.Context().Done():
		return nil, request.Context().Err()
	}
}

// open sends the first request.
func (o *opening) open(request *http.Request) (*http.Response, error) {
	o.begin()
	var once sync.Once
	trace := &httptrace.ClientTrace{WroteHeaders: func() { once.Do(func() { close(o.opened) }) }}
	response, err := o.transport.RoundTrip(request.WithContext(httptrace.WithClientTrace(request.Context(), trace)))
	once.Do(func() {
		select {
		case <-o.late:
			o.err = err
		default:
		}
		close(o.opened)
	})
	return response, err
}

// renew returns a transport that repeats a request once if the API server refuses the credentials, which the transport
// below adds. A credential plugin then renews them, and so does client-go with a token that it reads from a file. But
// client-go leaves it to its caller to ask again.
func renew(transport http.RoundTripper) http.RoundTripper {
	return access.RoundTrip(func(request *http.Request) (*http.Response, error) {
		again := request.Clone(request.Context()) // before client-go adds the credentials
		response, err := transport.RoundTrip(request)
		if err != nil || response.StatusCode != http.StatusUnauthorized {
			return response, err
		}
		if request.GetBody != nil {
			if again.Body, err = request.GetBody(); err != nil {
				return response, nil //nolint:nilerr // the answer says what is wrong
			}
		}
		if err := response.Body.Close(); err != nil {
			return nil, err
		}
		return transport.RoundTrip(again)
	})
}

// strangerError means that something else than an API server has answered in place of a leaf.
type strangerError struct{ answer string }

func (e *strangerError) Error() string { return e.answer }

// refuseStrangers returns a transport that turns answers of something else than an API server into errors: redirects,
// which no API server sends, and which would let a leaf choose where requests go, even with their content; and refusals
// without the words and the headers of Kubernetes, as of a load balancer without a route or of a login page. A bare 404
// would otherwise look as if an object did not exist.
func refuseStrangers(transport http.RoundTripper) http.RoundTripper {
	return access.RoundTrip(func(request *http.Request) (*http.Response, error) {
		response, err := transport.RoundTrip(request)
		if err != nil {
			return response, err
		}
		stranger := &strangerError{}
		switch {
		case isRedirect(response.StatusCode):
			// The rest of the address may have secrets, for instance those of a login.
			stranger.answer = "it redirects to nowhere"
			if target, err := request.URL.Parse(response.Header.Get("Location")); err == nil && target.Host != "" {
				stranger.answer = "it redirects to " + (&url.URL{Scheme: target.Scheme, Host: target.Host}).String()
			}
		case isBareRefusal(response):
			stranger.answer = "it answers " + response.Status + " without the words of Kubernetes"
		default:
			return response, nil
		}
		_ = response.Body.Close() // nobody reads it
		return nil, stranger
	})
}

// isRedirect reports whether net/http would follow an answer with this status.
func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect,
		http.StatusPermanentRedirect:
		return true
	default:
		return false
	}
}

// isBareRefusal reports whether no API server can have refused a request. Each of its answers has an audit ID, also
// when it does not know a path and answers without the words of Kubernetes. What stands before it, as for a login, may
// answer in these words, without an ID.
func isBareRefusal(response *http.Response) bool {
	switch response.StatusCode {
	case http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed:
	default:
		return false
	}
	if response.Header.Get(auditID) != "" {
		return false
	}
	const enough = 64 << 10
	begin, err := io.ReadAll(io.LimitReader(response.Body, enough))
	response.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(begin), response.Body), response.Body}
	if err != nil {
		return false // whoever reads on gets it, too
	}
	var status metav1.Status
	isStatus := json.Unmarshal(begin, &status) == nil && status.Kind == "Status"
	return !isStatus && !bytes.HasPrefix(begin, []byte("k8s\x00")) // which begins Kubernetes' protocol buffers
}

// auditID is the header by which a log of Kubernetes' audits names a request.
const auditID = "Audit-Id"

// proxyError means that a proxy has refused to connect to a leaf.
type proxyError struct{ proxy, status string }

func (e *proxyError) Error() string { return fmt.Sprintf("proxy %s answers %s", e.proxy, e.status) }

// nameProxies lets the refusal of a proxy be a [proxyError]. net/http has no type for it, and only the words of the
// status.
func nameProxies(transport http.RoundTripper) http.RoundTripper {
	if connecting, ok := transport.(*http.Transport); ok {
		connecting.OnProxyConnectResponse = func(
			_ context.Context, proxy *url.URL, _ *http.Request, answer *http.Response,
		) error {
			if answer.StatusCode == http.StatusOK {
				return nil
			}
			return &proxyError{proxy.Host, answer.Status}
		}
	}
	return transport
}
