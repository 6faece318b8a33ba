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

// SetMemory lets a leaf be used by a process on another machine, which has another memory.
func SetMemory(leaf *Leaf, folder string) { leaf.memory = folder }

// LifelinePath returns where a holder has its lifeline on this machine.
func LifelinePath(holder string) string { return lifelinePath(memoryFolder, holder) }

// SetAhead lets the clock of the leaf's API server be ahead of this machine's.
func SetAhead(leaf *Leaf, ahead time.Duration) { leaf.clock.ahead.Store(int64(ahead)) }
