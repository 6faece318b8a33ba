package cluster

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// A lease alone does not keep a process from writing that has lost it without knowing: one that was stopped, whose
// machine slept, or that reaches every leaf but the one with the lease. This file does.

// fence lets an operation write only while it is sure that it holds its leases. It stands between the clients of all
// leaves and the network, so that nothing is between its answer and the request.
type fence struct {
	mu      sync.Mutex
	leases  []*Lease
	lost    error         // why one of the leases is lost
	changed chan struct{} // closed, and made anew, at each change of the above and each renewal
}

type fenceKey struct{}

// WithFence returns a context for an operation that writes, and may hold leases, see [Leaf.Hold]. While one of them is
// not renewed in time, the requests of the operation that write wait, to whichever leaf. Those that are under way end.
// They continue when the lease is renewed after all, and fail when it is lost. A write that is under way when the
// context ends still gets 5 seconds to be answered.
func WithFence(ctx context.Context) context.Context {
	return context.WithValue(ctx, fenceKey{}, &fence{changed: make(chan struct{})})
}

// withoutFence returns a context for the requests about the leases themselves.
func withoutFence(ctx context.Context) context.Context {
	return context.WithValue(ctx, fenceKey{}, (*fence)(nil))
}

// fenceOf returns the fence of an operation, or nil. A nil fence lets everything pass.
func fenceOf(ctx context.Context) *fence {
	f, _ := ctx.Value(fenceKey{}).(*fence)
	return f
}

func (f *fence) add(lease *Lease) {
	f.change(func() { f.leases = append(f.leases, lease) })
}

func (f *fence) remove(lease *Lease) {
	f.change(func() { f.leases = slices.DeleteFunc(f.leases, func(one *Lease) bool { return one == lease }) })
}

func (f *fence) lose(err error) {
	f.change(func() { f.lost = err })
}

// wake lets whoever waits look again.
func (f *fence) wake() { f.change(func() {}) }

func (f *fence) change(do func()) {
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	do()
	close(f.changed)
	f.changed = make(chan struct{})
}

// state returns for how long the fence is open. It is closed if that is not positive; then the error is why the last
// renewal failed, or nil. If a lease is lost, it never opens again. Changed is closed when that may have changed.
func (f *fence) state() (open time.Duration, failure *fenceError, changed <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.lost != nil {
		return 0, &fenceError{err: f.lost, lost: true}, f.changed
	}
	open = renewDeadline
	for _, lease := range f.leases {
		if sure, last := lease.sure(); sure < open {
			open, failure = sure, &fenceError{lease: lease, err: last}
		}
	}
	return open, failure, f.changed
}

// fenceError is why a fence is closed.
type fenceError struct {
	lease *Lease
	err   error // of the last renewal
	lost  bool
}

// explain returns the error of a request that did not pass.
func (e *fenceError) explain() error {
	if e.lost {
		return e.err
	}
	err := e.err
	if err == nil {
		err = errors.New("nothing has answered yet")
	}
	unrenewed := &Error{unreachable: true, Problem: trouble.Problem{
		ID:      "lease-not-renewed",
		Summary: "the Lease of this operation can't be renewed",
		Advice: "Another operation may have taken over meanwhile, so nothing more was written. Check the connection to " +
			"this leaf, and apply again.",
	}}
	return unrenewed.because(e.lease.leaf.Name, err, answered)
}

// untilOpen returns when the fence is open, or with the error of the request that did not pass: after a minute, when a
// lease is lost, or when the context ends.
func (f *fence) untilOpen(ctx context.Context) error {
	timer := time.NewTimer(outagesSurvived)
	defer timer.Stop()
	for {
		open, failure, changed := f.state()
		switch {
		case open > 0:
			return context.Cause(ctx) // nil unless it has ended already
		case failure.lost:
			return failure.explain()
		}
		select {
		case <-changed:
		case <-timer.C:
			return failure.explain()
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// untilClosed returns true when the fence is closed, or false when the context ends.
func (f *fence) untilClosed(ctx context.Context) bool {
	for {
		open, _, changed := f.state()
		if open <= 0 {
			return true
		}
		timer := time.NewTimer(open)
		select {
		case <-changed:
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return false
		}
		timer.Stop()
	}
}

// fenced is the transport of a leaf behind the fences of all operations.
type fenced struct {
	transport http.RoundTripper
	cut       func() // cuts all connections, with all that they have not sent yet
}

// timeToFinish is how long a write that is under way may still take when its operation is interrupted or fails
// elsewhere. Who gives up earlier does not know whether it happens after all, and can't clean up behind it.
const timeToFinish = 5 * time.Second

// outlive returns a context that ends when it is told to, or a while after another one.
func outlive(other context.Context) (context.Context, context.CancelCauseFunc) {
	ctx, end := context.WithCancelCause(context.WithoutCancel(other))
	stop := context.AfterFunc(other, func() {
		time.AfterFunc(timeToFinish, func() { end(context.Cause(other)) })
	})
	return ctx, func(cause error) {
		stop()
		end(cause)
	}
}

// RoundTrip implements [http.RoundTripper].
func (f *fenced) RoundTrip(request *http.Request) (*http.Response, error) {
	fence := fenceOf(request.Context())
	if fence == nil || !writes(request) {
		return f.transport.RoundTrip(request)
	}
	if err := fence.untilOpen(request.Context()); err != nil {
		return nil, err
	}
	ctx, end := outlive(request.Context())
	watched := f.endWhenClosed(ctx, fence, end)
	response, err := f.transport.RoundTrip(request.WithContext(ctx))
	if err != nil {
		err = causeOr(ctx, err)
		end(nil)
		<-watched // the caller may rely on it that nothing of the request is sent any more
		return nil, err
	}
	response.Body = &endingBody{response.Body, end}
	return response, nil
}

// endWhenClosed ends a request when the fence closes. The channel is closed when it no longer can.
func (f *fenced) endWhenClosed(ctx context.Context, fence *fence, end context.CancelCauseFunc) <-chan struct{} {
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		if fence.untilClosed(ctx) {
			_, failure, _ := fence.state()
			end(failure.explain())
			f.cut() // the request may still be in a buffer of the kernel, and arrive when another operation has the lease
		}
	}()
	return watched
}

// writes reports whether a request changes anything.
func writes(request *http.Request) bool {
	reads := request.Method == http.MethodGet || request.Method == http.MethodHead
	return !reads && !request.URL.Query().Has("dryRun")
}

// endingBody is the body of an answer. It ends the request's context when it is closed.
type endingBody struct {
	io.ReadCloser

	end context.CancelCauseFunc
}

// Close implements [io.Closer].
func (b *endingBody) Close() error {
	defer b.end(nil)
	return b.ReadCloser.Close()
}
