package main

import (
	"context"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/cmd/liqo-bench/figures"
)

// ten is the durations of ten shortcuts, round by round.
type ten struct {
	apply, destroy    []time.Duration // the provider
	each, all, remove []time.Duration // liqoctl, one after the other and all at once; its reset, after either
}

// measureTen measures ten shortcuts, one for each pair of five leaves: in one apply, and by ten runs of liqoctl, one
// after the other and in parallel.
func (b *bench) measureTen(ctx context.Context, on *leaves) error {
	pairs := mesh(on.names)
	var took ten
	apply := func(ctx context.Context, pairs []pair) (time.Duration, error) {
		applied, err := on.ours.apply(ctx, pairs)
		return applied.whole, err
	}
	destroy := func(ctx context.Context, _ []pair) (time.Duration, error) { return on.ours.destroy(ctx) }
	err := b.takeTurns(ctx, "ten shortcuts", b.tenRounds, func() { took = ten{} },
		thereAndBack("the provider", pairs, apply, destroy, &took.apply, &took.destroy),
		thereAndBack("liqoctl, one after the other", pairs,
			on.theirs.connectEach, on.theirs.remove, &took.each, &took.remove),
		thereAndBack("liqoctl, all at once", pairs,
			on.theirs.connectAll, on.theirs.remove, &took.all, &took.remove))
	if err == nil {
		b.addTen(&took)
	}
	return err
}

// work joins pairs, or disconnects them, and returns the duration.
type work func(context.Context, []pair) (time.Duration, error)

// thereAndBack is a contestant that joins the pairs and disconnects them again, and stores both durations.
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
		Name: "Ten shortcuts between five leaves", Goal: 0.12, ForUsers: true,
		How: "The whole of one `terraform apply`, against ten runs of `liqoctl network connect`, one after the other.",
	}, took.apply, "liqoctl", took.each)
	against(figures.Figure{
		Name: "Ten shortcuts between five leaves, against all at once", Goal: 0.5,
		How: "The same `terraform apply`, against the ten runs of `liqoctl` started at the same time. Five clusters share " +
			"the machine: what their API servers need for Liqo's controllers is the same for both.",
	}, took.apply, "liqoctl at once", took.all)
	against(figures.Figure{
		Name: "Ten shortcuts, destroyed until nothing is left", Goal: 0.5, ForUsers: true,
		How: "The whole of one `terraform destroy`, against `liqoctl network reset --skip-confirm` for one pair after the " +
			"other and then deleting what that leaves, tenant namespaces and ForeignClusters, in all clusters at once, until " +
			"they are gone. Kubernetes waits 5 s before it looks into a namespace that is deleted.",
	}, took.destroy, "liqoctl and by hand", took.remove)
}
