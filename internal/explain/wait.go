package explain

import (
	"context"
	"errors"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/steps"
)

// timeToLook is for looking at a leaf after the time for the work itself has run out.
const timeToLook = 10 * time.Second

// Wait turns the error of a wait into the one that users see: a [Problem] with what the leaf shows of the reason, where time ran out or the work was interrupted. A wait that
// another step's failure has ended needs no reason, and any other error is an answer of the API server. WaitedFor completes "waiting for …".
func Wait(ctx context.Context, s Subject, waitedFor string, err error) error {
	switch {
	case err == nil, errors.Is(err, steps.ErrAborted):
		return err
	case !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled):
		return s.Leaf.Explain(err)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeToLook)
	defer cancel()
	wait := s.look(ctx)
	wait.waitedFor, wait.Err = waitedFor, err
	if len(wait.causes) == 0 {
		wait.causes = []cause{nothing(ctx, s.Leaf, waitedFor)}
	}
	first := problemsOfWaits([]*Problem{wait})[0]
	wait.Summary, wait.Detail = first.Summary, first.Detail
	return wait
}

// nothing is said where the leaf does not show why it does not do what is waited for.
func nothing(ctx context.Context, leaf *cluster.Leaf, waitedFor string) cause {
	c := cause{
		rank: rankUnknown, summary: "gave up waiting for " + waitedFor,
		evidence: []string{"Nothing on this leaf shows why."},
		advice: "If the leaf is only slow, allow more time in `timeouts` and apply again: it goes on from what is there. Else see the log of Liqo's " +
			"controllers:\n\n  kubectl -n " + leaf.LiqoNamespace + " logs deployment/" + controllersName,
	}
	if state, _, err := controllersState(ctx, leaf); err == nil {
		c.evidence = append(c.evidence, state)
	}
	return c
}
