package main

import (
	"context"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/figures"
)

// measureTen is about ten shortcuts, which join each two of five leaves: all in one apply, and by ten runs of liqoctl, one after the other and at once.
func (b *bench) measureTen(ctx context.Context, on *leaves) error {
	pairs := mesh(on.names)
	var apply, destroy, each, all, remove []time.Duration
	err := b.takeTurns(ctx, "ten shortcuts", b.tenRounds, func() { apply, destroy, each, all, remove = nil, nil, nil, nil, nil },
		contestant{"the provider", func(ctx context.Context) (time.Duration, error) {
			took, err := on.ours.apply(ctx, pairs)
			if err != nil {
				return 0, err
			}
			removed, err := on.ours.destroy(ctx)
			apply, destroy = append(apply, took.whole), append(destroy, removed)
			return took.whole, err
		}},
		contestant{"liqoctl, one after the other", func(ctx context.Context) (time.Duration, error) {
			took, err := on.theirs.connectEach(ctx, pairs)
			if err != nil {
				return 0, err
			}
			removed, err := on.theirs.remove(ctx, pairs)
			each, remove = append(each, took), append(remove, removed)
			return took, err
		}},
		contestant{"liqoctl, all at once", func(ctx context.Context) (time.Duration, error) {
			took, err := on.theirs.connectAll(ctx, pairs)
			if err != nil {
				return 0, err
			}
			removed, err := on.theirs.remove(ctx, pairs)
			all, remove = append(all, took), append(remove, removed)
			return took, err
		}})
	if err != nil {
		return err
	}
	theirEach, theirAll, theirRemove := figures.Seconds(each...), figures.Seconds(all...), figures.Seconds(remove...)
	b.add(figures.Figure{
		ID: "ten-each", Name: "Ten shortcuts between five leaves", Unit: figures.Second,
		How:  "The whole of one `terraform apply`, against ten runs of `liqoctl network connect`, one after the other.",
		Ours: figures.Seconds(apply...), Against: "liqoctl", Theirs: &theirEach, Goal: 0.12,
	})
	b.add(figures.Figure{
		ID: "ten-at-once", Name: "Ten shortcuts between five leaves, against all at once", Unit: figures.Second,
		How:  "The same `terraform apply`, against the ten runs of `liqoctl` started at the same time.",
		Ours: figures.Seconds(apply...), Against: "liqoctl at once", Theirs: &theirAll, Goal: 0.5,
	})
	b.add(figures.Figure{
		ID: "ten-destroy", Name: "Ten shortcuts, destroyed until nothing is left", Unit: figures.Second,
		How: "The whole of one `terraform destroy`, against `liqoctl network reset --skip-confirm` for one pair after the other and then " +
			"deleting what that leaves, tenant namespaces and ForeignClusters, in all clusters at once, until they are gone.",
		Ours: figures.Seconds(destroy...), Against: "liqoctl and by hand", Theirs: &theirRemove, Goal: 0.5,
	})
	return nil
}
