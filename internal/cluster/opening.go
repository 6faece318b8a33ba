package cluster

import (
	"net/http"
	"net/http/httptrace"
	"sync"
	"sync/atomic"

	"k8s.io/client-go/transport"
)

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
