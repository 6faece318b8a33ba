package shortcut

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/steps"
)

// turn is the right to work on a pair: no two procedures have it at the same time, be they of one process or of two. It is a lease on that leaf of the pair whose
// cluster ID comes first, so that everybody asks the same leaf, and nobody waits for somebody who waits for him.
type turn struct {
	lease   *cluster.Lease
	release sync.Once
}

// first is the side that keeps the lease of the pair.
func (s *Shortcut) first() *side {
	if s.server.leaf.ID < s.client.leaf.ID {
		return s.server
	}
	return s.client
}

// leaseName is the same for both directions.
func (s *side) leaseName() string {
	return fmt.Sprintf("%s.%s.%s", ManagedBy, min(s.leaf.ID, s.remote.ID), max(s.leaf.ID, s.remote.ID))
}

// take waits for the turn, and takes it. If it is lost, the run ends.
func (t *turn) take(r *steps.Run, on *side) func(context.Context) error {
	return func(ctx context.Context) error {
		var busy string
		waiting := func(holder string) {
			busy = holder
			tflog.SubsystemInfo(ctx, steps.LogSubsystem, "waiting for another operation on the pair", map[string]any{"leaf": on.leaf.Name, "holder": holder})
		}
		lease, err := on.leaf.Hold(ctx, cluster.Claim{
			Name: on.leaseName(), Holder: on.owner.holder(), Mark: on.owner.mark, Waiting: waiting, Lost: func(err error) { r.Abort(err) },
		})
		if err != nil {
			return on.explainBusy(busy, err)
		}
		t.lease = lease
		return nil
	}
}

// leaseLeft reports whether an operation of the owner's has left its lease behind.
func (s *side) leaseLeft(ctx context.Context) (bool, error) {
	lease, err := s.leaf.Leased(ctx, s.leaseName())
	return lease != nil && s.owner.Token != "" && s.owner.marked(lease), err
}

// holder names a process for others that wait for it.
func (o Owner) holder() string {
	name := o.Origin.Who
	if name == "" {
		name = ManagedBy
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

// endAfter waits for a run, and ends the turn then. A lease that can't be released ends by itself, so that is no failure.
func (t *turn) endAfter(ctx context.Context, r *steps.Run) error {
	failure := r.Wait()
	_ = t.giveUp(ctx)
	return failure
}

// explainBusy is the error of a wait for the turn.
func (s *side) explainBusy(holder string, err error) error {
	if holder == "" || !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &explain.Problem{
		Leaf: s.leaf.Name, Err: err,
		Summary: fmt.Sprintf("another operation on the pair with %q has not ended", s.remote.Name),
		Detail: fmt.Sprintf("Lease %s/%s is held by %s. Wait until that apply or destroy has ended, then apply again. If it was killed, the Lease ends by itself within "+
			"seconds.", s.leaf.LiqoNamespace, s.leaseName(), holder),
	}
}
