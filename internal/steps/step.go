package steps

import (
	"context"
)

// None is the result of a step that has none.
type None struct{}

// Step is one thing to do on one leaf, and its result once it is done. Only steps that are declared to come after it get the result, so that no step can be early.
type Step[T any] struct {
	done   chan struct{} // closed when the step has ended, well or not
	ok     bool
	result T
}

// Before is a step of any result that another one comes after.
type Before interface {
	succeeded(ctx context.Context) bool
}

// succeeded waits until the step has ended. When the run has ended before, it has not succeeded.
func (s *Step[T]) succeeded(ctx context.Context) bool {
	select {
	case <-s.done:
		return s.ok
	case <-ctx.Done():
		return false
	}
}

// Do starts a step that needs no result of another. It runs once all those that it comes after have succeeded. Do returns at once.
func Do[T any](r *Run, leaf, name string, do func(context.Context) (T, error), after ...Before) *Step[T] {
	s := &Step[T]{done: make(chan struct{})}
	entry := r.enter(leaf, name)
	r.steps.Go(func() {
		defer close(s.done)
		for _, before := range after {
			if !before.succeeded(r.ctx) {
				return
			}
		}
		r.begin(entry)
		result, err := do(r.ctx)
		s.result, s.ok = result, err == nil
		r.end(entry, err)
	})
	return s
}

// With starts a step that needs the result of one other, and comes after it.
func With[A, T any](r *Run, leaf, name string, a *Step[A], do func(context.Context, A) (T, error), after ...Before) *Step[T] {
	return Do(r, leaf, name, func(ctx context.Context) (T, error) { return do(ctx, a.result) }, append([]Before{a}, after...)...)
}

// Result is the result of the step once the run has ended; false if it did not succeed.
func (s *Step[T]) Result() (T, bool) {
	select {
	case <-s.done:
		return s.result, s.ok
	default:
		var none T
		return none, false
	}
}

// With2 starts a step that needs the results of two others, and comes after them.
func With2[A, B, T any](r *Run, leaf, name string, a *Step[A], b *Step[B], do func(context.Context, A, B) (T, error), after ...Before) *Step[T] {
	return Do(r, leaf, name, func(ctx context.Context) (T, error) { return do(ctx, a.result, b.result) }, append([]Before{a, b}, after...)...)
}

// With3 starts a step that needs the results of three others, and comes after them.
func With3[A, B, C, T any](
	r *Run, leaf, name string, a *Step[A], b *Step[B], c *Step[C], do func(context.Context, A, B, C) (T, error), after ...Before,
) *Step[T] {
	return Do(r, leaf, name, func(ctx context.Context) (T, error) { return do(ctx, a.result, b.result, c.result) }, append([]Before{a, b, c}, after...)...)
}

// Act starts a step that has no result, and needs none.
func Act(r *Run, leaf, name string, do func(context.Context) error, after ...Before) *Step[None] {
	return Do(r, leaf, name, func(ctx context.Context) (None, error) { return None{}, do(ctx) }, after...)
}

// ActWith starts a step that has no result, and needs that of one other.
func ActWith[A any](r *Run, leaf, name string, a *Step[A], do func(context.Context, A) error, after ...Before) *Step[None] {
	return With(r, leaf, name, a, func(ctx context.Context, a A) (None, error) { return None{}, do(ctx, a) }, after...)
}

// ActWith2 starts a step that has no result, and needs those of two others.
func ActWith2[A, B any](r *Run, leaf, name string, a *Step[A], b *Step[B], do func(context.Context, A, B) error, after ...Before) *Step[None] {
	return With2(r, leaf, name, a, b, func(ctx context.Context, a A, b B) (None, error) { return None{}, do(ctx, a, b) }, after...)
}
