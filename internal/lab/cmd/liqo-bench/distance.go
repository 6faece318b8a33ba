package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/cmd/liqo-bench/figures"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/inspect"
)

// delays are those of the clusters, one way, from the smallest to the largest. The text of the figures lists them.
var delays = []time.Duration{0, 20 * time.Millisecond, 100 * time.Millisecond}

// distance is what was measured of one command on distant leaves.
type distance struct {
	took  map[time.Duration][]time.Duration // by the delay
	chain []link                            // of the last run at the largest delay
}

// measureDistance measures how many round trips to distant leaves each command waits for.
func (b *bench) measureDistance(ctx context.Context, on *leaves) error {
	away, err := b.moveAway(on.clusters.Kubeconfig)
	if err != nil {
		return err
	}
	defer away.close()
	commands, err := b.commands(away, on)
	if err != nil {
		return err
	}
	found := map[string]*distance{}
	for _, c := range commands {
		found[c.id] = &distance{took: map[time.Duration][]time.Duration{}}
		if _, err := c.run(ctx); err != nil { // warms up
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	for round := range b.tenRounds {
		for _, delay := range delays {
			away.setDelay(delay)
			b.report.Say("round %d of %d, %s away", round+1, b.tenRounds, delay)
			for _, c := range commands {
				if err := b.measureAway(ctx, on, c, delay, found[c.id]); err != nil {
					return err
				}
			}
		}
	}
	b.addDistances(commands, found)
	return nil
}

// measureAway measures one command once.
func (b *bench) measureAway(
	ctx context.Context, on *leaves, c command, delay time.Duration, into *distance,
) error {
	select {
	case <-time.After(c.pause):
	case <-ctx.Done():
		return ctx.Err()
	}
	began := time.Now()
	took, err := c.run(ctx)
	if err != nil {
		return fmt.Errorf("%s away, %s: %w", delay, c.name, err)
	}
	b.report.Say("  %s took %.2fs", c.name, took.Seconds())
	into.took[delay] = append(into.took[delay], took)
	if delay < delays[len(delays)-1] {
		return nil
	}
	requests, err := inspect.Arrivals(on.clusters.Clusters, began, began.Add(took))
	into.chain = chainOf(requests, began, 2*delay)
	return err
}

// addDistances stores the figures. For a goal that is missed, it prints which request waited for which.
func (b *bench) addDistances(commands []command, found map[string]*distance) {
	for _, c := range commands {
		if c.goal == 0 {
			continue // an opponent
		}
		f := figures.Figure{
			Name: "Far away: " + c.name, Unit: figures.RoundTrip,
			How: "By how many round trips to the leaves its duration grows with their distance: the slope of the line " +
				"through the shortest durations at delays of 0, 20 and 100 ms each way. A relay delays all bytes. " +
				"The handshakes of TCP and TLS count, each a round trip for each run of the provider." + c.remark,
			Ours: figures.NewSample(figures.Slope(found[c.id].took)), Goal: c.goal, Absolute: true,
			ForUsers: c.forUsers,
		}
		if theirs := found[c.opponent]; theirs != nil {
			slope := figures.NewSample(figures.Slope(theirs.took))
			f.Against, f.Theirs = "liqoctl", &slope
		}
		b.add(f)
		if b.traced || !f.Met() {
			writeChain(os.Stderr, c.name, found[c.id].chain)
		}
	}
}
