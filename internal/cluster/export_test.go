package cluster

import (
	"net/http"
	"time"
)

// NewFenced returns the transport of a leaf behind the fences of all operations.
func NewFenced(transport http.RoundTripper, cut func()) http.RoundTripper {
	return &fenced{transport, cut}
}

// SetWallClock lets the wall clock of the machine, as the leaf sees it, be ahead of the monotonic one.
func SetWallClock(leaf *Leaf, ahead func() time.Duration) {
	leaf.wallClock = func() time.Time { return time.Now().Round(0).Add(ahead()) }
}

// SetAhead lets the clock of the leaf's API server be ahead of this machine's.
func SetAhead(leaf *Leaf, ahead time.Duration) { leaf.clock.ahead.Store(int64(ahead)) }
