package acctest

import (
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
)

// NumberFrom returns the number in an environment variable, or else the standard one.
func NumberFrom(t *testing.T, variable string, standard int64) int64 {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return standard
	}
	number, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return number
}

// Dice are random numbers that several goroutines use.
type Dice struct {
	mu     sync.Mutex
	random *rand.Rand
}

// NewDice returns dice that fall in the same way for the same seed.
func NewDice(seed int64) *Dice {
	return &Dice{random: rand.New(rand.NewPCG(uint64(seed), 0))} //nolint:gosec // repeatable, not secret
}

// Below returns a random number from 0 to n-1.
func (d *Dice) Below(n int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.random.IntN(n)
}

// SomeOf returns everything or, in a short test, so many of it at random, in the same order.
func SomeOf[T any](all []T, short int, random *Dice) []T {
	for testing.Short() && len(all) > short {
		i := random.Below(len(all))
		all = slices.Delete(all, i, i+1)
	}
	return all
}
