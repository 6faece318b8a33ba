package cluster

import (
	"context"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// health stores the error that makes a leaf's caches unusable: an error that a retry does not fix.
type health struct {
	mu     sync.Mutex
	broken chan struct{} // closed once there is such an error
	fatal  error
	last   error // the last error of any watch; the watch may work again since
}

func newHealth() *health { return &health{broken: make(chan struct{})} }

// report records the error that ended a watch. Client-go retries after every error. The leaf is
// given up only if a retry cannot help.
func (h *health) report(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last = err
	if h.fatal == nil && (apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err) || apierrors.IsNotFound(err)) {
		h.fatal = err
		close(h.broken)
	}
}

func (h *health) err() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.fatal
}

// watch returns a context that also ends when the caches break. [context.Cause] then returns the error.
func (h *health) watch(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-h.broken:
			cancel(h.err())
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(context.Canceled) }
}

func (h *health) lastErr() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.last
}
