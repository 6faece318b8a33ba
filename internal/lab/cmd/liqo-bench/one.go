package main

import (
	"context"
	"fmt"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/cmd/liqo-bench/figures"
)

// measureOne measures one shortcut. The provider and liqoctl take turns on the same two leaves.
func (b *bench) measureOne(ctx context.Context, on *leaves) error {
	p := pair{on.names[0], on.names[1]}
	var create, apply, connect []time.Duration
	err := b.takeTurns(ctx, "one shortcut", b.rounds, func() { create, apply, connect = nil, nil, nil },
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
		}})
	if err != nil {
		return err
	}
	theirs := figures.Seconds(connect...)
	b.add(figures.Figure{
		Name: "One shortcut, create to Connected", Unit: figures.Second,
		How: "From Terraform's message that it begins to create to the one that it has created, against the whole of " +
			"`liqoctl network connect --gw-server-service-type NodePort --wait`.",
		Ours: figures.Seconds(create...), Against: "liqoctl", Theirs: &theirs, Goal: 0.30,
	})
	b.add(figures.Figure{
		Name: "One shortcut, the whole `terraform apply`", Unit: figures.Second,
		How:  "The program from start to end, with the plan that it makes first, against the same `liqoctl`.",
		Ours: figures.Seconds(apply...), Against: "liqoctl", Theirs: &theirs, Goal: 0.50, ForUsers: true,
	})
	return nil
}
