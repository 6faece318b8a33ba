package shortcut

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"

	"github.com/hashicorp/terraform-plugin-log/tflog"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/steps"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// lock is the right to work on a pair, or on one object at one end. Only one operation has it at a time, in one process
// or in several. It is a lease. That of a pair is on the leaf whose cluster ID comes first. So all operations use the
// same leaf, and there is no deadlock.
//
// The lease also lists the creates that have begun with it and have not ended as they should, see [owner.Unfinished].
type lock struct {
	end  *end.End   // has the lease
	name string     // of the lease
	on   string     // what the lock is on, for messages
	ends []*end.End // whose objects the lock is for

	creates bool // the operation is a create: no Terraform state has its token yet
	removes bool // the operation is a removal, which must not leave the lease behind
	// recordEnd records on the objects that the create has ended, if the lease can't be released. It may be nil.
	recordEnd func(context.Context) error

	unfinished owner.Unfinished // by the lease, when the lock was acquired
	wrote      atomic.Bool      // the operation may have written something
	lease      *cluster.Lease
	once       sync.Once
}

// newLock returns the lock on a pair at one end. It is not acquired yet.
func newLock(e *end.End, creates bool) *lock {
	return &lock{
		end: e, name: leaseName(e), on: "the pair with " + nameOther(e), ends: []*end.End{e}, creates: creates,
	}
}

// pairLock returns the lock on the pair.
func (s *Shortcut) pairLock(creates bool) *lock {
	l := newLock(s.first(), creates)
	l.ends = s.Ends()
	return l
}

// forRemoval makes it the lock of a removal.
func (l *lock) forRemoval() *lock {
	l.removes = true
	return l
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

// acquire waits for the lock and acquires it. If the lock is lost, the run ends.
func (l *lock) acquire(r *steps.Run) func(context.Context) error {
	return func(ctx context.Context) error {
		var busy string
		waiting := func(holder string) {
			busy = holder
			tflog.SubsystemInfo(ctx, LogSubsystem, "waiting for another operation on the pair",
				map[string]any{"leaf": l.end.Leaf.Name, "holder": holder})
		}
		lease, err := l.end.Leaf.Hold(ctx, cluster.LeaseRequest{
			Name: l.name, Holder: holder(l.end.Owner), Mark: l.mark,
			Waiting: waiting, Lost: func(err error) { r.Abort(l.explainLost(err)) },
		})
		if err != nil {
			return l.explainBusy(busy, err)
		}
		l.lease = lease
		return nil
	}
}

// mark writes on the lease whose it is. It reads which creates the holder before has left behind, and adds its own.
func (l *lock) mark(lease client.Object) {
	l.unfinished = owner.UnfinishedOn(lease)
	delete(l.unfinished, l.end.Owner.Token) // that one has ended
	listed := maps.Clone(l.unfinished)
	if l.creates {
		listed[l.end.Owner.Token] = owner.Create{Origin: l.end.Owner.Origin}
	}
	l.end.Owner.Mark(lease)
	listed.Mark(lease)
}

// hasLease reports whether an operation of the owner has left its lease behind.
func hasLease(ctx context.Context, e *end.End) (bool, error) {
	lease, err := e.Leaf.Leased(ctx, leaseName(e))
	if lease == nil || e.Owner.Token == "" {
		return false, err
	}
	_, listed := owner.UnfinishedOn(lease)[e.Owner.Token]
	return listed || e.Owner.Marked(lease), err
}

// holder returns a name of this process for others that wait for it.
func holder(self owner.Owner) string { return cmp.Or(self.Origin.CreatedBy, owner.ManagedBy) }

// release gives the lock back. It can be repeated. A lease that can't be released expires. This is an error only for a
// removal.
func (l *lock) release(ctx context.Context) (err error) {
	l.once.Do(func() {
		if l.lease == nil {
			return
		}
		if err = l.releaseOrLeave(ctx); l.removes {
			return
		}
		if err != nil && l.creates && l.recordEnd != nil {
			err = errors.Join(err, l.recordEnd(ctx))
		}
		if err != nil {
			tflog.SubsystemWarn(ctx, LogSubsystem, "a lease could not be released",
				map[string]any{"leaf": l.end.Leaf.Name, "lease": l.name, "error": err.Error()})
			err = nil
		}
	})
	return err
}

// releaseOrLeave releases the lease, or leaves it if creates are still unfinished: those of others whose objects are
// still there, and the own one if it was interrupted.
func (l *lock) releaseOrLeave(ctx context.Context) error {
	remaining, err := l.stillUnfinished(context.WithoutCancel(ctx))
	if err != nil {
		remaining = l.unfinished // nobody knows
	}
	if l.creates && l.wrote.Load() && errors.Is(context.Cause(ctx), context.Canceled) {
		remaining[l.end.Owner.Token] = owner.Create{Origin: l.end.Owner.Origin, Interrupted: true}
	}
	if len(remaining) == 0 {
		return l.lease.Release(ctx)
	}
	return l.lease.Leave(ctx, remaining.Mark)
}

// stillUnfinished returns those of the unfinished creates of others whose objects are still there. A create whose
// objects say that it was complete has only left a lease that it could not release.
func (l *lock) stillUnfinished(ctx context.Context) (owner.Unfinished, error) {
	remaining, complete := owner.Unfinished{}, map[string]bool{}
	if len(l.unfinished) == 0 {
		return remaining, nil
	}
	for _, e := range l.ends {
		objects, err := e.Find(ctx)
		if err != nil {
			return nil, err
		}
		for _, object := range append(objects.Made(), objects.Extra...) {
			token := owner.TokenOf(object)
			if create, unfinished := l.unfinished[token]; unfinished {
				remaining[token], complete[token] = create, complete[token] || owner.IsComplete(objects.Written(), token)
			}
		}
	}
	maps.DeleteFunc(remaining, func(token string, _ owner.Create) bool { return complete[token] })
	return remaining, nil
}

// releaseAfter waits for a run and then releases the lock, if a step has not done so.
func (l *lock) releaseAfter(ctx context.Context, r *steps.Run) error {
	failure := r.Wait()
	_ = l.release(ctx)
	return failure
}

// judged says in the failure of an operation, which may be nil, whether nothing was written before it.
func (l *lock) judged(failure error) error {
	if of, ok := errors.AsType[*steps.Failure](failure); ok {
		of.WroteNothing = !l.wrote.Load()
	}
	return failure
}

// explainBusy returns the error of a wait for the lock.
func (l *lock) explainBusy(holder string, err error) error {
	if holder == "" || !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &trouble.Problem{
		ID: "pair-busy", Leaf: l.end.Leaf.Name, Err: err,
		Summary: fmt.Sprintf("another operation on %s has not ended", l.on),
		Advice: fmt.Sprintf("Lease %s/%s is held by %s. Wait until that apply or destroy has ended, then apply again. "+
			"If it was killed, the Lease expires within seconds.", l.end.Leaf.LiqoNamespace, l.name, trouble.Shown(holder)),
	}
}

// explainLost returns the error of an operation that has lost its lock.
func (l *lock) explainLost(err error) error {
	lost, ok := errors.AsType[*cluster.LeaseLostError](err)
	if !ok {
		return err
	}
	why := "The process was stopped, or its machine slept."
	if lost.Last != nil {
		why = "The last failure was: " + lost.Last.Error()
	}
	lease := lost.Namespace + "/" + lost.Name
	late := fmt.Sprintf("This operation did not renew Lease %s in time, and has written nothing since. %s", lease, why)
	const look = "Run `terraform plan` to see who has the network now."
	switch {
	case lost.Deleted:
		return &trouble.Problem{
			ID: "pair-lock-deleted", Leaf: lost.Leaf, Err: err,
			Summary: "another user has deleted the lock on " + l.on,
			Evidence: []string{fmt.Sprintf("Lease %s is gone, although this operation renewed it in time. Another operation "+
				"may have begun, so this one has written nothing since.", lease)},
			Advice: "Find out who deletes Leases of this provider. Then run `terraform plan` to see what the leaves have.",
		}
	case lost.Taken:
		return &trouble.Problem{
			ID: "pair-taken-over", Leaf: lost.Leaf, Err: err,
			Summary: "another operation has taken over " + l.on, Evidence: []string{late}, Advice: look,
		}
	default:
		return &trouble.Problem{
			ID: "pair-lock-lost", Leaf: lost.Leaf, Err: err,
			Summary: fmt.Sprintf("the lock on %s can't be kept", l.on), Evidence: []string{late}, Advice: look,
		}
	}
}
