package acceptance

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

// dice are random numbers that several goroutines use.
type dice struct {
	mu     sync.Mutex
	random *rand.Rand
}

func newDice(seed int64) *dice {
	return &dice{random: rand.New(rand.NewPCG(uint64(seed), 0))} //nolint:gosec // repeatable, not secret
}

func (d *dice) below(n int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.random.IntN(n)
}

// someOf returns everything or, in a short test, so many of it at random, in the same order.
func someOf[T any](all []T, short int, random *dice) []T {
	for testing.Short() && len(all) > short {
		i := random.below(len(all))
		all = slices.Delete(all, i, i+1)
	}
	return all
}
