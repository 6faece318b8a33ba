package explain

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/steps"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// timeToLook limits the requests to a leaf after the time for the work itself has run out.
const timeToLook = 10 * time.Second

// Wait turns the error of a wait into the error for users. If time ran out or the work was interrupted, this is a
// [Problem] with the causes that the leaf shows. If the failure of another step ended the wait, Wait returns the error
// unchanged. Any other error is an answer of the API server. WaitedFor completes "waiting for …".
func Wait(ctx context.Context, s Subject, waitedFor string, err error) error {
	return waited(ctx, s.Leaf, lookout{s.causes, s.nothing}, waitedFor, err)
}

// lookout looks for the causes of a wait.
type lookout struct {
	causes  func(context.Context) ([]cause, error)
	nothing func(ctx context.Context, waitedFor string) cause // if there are no causes
}

// waited is Wait with another way to look for causes.
func waited(ctx context.Context, leaf *cluster.Leaf, look lookout, waitedFor string, err error) error {
	switch {
	case err == nil, errors.Is(err, steps.ErrAborted):
		return err
	case !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled):
		return leaf.Explain(err)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeToLook)
	defer cancel()
	wait := diagnose(ctx, leaf, look.causes)
	wait.waitedFor, wait.Err = waitedFor, err
	unanswered, _ := errors.AsType[*cluster.WaitError](err)
	switch {
	case unanswered != nil && len(wait.causes) > 0 && wait.causes[0].rank != rankUnreachable:
		wait.unanswered = append(wait.unanswered, unanswered.Last.Error())
	case unanswered != nil && len(wait.causes) == 0:
		wait.causes = []cause{failed(unanswered.Last)}
	case len(wait.causes) == 0:
		wait.causes = []cause{look.nothing(ctx, waitedFor)}
	}
	first := problemsOfWaits([]*Problem{wait})[0]
	wait.Trouble, wait.also, wait.Summary, wait.Detail = first.Trouble, first.also, first.Summary, first.Detail
	return wait
}

// failed returns the cause for a wait whose last request failed, if the leaf shows nothing else now.
func failed(last error) cause {
	problem := problemOf(last)
	return cause{
		rank: rankUnreachable, trouble: problem.Trouble, also: problem.also, summary: problem.Summary,
		evidence: []string{problem.Detail},
	}
}

// nothing returns the cause for a wait if the leaf does not show why the wait did not end.
func (s Subject) nothing(ctx context.Context, waitedFor string) cause {
	c := gaveUp("wait-timed-out", waitedFor)
	c.advice = fmt.Sprintf("The log of Liqo's controllers may show it:\n\n  kubectl -n %s logs deployment/%s\n\n"+
		"If the leaf is only slow, allow more time in `timeouts`. After a create that failed, run `terraform untaint` "+
		"before the next apply, which otherwise replaces what exists.", s.Leaf.LiqoNamespace, controllersName)
	if state, _, err := controllersState(ctx, s.Leaf); err == nil {
		c.evidence = append(c.evidence, state)
	}
	return c
}

// gaveUp returns the cause for a wait of which nothing is known but what it waited for.
func gaveUp(id trouble.ID, waitedFor string) cause {
	return cause{
		rank: rankUnknown, trouble: id, summary: "gave up waiting for " + waitedFor,
		evidence: []string{"Nothing on this leaf shows why."},
	}
}
