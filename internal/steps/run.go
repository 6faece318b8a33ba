// Package steps runs the steps of a procedure on several leaves. Each step starts as soon as the steps that it depends
// on have succeeded. The package records how far each step got.
package steps

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// ErrAborted ends steps that can't continue because another step has failed. Only the error of that step is shown.
var ErrAborted = errors.New("another step failed")

// Run is a running procedure.
type Run struct {
	ctx   context.Context // lives as long as the procedure that made it
	abort context.CancelCauseFunc
	steps sync.WaitGroup
	log   string // tflog's subsystem

	// independent lets steps continue that do not depend on a failed one.
	independent bool

	mu      sync.Mutex
	ledger  []*entry
	aborted error // the reason of [Run.Abort], if it was called
}

// entry is a run's record of one step.
type entry struct {
	leaf, name string
	started    time.Time // zero until the steps that it depends on are done
	took       time.Duration
	done       bool
	err        error // why it failed, unless the cause was another step's failure
}

// New starts a procedure in which a failure ends all other steps. They log to a subsystem of tflog that the caller has
// set up in the context: one line per step at INFO, more at DEBUG.
func New(ctx context.Context, log string) *Run {
	ctx, abort := context.WithCancelCause(ctx)
	return &Run{ctx: ctx, abort: abort, log: log}
}

// NewIndependent starts a procedure in which a failure ends only the steps that depend on the failed one.
func NewIndependent(ctx context.Context, log string) *Run {
	r := New(ctx, log)
	r.independent = true
	return r
}

// Abort ends the run for a reason outside of its steps. Wait then returns only this reason.
func (r *Run) Abort(reason error) {
	r.mu.Lock()
	r.aborted = reason
	r.mu.Unlock()
	r.abort(reason)
}

// Wait returns when every step has ended. Its error is a [Failure] with the errors of all steps that failed for reasons
// of their own, in the order of the procedure, and with the progress of each step.
func (r *Run) Wait() error {
	r.steps.Wait()
	defer r.abort(nil)
	if reason := r.abortion(); reason != nil {
		return r.failure(reason)
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
	if err := context.Cause(r.ctx); err != nil { // cancelled before any step could fail because of it
		return r.failure(err)
	}
	return nil
}

// abortion returns the reason of [Run.Abort], or nil. Whoever calls that may do so while the last steps end.
func (r *Run) abortion() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.aborted
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
	tflog.SubsystemDebug(r.ctx, r.log, "step begins", map[string]any{"step": e.name, "leaf": e.leaf})
}

func (r *Run) end(e *entry, err error) {
	r.mu.Lock()
	e.took = time.Since(e.started)
	e.done = err == nil
	// If another step fails, a pending request only reports that it was cancelled, and a cache that is still filling only
	// reports a timeout.
	cancelled := errors.Is(err, context.Canceled) || apierrors.IsTimeout(err)
	if aborted := errors.Is(err, ErrAborted) || (cancelled && errors.Is(context.Cause(r.ctx), ErrAborted)); !aborted {
		e.err = err
	}
	r.mu.Unlock()

	fields := map[string]any{"step": e.name, "leaf": e.leaf, "duration_ms": e.took.Milliseconds()}
	if err == nil {
		tflog.SubsystemInfo(r.ctx, r.log, "step done", fields)
		return
	}
	fields["error"] = err.Error()
	tflog.SubsystemDebug(r.ctx, r.log, "step failed", fields)
	// A deadline ends every waiting step by itself, and each step explains what it waited for.
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

// Failure says why a procedure failed, and how far it got.
type Failure struct {
	Err      error // the joined errors of all steps that failed for a reason of their own
	Progress []Progress

	// WroteNothing means that the procedure has certainly written nothing before it failed. Its caller sets it.
	WroteNothing bool
}

// Progress says how far one step of a procedure got.
type Progress struct {
	Leaf    string
	Step    string
	Started bool
	Done    bool
	Took    time.Duration // until it was done or failed
}

// Error returns the reasons, followed by the steps, one per line.
func (f *Failure) Error() string { return fmt.Sprintf("%v\n%s", f.Err, f.Ledger()) }

// Unwrap returns the reasons.
func (f *Failure) Unwrap() error { return f.Err }

// Ledger lists the steps that have begun, one per line: how far each got, and how long it took. Of those that have not,
// it has the first one of each leaf, and how many follow.
func (f *Failure) Ledger() string {
	var lines []string
	waiting := map[string][]string{} // steps, keyed by the leaf
	for _, p := range f.Progress {
		if !p.Started {
			waiting[p.Leaf] = append(waiting[p.Leaf], p.Step)
			continue
		}
		line := fmt.Sprintf("  %-9s  %s: %s", p.state(), p.Leaf, p.Step)
		if took := rounded(p.Took); took > 0 {
			line += fmt.Sprintf(" (%s)", took)
		}
		lines = append(lines, line)
	}
	for _, leaf := range slices.Sorted(maps.Keys(waiting)) {
		line := fmt.Sprintf("  not begun  %s: %s", leaf, waiting[leaf][0])
		if more := len(waiting[leaf]) - 1; more > 0 {
			line += fmt.Sprintf(", and %d more", more)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func (p Progress) state() string {
	if p.Done {
		return "done"
	}
	return "not done"
}

// rounded returns a duration in whole seconds, or in tens of milliseconds if it is below one second.
func rounded(d time.Duration) time.Duration {
	if d >= time.Second {
		return d.Round(time.Second)
	}
	return d.Round(10 * time.Millisecond)
}
