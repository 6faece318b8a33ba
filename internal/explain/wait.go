package explain

import (
	"context"
	"errors"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/steps"
)

// timeToLook limits the requests to a leaf after the time for the work itself has run out.
const timeToLook = 10 * time.Second

// Wait turns the error of a wait into the error for users. If time ran out or the work was interrupted, this is a
// [Problem] with the causes that the leaf shows. If the failure of another step ended the wait, Wait returns the error
// unchanged. Any other error is an answer of the API server. WaitedFor completes "waiting for …".
func Wait(ctx context.Context, s Subject, waitedFor string, err error) error {
	return waited(ctx, s.Leaf, s.causes, waitedFor, err)
}

// waited is Wait with another way to look for causes.
func waited(
	ctx context.Context, leaf *cluster.Leaf, causes func(context.Context) ([]cause, error), waitedFor string, err error,
) error {
	switch {
	case err == nil, errors.Is(err, steps.ErrAborted):
		return err
	case !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled):
		return leaf.Explain(err)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeToLook)
	defer cancel()
	wait := diagnose(ctx, leaf, causes)
	wait.waitedFor, wait.Err = waitedFor, err
	unanswered, _ := errors.AsType[*cluster.WaitError](err)
	switch {
	case unanswered != nil && len(wait.causes) > 0 && wait.causes[0].rank != rankUnreachable:
		wait.unanswered = append(wait.unanswered, unanswered.Last.Error())
	case unanswered != nil && len(wait.causes) == 0:
		wait.causes = []cause{failed(unanswered.Last)}
	case len(wait.causes) == 0:
		wait.causes = []cause{nothing(ctx, leaf, waitedFor)}
	}
	first := problemsOfWaits([]*Problem{wait})[0]
	wait.Summary, wait.Detail = first.Summary, first.Detail
	return wait
}

// failed returns the cause for a wait whose last request failed, if the leaf shows nothing else now.
func failed(last error) cause {
	problem := problemOf(last)
	return cause{rank: rankUnreachable, summary: problem.Summary, evidence: []string{problem.Detail}}
}

// nothing returns the cause for a wait if the leaf does not show why the wait did not end.
func nothing(ctx context.Context, leaf *cluster.Leaf, waitedFor string) cause {
	c := cause{
		rank: rankUnknown, summary: "gave up waiting for " + waitedFor,
		evidence: []string{"Nothing on this leaf shows why."},
		advice: "If the leaf is only slow, allow more time in `timeouts` and apply again; the apply continues from what " +
			"exists. Otherwise, see the log of Liqo's controllers:\n\n" +
			"  kubectl -n " + leaf.LiqoNamespace + " logs deployment/" + controllersName,
	}
	if state, _, err := controllersState(ctx, leaf); err == nil {
		c.evidence = append(c.evidence, state)
	}
	return c
}
