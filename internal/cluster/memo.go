package cluster

import (
	"context"
	"reflect"
	"sync"
)

// Memo keeps the result of a function's first success. It keeps no failure. The zero value is empty.
type Memo[T any] struct {
	mu     sync.Mutex
	asking chan struct{} // closed when the latest question is answered; nil if none is asked
	known  bool
	value  T
}

// Get returns what ask returned when it first succeeded. One caller asks at a time. The others wait for it, but not for
// longer than their contexts.
func (m *Memo[T]) Get(ctx context.Context, ask func() (T, error)) (T, error) {
	for {
		value, known, others := m.begin()
		switch {
		case known:
			return value, nil
		case others == nil:
			return m.ask(ask)
		}
		select {
		case <-others:
		case <-ctx.Done():
			var none T
			return none, context.Cause(ctx)
		}
	}
}

// begin returns the value, or else what closes when the question of another caller is answered. With neither, it is up
// to the caller to ask.
func (m *Memo[T]) begin() (value T, known bool, others <-chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known || m.asking != nil {
		return m.value, m.known, m.asking
	}
	m.asking = make(chan struct{})
	return value, false, nil
}

// ask asks, and lets the others go on.
func (m *Memo[T]) ask(ask func() (T, error)) (T, error) {
	value, err := ask()
	m.mu.Lock()
	defer m.mu.Unlock()
	if err == nil {
		m.value, m.known = value, true
	}
	close(m.asking)
	m.asking = nil
	return value, err
}

// Once asks a leaf for a fact that can't change while the leaf is connected, until the leaf has answered once. Each
// type of facts is one question, so a fact that is a string needs a type of its own.
func Once[T any](ctx context.Context, leaf *Leaf, ask func() (T, error)) (T, error) {
	known, _ := leaf.facts.LoadOrStore(reflect.TypeFor[T](), &Memo[T]{})
	return known.(*Memo[T]).Get(ctx, ask) //nolint:errcheck,forcetypeassert // the key is the type
}
