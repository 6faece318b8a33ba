package cluster

import (
	"net/http"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
)

// opening is a transport that lets the first request connect alone. The others wait until it is sent, and then share
// its connection: HTTP/2 carries all requests on one. Otherwise each of the first requests would open a connection of
// its own, and most of the work of a plan would be handshakes of TLS.
type opening struct {
	transport http.RoundTripper

	begun  atomic.Bool   // by the first request
	opened chan struct{} // closed when the first request is sent or has failed
}

func newOpening(transport http.RoundTripper) http.RoundTripper {
	return &opening{transport: transport, opened: make(chan struct{})}
}

// RoundTrip implements [http.RoundTripper].
func (o *opening) RoundTrip(request *http.Request) (*http.Response, error) {
	if o.begun.CompareAndSwap(false, true) {
		open := sync.OnceFunc(func() { close(o.opened) })
		defer open()
		trace := &httptrace.ClientTrace{WroteHeaders: open}
		return o.transport.RoundTrip(request.WithContext(httptrace.WithClientTrace(request.Context(), trace)))
	}
	select {
	case <-o.opened:
		return o.transport.RoundTrip(request)
	case <-request.Context().Done():
		return nil, request.Context().Err()
	}
}

// WrappedRoundTripper lets client-go find the transport below, for instance to close its connections.
func (o *opening) WrappedRoundTripper() http.RoundTripper { return o.transport }
