package cluster

import (
	"context"
	"errors"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Events reports changes of objects in a leaf's cache.
type Events interface {
	// Subscribe calls changed for every object of these kinds that is added, updated or deleted, until the returned
	// function is called. Existing objects count as added.
	Subscribe(ctx context.Context, changed func(client.Object), kinds ...client.Object) (unsubscribe func(), err error)
}

// Until returns nil once done returns true. It calls done immediately, and again after each change in the leaf's cache
// to an object of these kinds that belongs to the remote cluster with this ID. It never polls. If done fails because
// the API server does not answer or refuses, Until calls it again after a while, as [Leaf.UntilObject]. It returns
// early with another error of done, the context's cause, a [WaitError], or the error that broke the leaf's caches.
func (l *Leaf) Until(
	ctx context.Context, remoteID string, done func(context.Context) (bool, error), kinds ...client.Object,
) error {
	return l.until(ctx, remoteID, func(client.Object) {}, done, kinds...)
}

// until is Until. It also calls changed for each object of the remote cluster that is added, updated or deleted, and
// then calls done.
func (l *Leaf) until(
	ctx context.Context, remoteID string, changed func(client.Object), done func(context.Context) (bool, error),
	kinds ...client.Object,
) error {
	ctx, cancel := l.health.watch(ctx, kinds...)
	defer cancel()
	changes := make(chan struct{}, 1) // one is enough, because done checks everything
	unsubscribe, err := l.Events.Subscribe(ctx, func(object client.Object) {
		if RemoteID(object) != remoteID {
			return
		}
		changed(object)
		select {
		case changes <- struct{}{}:
		default:
		}
	}, kinds...)
	if err != nil {
		return causeOr(ctx, err)
	}
	defer unsubscribe()
	var retries retries
	for {
		ok, err := done(ctx)
		switch {
		case err != nil:
			err = retries.pause(ctx, err)
		case ok:
			return nil
		default:
			retries.succeeded()
			err = untilSent(ctx, changes)
		}
		if err != nil {
			return err
		}
	}
}

// untilSent returns nil after the next change, or the cause of the context's end.
func untilSent(ctx context.Context, changes <-chan struct{}) error {
	select {
	case <-changes:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// causeOr returns the cause of the context's end if it has ended, because err may only be a consequence. Otherwise it
// returns err.
func causeOr(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// An API server that restarts does not answer at first. While it loads, it may refuse what it allows later, and not
// know every kind. A wait goes on through all of this. [retries] decides for how long, and how often it asks.

const (
	// refusalsBelieved is how long an API server must refuse a request before a wait gives up. One that has just started
	// knows all permissions and kinds within a few seconds.
	refusalsBelieved = 15 * time.Second

	// outagesSurvived is how long a write is repeated.
	outagesSurvived = time.Minute
)

// retryDelays are the times after which a wait whose request has failed asks again.
var retryDelays = wait.Backoff{Duration: 250 * time.Millisecond, Factor: 2, Steps: 10, Cap: 5 * time.Second}

// WaitError is the error of a wait that has ended while the leaf's API server did not answer its requests.
type WaitError struct {
	Err  error // why the wait has ended: the cause of its context
	Last error // how the last request failed, an [Error]
}

// Error returns both errors.
func (e *WaitError) Error() string {
	return e.Err.Error() + "; the last request failed: " + e.Last.Error()
}

// Unwrap returns why the wait has ended.
func (e *WaitError) Unwrap() error { return e.Err }

// retries paces the requests of one wait. The zero value is for a wait that begins.
type retries struct {
	backoff wait.Backoff
	retried time.Time // the last time
	refused time.Time // when the API server began to refuse; zero if it does not
	last    error     // the last failure; nil if the last request has succeeded
}

// pause waits between two requests, the last of which failed with err. A nil err means that the API server has ended a
// watch, as it does every few minutes. pause returns an error if there shall be no further request: err itself if a
// retry can't help, or [retries.ended] if the context has ended.
func (r *retries) pause(ctx context.Context, err error) error {
	delay, again := r.after(err)
	switch {
	case ctx.Err() != nil:
		return r.ended(ctx)
	case !again:
		return err
	}
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return r.ended(ctx)
	}
}

// after returns the delay before the next request. It returns false if the failure is not one of the API server, or if
// the API server has refused for too long.
func (r *retries) after(err error) (time.Duration, bool) {
	_, failed := errors.AsType[*Error](err)
	switch {
	case err == nil:
		r.succeeded()
	case !failed:
		r.last = nil
		return 0, false
	case r.believes(err):
		return 0, false
	default:
		r.last = err
	}
	// Between two failures it may have worked for a while. Backoff.DelayWithReset would begin again also while it fails.
	if time.Since(r.retried) > 2*retryDelays.Cap {
		r.backoff = retryDelays
	}
	r.retried = time.Now()
	return r.backoff.Step(), true
}

// succeeded records that the API server answers.
func (r *retries) succeeded() { r.refused, r.last = time.Time{}, nil }

// believes reports whether an answer is a refusal that the API server has repeated for long enough.
func (r *retries) believes(err error) bool {
	switch {
	case isOutage(err):
		r.refused = time.Time{}
	case r.refused.IsZero():
		r.refused = time.Now()
	}
	return !r.refused.IsZero() && time.Since(r.refused) >= refusalsBelieved
}

// ended returns the error of a wait whose context has ended: the cause of that and, if the last request has failed, its
// failure.
func (r *retries) ended(ctx context.Context) error {
	if r.last == nil {
		return context.Cause(ctx)
	}
	return &WaitError{Err: context.Cause(ctx), Last: r.last}
}

// Persist repeats a request for up to a minute while the API server can't answer, or answers that someone else has
// written at the same time. A request that is done twice must have the same effect as one. The error is explained, as
// by [Leaf.Explain], or a [WaitError].
func (l *Leaf) Persist(ctx context.Context, request func() error) error {
	var retries retries
	for began := time.Now(); ; {
		err := l.Explain(request())
		if !isOutage(err) && !apierrors.IsConflict(err) || time.Since(began) >= outagesSurvived {
			return err
		}
		if err := retries.pause(ctx, err); err != nil {
			return err
		}
	}
}

// isOutage reports whether an error means that the API server can't answer now. It says nothing about the request.
func isOutage(err error) bool {
	var status apierrors.APIStatus
	if explained, ok := errors.AsType[*Error](err); ok && (explained.unreachable || explained.barred) {
		return true
	}
	return errors.As(err, &status) &&
		(status.Status().Code == http.StatusTooManyRequests || status.Status().Code >= http.StatusInternalServerError)
}
