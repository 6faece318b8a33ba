package shortcut

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"

	"github.com/hashicorp/terraform-plugin-log/tflog"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/steps"
)

// turn is the right to work on a pair, or on one object at one end. Only one operation has it at a time, in one process
// or in several. It is a lease. That of a pair is on the leaf whose cluster ID comes first. So all operations use the
// same leaf, and there is no deadlock.
//
// The lease also lists the creates that have begun with it and have not ended as they should, see [owner.Unfinished].
type turn struct {
	at   *end.End   // has the lease
	name string     // of the lease
	ends []*end.End // whose objects the turn is for

	creates bool // the operation is a create: no Terraform state has its token yet
	removes bool // the operation is a removal, which must not leave the lease behind
	// keep records on the objects that the create has ended, if the lease can't be released. It may be nil.
	keep func(context.Context) error

	unfinished owner.Unfinished // by the lease, when the turn was taken
	wrote      atomic.Bool      // the operation may have written something
	lease      *cluster.Lease
	release    sync.Once
}

// newTurn returns the turn on a pair at one end. It is not taken yet.
func newTurn(e *end.End, creates bool) *turn {
	return &turn{at: e, name: leaseName(e), ends: []*end.End{e}, creates: creates}
}

// pairTurn returns the turn on the pair.
func (s *Shortcut) pairTurn(creates bool) *turn {
	t := newTurn(s.first(), creates)
	t.ends = s.Ends()
	return t
}

// toRemove makes it the turn of a removal.
func (t *turn) toRemove() *turn {
	t.removes = true
	return t
}

// first returns the end that holds the lease of the pair.
func (s *Shortcut) first() *end.End {
	if s.Server.Leaf.ID < s.Client.Leaf.ID {
		return s.Server
	}
	return s.Client
}

// leaseName returns the name of the lease, which is the same for both directions.
func leaseName(e *end.End) string {
	return fmt.Sprintf("%s.%s.%s", owner.ManagedBy, min(e.Leaf.ID, e.Remote.ID), max(e.Leaf.ID, e.Remote.ID))
}

// take waits for the turn and takes it. If the turn is lost, the run ends.
func (t *turn) take(r *steps.Run) func(context.Context) error {
	return func(ctx context.Context) error {
		var busy string
		waiting := func(holder string) {
			busy = holder
			tflog.SubsystemInfo(ctx, steps.LogSubsystem, "waiting for another operation on the pair",
				map[string]any{"leaf": t.at.Leaf.Name, "holder": holder})
		}
		lease, err := t.at.Leaf.Hold(ctx, cluster.Claim{
			Name: t.name, Holder: holder(t.at.Owner), Mark: t.mark,
			Waiting: waiting, Lost: func(err error) { r.Abort(t.explainLost(err)) },
		})
		if err != nil {
			return t.explainBusy(busy, err)
		}
		t.lease = lease
		return nil
	}
}

// mark writes on the lease whose it is. It reads which creates the holder before has left behind, and adds its own.
func (t *turn) mark(lease client.Object) {
	t.unfinished = owner.UnfinishedOn(lease)
	delete(t.unfinished, t.at.Owner.Token) // that one has ended
	listed := maps.Clone(t.unfinished)
	if t.creates {
		listed[t.at.Owner.Token] = owner.Create{Origin: t.at.Owner.Origin}
	}
	t.at.Owner.Mark(lease)
	listed.Mark(lease)
}

// leaseLeft reports whether an operation of the owner has left its lease behind.
func leaseLeft(ctx context.Context, e *end.End) (bool, error) {
	lease, err := e.Leaf.Leased(ctx, leaseName(e))
	if lease == nil || e.Owner.Token == "" {
		return false, err
	}
	_, listed := owner.UnfinishedOn(lease)[e.Owner.Token]
	return listed || e.Owner.Marked(lease), err
}

// holder returns a name of this process for others that wait for it.
func holder(self owner.Owner) string {
	name := self.Origin.Who
	if name == "" {
		name = owner.ManagedBy
	}
	return name + "/" + rand.Text()
}

// giveUp ends the turn. It can be repeated. A lease that can't be released expires. This is an error only for a
// removal.
func (t *turn) giveUp(ctx context.Context) (err error) {
	t.release.Do(func() {
		if t.lease == nil {
			return
		}
		if err = t.end(ctx); t.removes {
			return
		}
		if err != nil && t.creates && t.keep != nil {
			err = errors.Join(err, t.keep(ctx))
		}
		if err != nil {
			tflog.SubsystemWarn(ctx, steps.LogSubsystem, "a lease could not be released",
				map[string]any{"leaf": t.at.Leaf.Name, "lease": t.name, "error": err.Error()})
			err = nil
		}
	})
	return err
}

// end releases the lease, or leaves it if creates are still unfinished: those of others whose objects are still there,
// and the own one if it was interrupted.
func (t *turn) end(ctx context.Context) error {
	left, err := t.left(context.WithoutCancel(ctx))
	if err != nil {
		left = t.unfinished // nobody knows
	}
	if t.creates && t.wrote.Load() && errors.Is(context.Cause(ctx), context.Canceled) {
		left[t.at.Owner.Token] = owner.Create{Origin: t.at.Owner.Origin, Interrupted: true}
	}
	if len(left) == 0 {
		return t.lease.Release(ctx)
	}
	return t.lease.Leave(ctx, left.Mark)
}

// left returns those of the unfinished creates of others whose objects are still there. A create whose objects say that
// it was complete has only left a lease that it could not release.
func (t *turn) left(ctx context.Context) (owner.Unfinished, error) {
	left, complete := owner.Unfinished{}, map[string]bool{}
	if len(t.unfinished) == 0 {
		return left, nil
	}
	for _, e := range t.ends {
		objects, err := e.Find(ctx)
		if err != nil {
			return nil, err
		}
		for _, object := range append(objects.Made(), objects.Extra...) {
			token := owner.TokenOf(object)
			if create, unfinished := t.unfinished[token]; unfinished {
				left[token], complete[token] = create, complete[token] || owner.IsComplete(objects.Written(), token)
			}
		}
	}
	maps.DeleteFunc(left, func(token string, _ owner.Create) bool { return complete[token] })
	return left, nil
}

// endAfter waits for a run and then ends the turn, if a step has not ended it.
func (t *turn) endAfter(ctx context.Context, r *steps.Run) error {
	failure := r.Wait()
	_ = t.giveUp(ctx)
	return failure
}

// explainBusy returns the error of a wait for the turn.
func (t *turn) explainBusy(holder string, err error) error {
	if holder == "" || !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &explain.Problem{
		Leaf: t.at.Leaf.Name, Err: err,
		Summary: fmt.Sprintf("another operation on the pair with %q has not ended", t.at.Remote.Name),
		Detail: fmt.Sprintf("Lease %s/%s is held by %s. Wait until that apply or destroy has ended, then apply again. "+
			"If it was killed, the Lease expires within seconds.", t.at.Leaf.LiqoNamespace, t.name, cluster.Shown(holder)),
	}
}

// explainLost returns the error of an operation that has lost its turn.
func (t *turn) explainLost(err error) error {
	lost, ok := errors.AsType[*cluster.LeaseLostError](err)
	if !ok {
		return err
	}
	why := "The process was stopped, or its machine slept."
	if lost.Last != nil {
		why = "The last failure was: " + lost.Last.Error()
	}
	problem := &explain.Problem{
		Leaf: lost.Leaf, Err: err,
		Summary: fmt.Sprintf("another operation has taken over the pair with %q", t.at.Remote.Name),
		Detail: fmt.Sprintf("This operation did not renew Lease %s/%s in time, and has written nothing since. %s\n\nRun "+
			"`terraform plan` to see who has the network now.", lost.Namespace, lost.Name, why),
	}
	if !lost.Taken {
		problem.Summary = fmt.Sprintf("the turn on the pair with %q can't be kept", t.at.Remote.Name)
	}
	return problem
}
