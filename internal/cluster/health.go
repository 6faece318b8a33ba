package cluster

import (
	"context"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// health stores the error that makes a leaf's caches unusable: an error that a retry does not fix. Without one of the
// [cachedKinds], no cache of the leaf is of use. Any other kind has a health of its own.
type health struct {
	mu      sync.Mutex
	broken  chan struct{} // closed once there is such an error
	fatal   error
	last    error               // the last error of any watch; the watch may work again since
	started bool                // the caches have been filled, so the API server did not refuse then
	refused map[string]*refusal // keyed by the kind that is watched
	others  map[string]*health  // of the other kinds, keyed by the kind
}

// refusal is a series of refusals to watch a kind.
type refusal struct{ first, last time.Time }

// A watch that is refused asks again after at most a minute. So a refusal that comes later than that is not of the same
// series; the watch has worked in between.
const longestSilence = time.Minute

func newHealth() *health {
	return &health{broken: make(chan struct{}), refused: map[string]*refusal{}, others: map[string]*health{}}
}

// kindOf returns what client-go calls a kind in the errors of its watches.
func kindOf(object client.Object) string { return fmt.Sprintf("%T", object) }

// of returns the health of a kind, which is the leaf's for the [cachedKinds].
func (h *health) of(kind string) *health {
	for _, cached := range cachedKinds() {
		if kind == kindOf(cached) {
			return h
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.others[kind] == nil {
		h.others[kind] = newHealth()
		h.others[kind].started = h.started
	}
	return h.others[kind]
}

// report records the error that ended a watch of a kind. Client-go retries after every error. The leaf is given up only
// if a retry cannot help: its API server refuses to watch. While the leaf is being connected to, one refusal is enough,
// so that users do not wait for a plan that can't succeed. An API server that refuses only later may have restarted,
// and is given time.
func (h *health) report(kind string, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last = err
	if !apierrors.IsForbidden(err) && !apierrors.IsUnauthorized(err) && !apierrors.IsNotFound(err) {
		delete(h.refused, kind)
		return
	}
	now := time.Now()
	series := h.refused[kind]
	if series == nil || now.Sub(series.last) > longestSilence {
		series = &refusal{first: now}
		h.refused[kind] = series
	}
	series.last = now
	if !h.started || now.Sub(series.first) >= refusalsBelieved {
		h.fail(err)
	}
}

// giveUp records an error after which nothing is to be read any more.
func (h *health) giveUp(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.fail(err)
}

// fail is giveUp for a caller that has the lock.
func (h *health) fail(err error) {
	if h.fatal == nil {
		h.fatal = err
		close(h.broken)
	}
}

// start records that the caches are filled, those of the other kinds, too, that are watched since the leaf was
// connected to.
func (h *health) start() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.started = true
	for _, other := range h.others {
		other.start()
	}
}

func (h *health) err() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.fatal
}

// watch returns a context that also ends when the caches break, or that of one of these kinds. [context.Cause]
// then returns the error.
func (h *health) watch(ctx context.Context, kinds ...client.Object) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	all := []*health{h}
	for _, kind := range kinds {
		if own := h.of(kindOf(kind)); own != h {
			all = append(all, own)
		}
	}
	for _, one := range all {
		go func() {
			select {
			case <-one.broken:
				cancel(one.err())
			case <-ctx.Done():
			}
		}()
	}
	return ctx, func() { cancel(context.Canceled) }
}

func (h *health) lastErr() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.last
}
