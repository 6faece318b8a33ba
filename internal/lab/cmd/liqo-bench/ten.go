package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/cmd/liqo-bench/figures"
)

// ten is the durations of ten shortcuts, round by round.
type ten struct {
	apply, create, destroy []time.Duration // the provider
	each, all, remove      []time.Duration // liqoctl, one after the other and all at once; its reset, after either
	floor, removeFloor     []time.Duration // by hand
}

// measureTen measures ten shortcuts, one for each pair of five leaves: in one apply, by ten runs of
// liqoctl, one after the other and in parallel, and by the floor below all of them.
func (b *bench) measureTen(ctx context.Context, on *leaves) error {
	pairs := mesh(on.names)
	var took ten
	err := b.takeTurns(ctx, "ten shortcuts", b.tenRounds, func() { took = ten{} },
		contestant{"the provider", func(ctx context.Context) (time.Duration, error) {
			applied, err := on.ours.apply(ctx, pairs)
			if err != nil {
				return 0, err
			}
			if len(applied.operations) != len(pairs) {
				return 0, fmt.Errorf("terraform apply tells of %d resources, and not of %d", len(applied.operations), len(pairs))
			}
			destroyed, err := on.ours.destroy(ctx)
			took.apply, took.create = append(took.apply, applied.whole), append(took.create, slices.Max(applied.operations))
			took.destroy = append(took.destroy, destroyed)
			return applied.whole, err
		}},
		thereAndBack("liqoctl, one after the other", pairs,
			on.theirs.connectEach, on.theirs.remove, &took.each, &took.remove),
		thereAndBack("liqoctl, all at once", pairs,
			on.theirs.connectAll, on.theirs.remove, &took.all, &took.remove),
		thereAndBack("the same by hand", pairs,
			on.theirs.connectByHand, on.theirs.removeByHand, &took.floor, &took.removeFloor))
	if err == nil {
		b.addTen(&took)
	}
	return err
}

// work joins pairs, or disconnects them, and returns the duration.
type work func(context.Context, []pair) (time.Duration, error)

// thereAndBack is a contestant that joins the pairs and disconnects them again, and stores both
// durations.
func thereAndBack(
	name string, pairs []pair, connect, disconnect work, connected, disconnected *[]time.Duration,
) contestant {
	return contestant{name, func(ctx context.Context) (time.Duration, error) {
		there, err := connect(ctx, pairs)
		if err != nil {
			return 0, err
		}
		back, err := disconnect(ctx, pairs)
		*connected, *disconnected = append(*connected, there), append(*disconnected, back)
		return there, err
	}}
}

func (b *bench) addTen(took *ten) {
	against := func(f figures.Figure, ours []time.Duration, opponent string, theirs []time.Duration) {
		sample := figures.Seconds(theirs...)
		f.Unit, f.Ours, f.Against, f.Theirs = figures.Second, figures.Seconds(ours...), opponent, &sample
		b.add(f)
	}
	against(figures.Figure{
		ID: "ten-each", Name: "Ten shortcuts between five leaves", Goal: 0.12,
		How: "The whole of one `terraform apply`, against ten runs of `liqoctl network connect`, one after the other.",
	}, took.apply, "liqoctl", took.each)
	against(figures.Figure{
		ID: "ten-at-once", Name: "Ten shortcuts between five leaves, against all at once", Goal: 0.5,
		How: "The same `terraform apply`, against the ten runs of `liqoctl` started at the same time.",
	}, took.apply, "liqoctl at once", took.all)
	against(figures.Figure{
		ID: "ten-floor", Name: "Ten shortcuts between five leaves, above the floor", Goal: 1.3,
		How: "The longest of Terraform's ten creates, which begin together, " +
			"against the same floor as for one shortcut, all ten at once. Five clusters share the machine: " +
			"what their API servers need for Liqo's controllers is the same for everybody, " +
			"and on few cores it is most of the time.",
	}, took.create, "by hand", took.floor)
	against(figures.Figure{
		ID: "ten-destroy", Name: "Ten shortcuts, destroyed until nothing is left", Goal: 0.5,
		How: "The whole of one `terraform destroy`, against `liqoctl network reset --skip-confirm` " +
			"for one pair after the other and then deleting what that leaves, tenant namespaces and ForeignClusters, " +
			"in all clusters at once, until they are gone.",
	}, took.destroy, "liqoctl and by hand", took.remove)
	against(figures.Figure{
		ID: "ten-destroy-floor", Name: "Ten shortcuts, destroyed until nothing is left, above the floor", Goal: 1.3,
		How: "The same `terraform destroy`, against deleting gateways, keys, Configurations and tenant namespaces, " +
			"and then the ForeignClusters, in all clusters at once. " +
			"Kubernetes waits 5 s before it looks into a namespace that is deleted.",
	}, took.destroy, "by hand", took.removeFloor)
}
