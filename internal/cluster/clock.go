package cluster

import (
	"net/http"
	"sync/atomic"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/access"
)

// clock tells the time of a leaf's API server. The machine that Terraform runs on may be minutes off, and what a leaf
// says of times is by the leaf's own clocks. The zero value agrees with this machine's clock.
type clock struct {
	ahead atomic.Int64 // how far the API server's clock is ahead of this machine's, in nanoseconds
}

// now returns the API server's time, to within a second.
func (c *clock) now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

// watch returns a transport that sets the clock by every answer that passes it: HTTP servers say in the header `Date`
// when they answered (RFC 9110, section 6.6.1).
func (c *clock) watch(transport http.RoundTripper) http.RoundTripper {
	return access.RoundTrip(func(request *http.Request) (*http.Response, error) {
		response, err := transport.RoundTrip(request)
		if err != nil {
			return response, err
		}
		if date, err := http.ParseTime(response.Header.Get("Date")); err == nil {
			c.ahead.Store(int64(time.Until(date)))
		}
		return response, nil
	})
}
