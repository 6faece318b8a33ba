package cluster

import (
	"reflect"
	"sync"
)

// Memo keeps the result of a function's first success. It keeps no failure. The zero value is empty.
type Memo[T any] struct {
	mu    sync.Mutex
	known bool
	value T
}

// Get returns what ask returned when it first succeeded.
func (m *Memo[T]) Get(ask func() (T, error)) (T, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known {
		return m.value, nil
	}
	value, err := ask()
	if err != nil {
		return value, err
	}
	m.value, m.known = value, true
	return value, nil
}

// Once asks a leaf for a fact that can't change while the leaf is connected, until the leaf has answered once. Each
// type of facts is one question, so a fact that is a string needs a type of its own.
func Once[T any](leaf *Leaf, ask func() (T, error)) (T, error) {
	known, _ := leaf.facts.LoadOrStore(reflect.TypeFor[T](), &Memo[T]{})
	return known.(*Memo[T]).Get(ask) //nolint:errcheck,forcetypeassert // the key is the type
}
