// Package steps runs the steps of a procedure on several leaves, each as soon as those that it comes after are done, and knows how far each has got.
package steps

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// LogSubsystem is the tflog subsystem that steps log to: a line a step at INFO, more at DEBUG. Callers set it up in the context.
const LogSubsystem = "shortcut"

// ErrAborted ends steps that can't go on because another has failed. Only that other one's error is shown.
var ErrAborted = errors.New("another step failed")

// Run is one procedure under way.
type Run struct {
	ctx   context.Context //nolint:containedctx // lives as long as the procedure that made it
	abort context.CancelCauseFunc
	steps sync.WaitGroup

	// independent lets the steps go on that do not come after a failed one.
	independent bool

	mu      sync.Mutex
	ledger  []*entry
	aborted error // why the whole run was aborted from outside
}

// entry is what a run knows of one step.
type entry struct {
	leaf, name string
	started    time.Time // zero until the steps before it are done
	took       time.Duration
	done       bool
	err        error // why it failed, unless that was another step's failure
}

// New begins a procedure in which a failure ends all other steps.
func New(ctx context.Context) *Run {
	ctx, abort := context.WithCancelCause(ctx)
	return &Run{ctx: ctx, abort: abort}
}

// NewIndependent begins a procedure in which a failure ends only the steps that come after the failed one.
func NewIndependent(ctx context.Context) *Run {
	r := New(ctx)
	r.independent = true
	return r
}

// Abort ends the run for a reason that is none of its steps'. Wait returns that reason alone.
func (r *Run) Abort(reason error) {
	r.mu.Lock()
	r.aborted = reason
	r.mu.Unlock()
	r.abort(reason)
}

// Wait returns when every step has ended. Its error is a [Failure] that holds the errors of all steps that failed for reasons of their own, in the order of the
// procedure, and says how far each of the steps got.
func (r *Run) Wait() error {
	r.steps.Wait()
	defer r.abort(nil)
	if r.aborted != nil {
		return r.failure(r.aborted)
	}
	var errs []error
	for _, entry := range r.ledger {
		if entry.err != nil {
			errs = append(errs, entry.err)
		}
	}
	if len(errs) > 0 {
		return r.failure(errors.Join(errs...))
	}
	if err := context.Cause(r.ctx); err != nil { // cancelled before the first step could fail of it
		return r.failure(err)
	}
	return nil
}

func (r *Run) enter(leaf, name string) *entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	entry := &entry{leaf: leaf, name: name}
	r.ledger = append(r.ledger, entry)
	return entry
}

func (r *Run) begin(e *entry) {
	r.mu.Lock()
	e.started = time.Now()
	r.mu.Unlock()
	tflog.SubsystemDebug(r.ctx, LogSubsystem, "step begins", map[string]any{"step": e.name, "leaf": e.leaf})
}

func (r *Run) end(e *entry, err error) {
	r.mu.Lock()
	e.took = time.Since(e.started)
	e.done = err == nil
	// A request that was under way when another step failed says only that it was cancelled, and a cache that was still filling that it timed out.
	cancelled := errors.Is(err, context.Canceled) || apierrors.IsTimeout(err)
	if aborted := errors.Is(err, ErrAborted) || (cancelled && errors.Is(context.Cause(r.ctx), ErrAborted)); !aborted {
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
		r.abort(ErrAborted)
	}
}

func (r *Run) failure(err error) *Failure {
	r.mu.Lock()
	defer r.mu.Unlock()
	progress := make([]Progress, len(r.ledger))
	for i, e := range r.ledger {
		progress[i] = Progress{Leaf: e.leaf, Step: e.name, Started: !e.started.IsZero(), Done: e.done, Took: e.took}
	}
	return &Failure{Progress: progress, Err: err}
}
