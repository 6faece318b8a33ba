package steps

import (
	"context"
)

// None is the result of a step without a result.
type None struct{}

// Step is one action on one leaf, and its result once it is done. Only steps that are declared to depend on it get the
// result, so no step can run too early.
type Step[T any] struct {
	done   chan struct{} // closed when the step has ended, well or not
	ok     bool
	result T
}

// Before is a step, with any type of result, that another step depends on.
type Before interface {
	succeeded(ctx context.Context) bool
}

// succeeded waits until the step has ended, and reports whether it succeeded. It returns false if the run ends first.
func (s *Step[T]) succeeded(ctx context.Context) bool {
	select {
	case <-s.done:
		return s.ok
	case <-ctx.Done():
		return false
	}
}

// Do adds a step that needs no result of another one. The step runs once all steps in after have succeeded. Do returns
// immediately.
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

// With adds a step that needs the result of one other step, and so depends on it.
func With[A, T any](
	r *Run, leaf, name string, a *Step[A], do func(context.Context, A) (T, error), after ...Before,
) *Step[T] {
	return Do(r, leaf, name, func(ctx context.Context) (T, error) { return do(ctx, a.result) },
		append([]Before{a}, after...)...)
}

// Result returns the result of the step once the run has ended. It returns false if the step did not succeed.
func (s *Step[T]) Result() (T, bool) {
	select {
	case <-s.done:
		return s.result, s.ok
	default:
		var none T
		return none, false
	}
}

// With2 adds a step that needs the results of two other steps, and so depends on them.
func With2[A, B, T any](
	r *Run, leaf, name string, a *Step[A], b *Step[B], do func(context.Context, A, B) (T, error), after ...Before,
) *Step[T] {
	return Do(r, leaf, name, func(ctx context.Context) (T, error) { return do(ctx, a.result, b.result) },
		append([]Before{a, b}, after...)...)
}

// With3 adds a step that needs the results of three other steps, and so depends on them.
func With3[A, B, C, T any](
	r *Run, leaf, name string, a *Step[A], b *Step[B], c *Step[C],
	do func(context.Context, A, B, C) (T, error), after ...Before,
) *Step[T] {
	return Do(r, leaf, name, func(ctx context.Context) (T, error) { return do(ctx, a.result, b.result, c.result) },
		append([]Before{a, b, c}, after...)...)
}

// Act adds a step that has no result, and needs no result of another one.
func Act(r *Run, leaf, name string, do func(context.Context) error, after ...Before) *Step[None] {
	return Do(r, leaf, name, func(ctx context.Context) (None, error) { return None{}, do(ctx) }, after...)
}

// ActWith adds a step that has no result, and needs the result of one other step.
func ActWith[A any](
	r *Run, leaf, name string, a *Step[A], do func(context.Context, A) error, after ...Before,
) *Step[None] {
	return With(r, leaf, name, a,
		func(ctx context.Context, a A) (None, error) { return None{}, do(ctx, a) }, after...)
}

// ActWith2 adds a step that has no result, and needs the results of two other steps.
func ActWith2[A, B any](
	r *Run, leaf, name string, a *Step[A], b *Step[B], do func(context.Context, A, B) error, after ...Before,
) *Step[None] {
	return With2(r, leaf, name, a, b,
		func(ctx context.Context, a A, b B) (None, error) { return None{}, do(ctx, a, b) }, after...)
}
