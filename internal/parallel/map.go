// Package parallel does one thing for many items at the same time, where an errgroup does not: when every result
// counts, in the order of the items, and a failure ends nothing else.
package parallel

import (
	"iter"
	"sync"
)

// Map calls do for all items at the same time. It returns the results in the order of the items, when the last one is
// there.
func Map[T, R any](items []T, do func(T) R) []R {
	results := make([]R, len(items))
	var group sync.WaitGroup
	for i, item := range items {
		group.Go(func() { results[i] = do(item) })
	}
	group.Wait()
	return results
}

// Ask is like [Map] for questions that may fail: it returns each answer with its error.
func Ask[T, R any](items []T, ask func(T) (R, error)) iter.Seq2[R, error] {
	type answer struct {
		value R
		err   error
	}
	answers := Map(items, func(item T) (a answer) {
		a.value, a.err = ask(item)
		return a
	})
	return func(yield func(R, error) bool) {
		for _, a := range answers {
			if !yield(a.value, a.err) {
				return
			}
		}
	}
}
