package main

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// contestant is one of those who take turns.
type contestant struct {
	name string
	// turn does the work once, cleans up, and stores its measurements. It returns the time to
	// report.
	turn func(context.Context) (time.Duration, error)
}

// takeTurns gives each contestant one turn per round. Every second round has the reverse order, so
// that no contestant always has fresh clusters. A warm-up round precedes the first one. Calling
// forget discards its measurements.
func (b *bench) takeTurns(
	ctx context.Context, what string, rounds int, forget func(), contestants ...contestant,
) error {
	for round := range rounds + 1 {
		label := fmt.Sprintf("round %d of %d", round, rounds)
		if round == 0 {
			label = "warm-up"
		}
		order := slices.Clone(contestants)
		if round%2 == 1 {
			slices.Reverse(order)
		}
		for _, c := range order {
			took, err := c.turn(ctx)
			if err != nil {
				return fmt.Errorf("%s, %s: %s: %w", what, label, c.name, err)
			}
			b.report.Say("%s, %s: %s took %.2fs", what, label, c.name, took.Seconds())
		}
		if round == 0 {
			forget()
		}
	}
	return nil
}
