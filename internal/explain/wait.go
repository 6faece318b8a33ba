package explain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/steps"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// timeToLook limits the requests to a leaf after the time for the work itself has run out.
const timeToLook = 10 * time.Second

// wait is a wait that has not ended, and what its leaf shows. It is the cause of a problem whose text also depends on
// what other waits have found.
type wait struct {
	leaf       string
	waitedFor  string   // completes "waiting for …"; empty if nobody has waited
	causes     []cause  // that keep it from ending
	unanswered []string // errors of the requests that the leaf did not answer
	err        error    // nil if nobody has waited
}

// Error returns the text of how the wait ended.
func (w *wait) Error() string { return w.err.Error() }

// Unwrap returns how the wait ended.
func (w *wait) Unwrap() error { return w.err }

// ErrRefused ends a wait in which [Subject.Refuses].
var ErrRefused = errors.New("the leaf refuses what is waited for")

// refusals are what no time cures: somebody has to change the configuration or a rule of the leaf.
var refusals = []trouble.ID{"gateway-deployment-refused", "gateway-pod-refused", "gateway-service-refused"}

// Refuses reports whether the leaf shows that its API server, a quota or a policy refuses what Liqo makes for a
// gateway. What it can't find out does not count.
func (s Subject) Refuses(ctx context.Context) bool {
	causes, _ := s.causes(ctx)
	return slices.ContainsFunc(causes, func(c cause) bool { return slices.Contains(refusals, c.ID) })
}

// Wait turns the error of a wait into the error for users. If time ran out, the work was interrupted or the leaf
// refuses something, this is a [trouble.Problem] with the causes that the leaf shows. If the failure of another step
// ended the wait, Wait returns the error unchanged. Any other error is an answer of the API server. WaitedFor completes
// "waiting for …".
func Wait(ctx context.Context, s Subject, waitedFor string, err error) error {
	return waited(ctx, s.Leaf, lookout{s.causes, s.nothing}, waitedFor, err)
}

// lookout looks for the causes of a wait.
type lookout struct {
	causes  func(context.Context) ([]cause, error)
	nothing func(ctx context.Context, waitedFor string) trouble.Problem // if there are no causes
}

// waited is Wait with another way to look for causes.
func waited(ctx context.Context, leaf *cluster.Leaf, look lookout, waitedFor string, err error) error {
	switch {
	case err == nil, errors.Is(err, steps.ErrAborted):
		return err
	case !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) && !errors.Is(err, ErrRefused):
		return leaf.Explain(err)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeToLook)
	defer cancel()
	w := diagnose(ctx, leaf, look.causes)
	w.waitedFor, w.err = waitedFor, err
	unanswered, _ := errors.AsType[*cluster.WaitError](err)
	switch {
	case unanswered != nil && len(w.causes) > 0 && w.causes[0].rank != rankUnreachable:
		w.unanswered = append(w.unanswered, unanswered.Last.Error())
	case unanswered != nil && len(w.causes) == 0:
		w.causes = []cause{failed(unanswered.Last)}
	case len(w.causes) == 0:
		w.causes = []cause{{Problem: look.nothing(ctx, waitedFor), rank: rankUnknown}}
	}
	problem := problemsOfWaits([]*wait{w})[0]
	problem.Leaf, problem.Err = w.leaf, w
	return problem
}

// failed returns the cause that a request failed, if the leaf shows nothing else.
func failed(last error) cause {
	problem := *problemOf(last)
	problem.Evidence, problem.Advice = []string{problem.Detail()}, ""
	return cause{Problem: problem, rank: rankUnreachable}
}

// nothing returns the cause for a wait if the leaf does not show why the wait did not end.
func (s Subject) nothing(ctx context.Context, waitedFor string) trouble.Problem {
	c := gaveUp("wait-timed-out", waitedFor)
	c.Advice = fmt.Sprintf("The log of Liqo's controllers may show it:\n\n%s\n\n"+
		"If the leaf is only slow, allow more time in `timeouts`. After a create that failed, run `terraform untaint` "+
		"before the next apply, which otherwise replaces what exists.", controllersLog(s.Leaf))
	if state, _, err := controllersState(ctx, s.Leaf); err == nil {
		c.Evidence = append(c.Evidence, state)
	}
	return c
}

// gaveUp returns the cause for a wait of which nothing is known but what it waited for.
func gaveUp(id trouble.ID, waitedFor string) trouble.Problem {
	return trouble.Problem{
		ID: id, Summary: "gave up waiting for " + waitedFor,
		Evidence: []string{"Nothing on this leaf shows why."},
	}
}
