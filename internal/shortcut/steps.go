package shortcut

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// LogSubsystem is the tflog subsystem that the package logs to: a line a step at INFO, more at DEBUG. Callers set it up in the context.
const LogSubsystem = "shortcut"

// errAborted ends steps that can't go on because another has failed. Only that other one's error is shown.
var errAborted = errors.New("another step failed")

// run starts the steps of one procedure, each as soon as those before it are done, and remembers how far each has got.
type run struct {
	ctx   context.Context //nolint:containedctx // lives as long as the procedure that made it
	abort context.CancelCauseFunc
	steps sync.WaitGroup

	// independent lets the steps go on that do not come after a failed one.
	independent bool

	mu     sync.Mutex
	ledger []*entry
}

// entry is what a run knows of one step.
type entry struct {
	leaf, name string
	started    time.Time // zero until the steps before it are done
	took       time.Duration
	done       bool
	failed     bool
	err        error // why it failed, unless that was another step's failure
}

func newRun(ctx context.Context) *run {
	ctx, abort := context.WithCancelCause(ctx)
	return &run{ctx: ctx, abort: abort}
}

// step is one thing to do on one leaf, and its result.
type step[T any] struct {
	done  chan struct{} // closed when the step has ended, well or not
	ok    bool
	value T
}

// dependency is a step of any result.
type dependency interface {
	succeeded(ctx context.Context) bool
}

// start does a step once all the others that it comes after have succeeded. It returns at once.
func start[T any](r *run, on *side, name string, do func(context.Context) (T, error), after ...dependency) *step[T] {
	s := &step[T]{done: make(chan struct{})}
	entry := r.enter(on.leaf.Name, name)
	r.steps.Go(func() {
		defer close(s.done)
		for _, before := range after {
			if !before.succeeded(r.ctx) {
				return
			}
		}
		r.begin(entry)
		value, err := do(r.ctx)
		s.value, s.ok = value, err == nil
		r.end(entry, err)
	})
	return s
}

// get is the step's result. Only steps that come after this one may ask for it.
func (s *step[T]) get() T {
	select {
	case <-s.done:
		return s.value
	default:
		panic("a step uses the result of another that it does not come after")
	}
}

func (s *step[T]) succeeded(ctx context.Context) bool {
	select {
	case <-s.done:
		return s.ok
	case <-ctx.Done():
		return false
	}
}

// wait returns when every step has ended. Its error is a [Failure] that holds the errors of all steps that failed for reasons of their own, in the order
// of the procedure, and tells how far each of the steps got.
func (r *run) wait() error {
	r.steps.Wait()
	defer r.abort(nil)
	if cause := context.Cause(r.ctx); errors.Is(cause, cluster.ErrLeaseLost) {
		return r.failure(cause) // all that the steps have to say follows from it
	}
	var errs []error
	for _, entry := range r.ledger {
		if entry.err != nil {
			errs = append(errs, entry.err)
		}
	}
	if len(errs) == 0 {
		if err := context.Cause(r.ctx); err != nil { // cancelled before the first step could fail of it
			return r.failure(err)
		}
		return nil
	}
	return r.failure(errors.Join(errs...))
}

func (r *run) enter(leaf, name string) *entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	entry := &entry{leaf: leaf, name: name}
	r.ledger = append(r.ledger, entry)
	return entry
}

func (r *run) begin(e *entry) {
	r.mu.Lock()
	e.started = time.Now()
	r.mu.Unlock()
	tflog.SubsystemDebug(r.ctx, LogSubsystem, "step begins", map[string]any{"step": e.name, "leaf": e.leaf})
}

func (r *run) end(e *entry, err error) {
	r.mu.Lock()
	e.took = time.Since(e.started)
	e.done, e.failed = err == nil, err != nil
	// A request that was under way when another step failed says only that it was cancelled, and a cache that was still filling that it timed out.
	cancelled := errors.Is(err, context.Canceled) || apierrors.IsTimeout(err)
	aborted := errors.Is(err, errAborted) || (cancelled && errors.Is(context.Cause(r.ctx), errAborted))
	if err != nil && !aborted {
		e.err = err
	}
	r.mu.Unlock()

	fields := map[string]any{"step": e.name, "leaf": e.leaf, "duration_ms": e.took.Milliseconds()}
	if err == nil {
		tflog.SubsystemInfo(r.ctx, LogSubsystem, "step done", fields)
		return
	}
	fields["error"] = err.Error()
	tflog.SubsystemDebug(r.ctx, LogSubsystem, "step failed", fields)
	// A deadline ends every waiting step by itself, each with an explanation of its own.
	if !r.independent && !errors.Is(err, context.DeadlineExceeded) {
		r.abort(errAborted)
	}
}

func (r *run) failure(err error) *Failure {
	r.mu.Lock()
	defer r.mu.Unlock()
	progress := make([]Progress, len(r.ledger))
	for i, e := range r.ledger {
		progress[i] = Progress{Leaf: e.leaf, Step: e.name, Started: !e.started.IsZero(), Done: e.done, Took: e.took}
	}
	return &Failure{Progress: progress, Err: err}
}
