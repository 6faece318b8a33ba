package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/figures"
)

// measureTen is about ten shortcuts, which join each two of five leaves: all in one apply, by ten runs of liqoctl, one after the other and at once, and by the
// floor beneath all of them.
func (b *bench) measureTen(ctx context.Context, on *leaves) error {
	pairs := mesh(on.names)
	var apply, create, destroy, each, all, floor, remove, removeFloor []time.Duration
	// byOthers joins the pairs in another way than the provider.
	type way func(context.Context, []pair) (time.Duration, error)
	byOthers := func(name string, connect, disconnect way, connected, disconnected *[]time.Duration) contestant {
		return contestant{name, func(ctx context.Context) (time.Duration, error) {
			took, err := connect(ctx, pairs)
			if err != nil {
				return 0, err
			}
			removed, err := disconnect(ctx, pairs)
			*connected, *disconnected = append(*connected, took), append(*disconnected, removed)
			return took, err
		}}
	}
	forget := func() {
		apply, create, destroy, each, all, floor, remove, removeFloor = nil, nil, nil, nil, nil, nil, nil, nil
	}
	err := b.takeTurns(ctx, "ten shortcuts", b.tenRounds, forget,
		contestant{"the provider", func(ctx context.Context) (time.Duration, error) {
			took, err := on.ours.apply(ctx, pairs)
			if err != nil {
				return 0, err
			}
			if len(took.operations) != len(pairs) {
				return 0, fmt.Errorf("terraform apply tells of %d resources, and not of %d", len(took.operations), len(pairs))
			}
			removed, err := on.ours.destroy(ctx)
			apply, create, destroy = append(apply, took.whole), append(create, slices.Max(took.operations)), append(destroy, removed)
			return took.whole, err
		}},
		byOthers("liqoctl, one after the other", on.theirs.connectEach, on.theirs.remove, &each, &remove),
		byOthers("liqoctl, all at once", on.theirs.connectAll, on.theirs.remove, &all, &remove),
		byOthers("the same by hand", on.theirs.connectByHand, on.theirs.removeByHand, &floor, &removeFloor))
	if err != nil {
		return err
	}
	theirEach, theirAll, byHand, theirRemove := figures.Seconds(each...), figures.Seconds(all...), figures.Seconds(floor...), figures.Seconds(remove...)
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
		ID: "ten-floor", Name: "Ten shortcuts between five leaves, above the floor", Unit: figures.Second,
		How: "The longest of Terraform's ten creates, which begin together, against the same floor as for one shortcut, all ten at once. Five clusters share the " +
			"machine: what their API servers need for Liqo's controllers is the same for everybody.",
		Ours: figures.Seconds(create...), Against: "by hand", Theirs: &byHand, Goal: 1.3,
	})
	b.add(figures.Figure{
		ID: "ten-destroy", Name: "Ten shortcuts, destroyed until nothing is left", Unit: figures.Second,
		How: "The whole of one `terraform destroy`, against `liqoctl network reset --skip-confirm` for one pair after the other and then " +
			"deleting what that leaves, tenant namespaces and ForeignClusters, in all clusters at once, until they are gone.",
		Ours: figures.Seconds(destroy...), Against: "liqoctl and by hand", Theirs: &theirRemove, Goal: 0.5,
	})
	removeByHand := figures.Seconds(removeFloor...)
	b.add(figures.Figure{
		ID: "ten-destroy-floor", Name: "Ten shortcuts, destroyed until nothing is left, above the floor", Unit: figures.Second,
		How: "The same `terraform destroy`, against deleting gateways, keys, Configurations and tenant namespaces, and then the ForeignClusters, in all clusters at " +
			"once. Kubernetes waits 5 s before it looks into a namespace that is deleted.",
		Ours: figures.Seconds(destroy...), Against: "by hand", Theirs: &removeByHand, Goal: 1.3,
	})
	return nil
}
