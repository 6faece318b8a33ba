package cluster

import (
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync"
	"sync/atomic"

	"k8s.io/client-go/transport"
)

// These are the layers of the transport to an API server that have no other place. client-go builds the rest.

// opening is a transport that lets the first request connect alone. The others wait until it is sent, and then share
// its connection: HTTP/2 carries all requests on one. Otherwise each of the first requests would open a connection of
// its own, and most of the work of a plan would be handshakes of TLS. If nothing answers the first request in time, the
// others fail with it.
type opening struct {
	transport http.RoundTripper
	late      <-chan struct{} // closed when it is too late to connect

	begun  atomic.Bool   // by the first request
	opened chan struct{} // closed when the first request is sent or has failed
	err    error         // of the first request, if it was too late; set before opened is closed
}

// newOpening returns a wrapper that makes an opening.
func newOpening(late <-chan struct{}) transport.WrapperFunc {
	return func(transport http.RoundTripper) http.RoundTripper {
		return &opening{transport: transport, late: late, opened: make(chan struct{})}
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

// WrappedRoundTripper lets client-go find the transport below, for instance to close its connections.
func (o *opening) WrappedRoundTripper() http.RoundTripper { return o.transport }

// renewing is a transport that repeats a request once if the API server refuses the credentials. A credential plugin
// then renews them, and so does client-go with a token that it reads from a file. But client-go leaves it to its caller
// to ask again.
type renewing struct {
	transport http.RoundTripper // adds the credentials
}

// RoundTrip implements [http.RoundTripper].
func (r *renewing) RoundTrip(request *http.Request) (*http.Response, error) {
	again := request.Clone(request.Context()) // before client-go adds the credentials
	response, err := r.transport.RoundTrip(request)
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
	return r.transport.RoundTrip(again)
}

// WrappedRoundTripper lets client-go find the transport below, for instance to close its connections.
func (r *renewing) WrappedRoundTripper() http.RoundTripper { return r.transport }

// redirectError means that a leaf has answered with a redirect.
type redirectError struct {
	target string // scheme and host; empty if the answer says no usable address
}

// Error says where the redirect leads. The rest of the address may have secrets, for instance those of a login.
func (e *redirectError) Error() string {
	if e.target == "" {
		return "it redirects to nowhere"
	}
	return "it redirects to " + e.target
}

// unredirected is a transport that turns redirects into errors. No API server sends any. A leaf could otherwise choose
// where requests go, even with their content.
type unredirected struct{ transport http.RoundTripper }

func refuseRedirects(transport http.RoundTripper) http.RoundTripper { return &unredirected{transport} }

// RoundTrip implements [http.RoundTripper].
func (u *unredirected) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := u.transport.RoundTrip(request)
	if err != nil || !isRedirect(response.StatusCode) {
		return response, err
	}
	_ = response.Body.Close() // nobody reads it
	refused := &redirectError{}
	if target, err := request.URL.Parse(response.Header.Get("Location")); err == nil && target.Host != "" {
		refused.target = (&url.URL{Scheme: target.Scheme, Host: target.Host}).String()
	}
	return nil, refused
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

// WrappedRoundTripper lets client-go find the transport below, for instance to close its connections.
func (u *unredirected) WrappedRoundTripper() http.RoundTripper { return u.transport }
