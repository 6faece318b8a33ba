package shortcut

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/steps"
)

// turn is the right to work on a pair. Only one operation has it at a time, in one process or in
// several. It is a lease on the leaf whose cluster ID comes first. So all operations use the same
// leaf, and there is no deadlock.
type turn struct {
	lease   *cluster.Lease
	release sync.Once
}

// first returns the end that holds the lease of the pair.
func (s *Shortcut) first() *end.End {
	if s.Server.Leaf.ID < s.Client.Leaf.ID {
		return s.Server
	}
	return s.Client
}

// leaseName returns the name of the lease, which is the same for both directions.
func leaseName(at *end.End) string {
	return fmt.Sprintf("%s.%s.%s", end.ManagedBy, min(at.Leaf.ID, at.Remote.ID), max(at.Leaf.ID, at.Remote.ID))
}

// take waits for the turn and takes it. If the turn is lost, the run ends.
func (t *turn) take(r *steps.Run, on *end.End) func(context.Context) error {
	return func(ctx context.Context) error {
		var busy string
		waiting := func(holder string) {
			busy = holder
			tflog.SubsystemInfo(ctx, steps.LogSubsystem, "waiting for another operation on the pair",
				map[string]any{"leaf": on.Leaf.Name, "holder": holder})
		}
		lease, err := on.Leaf.Hold(ctx, cluster.Claim{
			Name: leaseName(on), Holder: holder(on.Owner), Mark: on.Owner.Mark,
			Waiting: waiting, Lost: func(err error) { r.Abort(err) },
		})
		if err != nil {
			return explainBusy(on, busy, err)
		}
		t.lease = lease
		return nil
	}
}

// leaseLeft reports whether an operation of the owner has left its lease behind.
func leaseLeft(ctx context.Context, at *end.End) (bool, error) {
	lease, err := at.Leaf.Leased(ctx, leaseName(at))
	return lease != nil && at.Owner.Token != "" && at.Owner.Marked(lease), err
}

// holder returns a name of this process for others that wait for it.
func holder(owner end.Owner) string {
	name := owner.Origin.Who
	if name == "" {
		name = end.ManagedBy
	}
	return name + "/" + rand.Text()
}

// giveUp ends the turn. It can be repeated.
func (t *turn) giveUp(ctx context.Context) (err error) {
	t.release.Do(func() {
		if t.lease != nil {
			err = t.lease.Release(ctx)
		}
	})
	return err
}

// endAfter waits for a run and then ends the turn, if a step has not ended it. After another failure, a lease that
// can't be released is not worth a message: it expires.
func (t *turn) endAfter(ctx context.Context, r *steps.Run) error {
	failure := r.Wait()
	_ = t.giveUp(ctx)
	return failure
}

// explainBusy returns the error of a wait for the turn.
func explainBusy(at *end.End, holder string, err error) error {
	if holder == "" || !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &explain.Problem{
		Leaf: at.Leaf.Name, Err: err,
		Summary: fmt.Sprintf("another operation on the pair with %q has not ended", at.Remote.Name),
		Detail: fmt.Sprintf("Lease %s/%s is held by %s. Wait until that apply or destroy has ended, then apply again. "+
			"If it was killed, the Lease expires within seconds.", at.Leaf.LiqoNamespace, leaseName(at), holder),
	}
}
