package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/cmd/liqo-bench/figures"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/cmd/liqo-bench/steplog"
)

// measureOne measures one shortcut. The provider, liqoctl and the floor below both take turns on
// the same two leaves.
func (b *bench) measureOne(ctx context.Context, on *leaves) error {
	p := pair{on.names[0], on.names[1]}
	var create, apply, connect, floor []time.Duration
	err := b.takeTurns(ctx, "one shortcut", b.rounds, func() { create, apply, connect, floor = nil, nil, nil, nil },
		contestant{"the provider", func(ctx context.Context) (time.Duration, error) {
			took, err := on.ours.apply(ctx, []pair{p})
			if err != nil {
				return 0, err
			}
			if len(took.operations) != 1 {
				return 0, fmt.Errorf("terraform apply tells of %d resources, and not of one", len(took.operations))
			}
			create, apply = append(create, took.operations[0]), append(apply, took.whole)
			_, err = on.ours.destroy(ctx)
			return took.whole, err
		}},
		contestant{"liqoctl", func(ctx context.Context) (time.Duration, error) {
			took, err := on.theirs.connect(ctx, p)
			if err != nil {
				return 0, err
			}
			connect = append(connect, took)
			_, err = on.theirs.remove(ctx, []pair{p})
			return took, err
		}},
		contestant{"the same by hand", func(ctx context.Context) (time.Duration, error) {
			took, err := on.theirs.connectByHand(ctx, []pair{p})
			if err != nil {
				return 0, err
			}
			floor = append(floor, took)
			_, err = on.theirs.remove(ctx, []pair{p})
			return took, err
		}})
	if err != nil {
		return err
	}
	theirs, byHand := figures.Seconds(connect...), figures.Seconds(floor...)
	b.add(figures.Figure{
		ID: "one-create", Name: "One shortcut, create to Connected", Unit: figures.Second,
		How: "From Terraform's message that it begins to create to the one that it has created, against the whole of " +
			"`liqoctl network connect --gw-server-service-type NodePort --wait`.",
		Ours: figures.Seconds(create...), Against: "liqoctl", Theirs: &theirs, Goal: 0.30,
	})
	b.add(figures.Figure{
		ID: "one-apply", Name: "One shortcut, the whole `terraform apply`", Unit: figures.Second,
		How:  "The program from start to end, with the plan that it makes first, against the same `liqoctl`.",
		Ours: figures.Seconds(apply...), Against: "liqoctl", Theirs: &theirs, Goal: 0.50,
	})
	b.add(figures.Figure{
		ID: "one-floor", Name: "One shortcut, create to Connected, above the floor", Unit: figures.Second,
		How: "The floor is the same objects written as early as Liqo's controllers allow, on both leaves at once, " +
			"by a program that has its watches open and everything else prepared.",
		Ours: figures.Seconds(create...), Against: "by hand", Theirs: &byHand, Goal: 1.3,
	})
	return b.trace(ctx, on, p, byHand)
}

// trace creates the shortcut once more, with the provider's log.
func (b *bench) trace(ctx context.Context, on *leaves, p pair, floor figures.Sample) error {
	path := filepath.Join(b.dir, "steps.log")
	// Only Terraform's own log can be JSON. It contains the provider's log.
	if _, err := on.ours.apply(ctx, []pair{p}, "TF_LOG=JSON", "TF_LOG_PROVIDER=INFO", "TF_LOG_PATH="+path); err != nil {
		return err
	}
	if _, err := on.ours.destroy(ctx); err != nil {
		return err
	}
	log, err := os.Open(path)
	if err != nil {
		return err
	}
	defer log.Close()
	steps, err := steplog.Parse(log)
	if err != nil {
		return err
	}
	b.report.Say("one shortcut, step by step: %d steps, %.2fs", len(steps), steplog.Span(steps).Seconds())
	b.found.Trace = &figures.Trace{Client: p.Client, Server: p.Server, Steps: steps, Floor: floor}
	return nil
}
