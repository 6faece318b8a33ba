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
	// turn does the work once, cleans up after itself, and remembers what it has measured. It returns the time to tell.
	turn func(context.Context) (time.Duration, error)
}

// takeTurns lets each contestant have a turn a round. The order is the other way round in every second one, so that nobody always has the clusters fresh.
// A round before the first warms everything up: what it measured is forgotten by calling forget.
func (b *bench) takeTurns(ctx context.Context, what string, rounds int, forget func(), contestants ...contestant) error {
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
