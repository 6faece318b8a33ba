package acctest

import (
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"
)

// OrShort returns what a test usually takes or, in a short test, the lesser.
func OrShort[T any](usual, short T) T {
	if testing.Short() {
		return short
	}
	return usual
}

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

// TortureSeed is the environment variable that says where random numbers begin.
const TortureSeed = "TORTURE_SEED"

// Rounds returns how many rounds TORTURE_ROUNDS asks for, or else a hundred, or so many in a short test.
func Rounds(t *testing.T, short int64) int64 {
	t.Helper()
	return NumberFrom(t, "TORTURE_ROUNDS", OrShort(100, short))
}

// Dice are random numbers that several goroutines use.
type Dice struct {
	Seed int64

	mu     sync.Mutex
	random *rand.Rand
}

// NewDice returns dice that fall as the seed of the environment says, or else in any way. The test's log has the seed.
func NewDice(t *testing.T) *Dice {
	t.Helper()
	seed := NumberFrom(t, TortureSeed, time.Now().UnixNano())
	t.Logf("%s=%d", TortureSeed, seed)
	return &Dice{Seed: seed, random: rand.New(rand.NewPCG(uint64(seed), 0))} //nolint:gosec // repeatable, not secret
}

// Below returns a random number from 0 to n-1.
func (d *Dice) Below(n int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.random.IntN(n)
}

// Within returns a random part of a time.
func (d *Dice) Within(longest time.Duration) time.Duration {
	return time.Duration(d.Below(int(longest)))
}

// SomeOf returns everything or, in a short test, so many of it at random, in the same order.
func SomeOf[T any](all []T, short int, random *Dice) []T {
	for testing.Short() && len(all) > short {
		i := random.Below(len(all))
		all = slices.Delete(all, i, i+1)
	}
	return all
}
