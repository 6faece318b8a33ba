package explain

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/steps"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// inVain is the error of a wait that has found these causes.
func inVain(leaf, what string, causes ...cause) error {
	return waitOf(&wait{leaf: leaf, err: context.DeadlineExceeded, waitedFor: what, causes: causes})
}

// waitOf is the error of a wait.
func waitOf(w *wait) error { return &trouble.Problem{Leaf: w.leaf, Err: w} }

// found is a cause of this rank.
func found(at rank, summary, advice string, evidence ...string) cause {
	return cause{rank: at, Problem: trouble.Problem{Summary: summary, Evidence: evidence, Advice: advice}}
}

func TestAFailureHasOneTextOnTheLeafOfItsCause(t *testing.T) {
	noImage := found(rankPod, "no image", "Look.", "Pod p: not found.")
	noTunnel := found(rankDialling, "no tunnel", "Firewall.", "Nothing.")
	failure := &steps.Failure{Err: errors.Join(
		inVain("rome", "the tunnel", noTunnel),
		inVain("milan", "the tunnel", noImage), inVain("milan", "an address", noImage),
	)}
	reads(t, failure, `no image on leaf "milan"`,
		"Time ran out while waiting for an address and for the tunnel on \"milan\".\n\nPod p: not found.\n\nLook.\n\n")
	lacks(t, failure, "rome", "Firewall", "In addition") // of the other leaf
}

func TestAFailureOfBothLeavesHasOneText(t *testing.T) {
	failure := &steps.Failure{Err: errors.Join( // the end that listens was the first to fail
		inVain("milan", "the tunnel", found(rankListening, "no tunnel", "Advice of milan's.", "milan's.")),
		inVain("rome", "the tunnel", found(rankDialling, "no tunnel", "Advice of rome's.", "rome's.")),
	)}
	reads(t, failure, "no tunnel", "Time ran out while waiting for the tunnel on \"rome\" and \"milan\".\n\n"+
		"rome's.\nmilan's.\n\nAdvice of rome's.\n\n")
}

func TestAnInterruptedRequestAddsNothingToAnInterruptedWait(t *testing.T) {
	request := &url.Error{Op: "Delete", URL: "https://127.0.0.1:38823/api/v1/namespaces/a", Err: context.Canceled}
	interrupted := waitOf(&wait{leaf: "milan", err: context.Canceled, waitedFor: "the tunnel", causes: []cause{
		found(rankPod, "no image", "Look.", "Pod p: not found."),
	}})
	failure := &steps.Failure{Err: errors.Join(request, interrupted)}
	reads(t, failure, `no image on leaf "milan"`, "The work was interrupted while waiting for the tunnel on \"milan\".")
	lacks(t, failure, "127.0.0.1")
	both := &steps.Failure{Err: errors.Join(request, fmt.Errorf("Get \"https://milan\": %w", context.Canceled))}
	if text := Detail(both); !strings.HasPrefix(text, "The work was interrupted.\n\nHow far") {
		t.Errorf("two requests, and no wait:\n%s", text)
	}
}

func TestTheTextHasAllCauses(t *testing.T) {
	refused := cluster.Found(trouble.Problem{
		Leaf: "rome", Summary: "no permission", Err: errors.New("forbidden"), Advice: "Grant it.",
	})
	failure := &steps.Failure{Err: errors.Join(refused, refused,
		inVain("milan", "an address", found(rankPod, "no image", ""), found(rankService, "no balancer", "")))}
	reads(t, failure, `no permission on leaf "rome"`, `In addition, no image on leaf "milan".`,
		`In addition, no balancer on leaf "milan".`)
	if text := Detail(failure); strings.Count(text, "Grant it.") != 1 {
		t.Errorf("got:\n%s", text)
	}
}

func TestAnErrorOfALeafHasAlsoTheTroubleThatHasCausedIt(t *testing.T) {
	refused := cluster.Found(trouble.Problem{
		ID: "credentials-refused", Leaf: "europe", Summary: "no credentials", Err: errors.New("Unauthorized"),
	})
	through := cluster.Found(trouble.Problem{
		ID: "central-cluster-unusable", Leaf: "rome", Summary: "no centre", Err: fmt.Errorf("on the way: %w", refused),
	})
	failing := &cluster.WaitError{Err: context.DeadlineExceeded, Last: through}
	for name, err := range map[string]error{
		"alone":                  through,
		"twice":                  errors.Join(through, through),
		"as that of a request":   failing,
		"as that of a late wait": Wait(t.Context(), milan(t), "an end", failing),
	} {
		t.Run(name, func(t *testing.T) {
			if got := Troubles(err); !slices.Equal(got, []trouble.ID{"central-cluster-unusable", "credentials-refused"}) {
				t.Errorf("the troubles are %q", got)
			}
		})
	}
}

func TestTheTextHasTheProblemOfACheckBesideTheWaits(t *testing.T) {
	problem := &trouble.Problem{Leaf: "rome", Summary: "no namespace", Advice: "Make it."}
	consequence := found(rankUnknown, "gave up", "", "Nothing.")
	text := Detail(errors.Join(fmt.Errorf("while checking: %w", problem), problem, inVain("milan", "an end", consequence)))
	expected := "Make it.\n\nIn addition, gave up on leaf \"milan\".\n" +
		"Time ran out while waiting for an end on \"milan\".\n\nNothing."
	if text != expected {
		t.Errorf("got:\n%s", text)
	}
}

func TestARefusalDoesNotSayHowFarTheStepsGot(t *testing.T) {
	for _, refused := range []bool{false, true} {
		failure := &steps.Failure{Err: &trouble.Problem{Leaf: "rome", Summary: "taken", Refused: refused}}
		if text := Detail(failure); strings.Contains(text, "How far it got") == refused {
			t.Errorf("refused: %t:\n%s", refused, text)
		}
	}
}

func TestAnUnexplainedErrorHasNoHeadlineAndIsASentence(t *testing.T) {
	if err := errors.New("no such thing"); Summary(err) != "" || Detail(err) != "no such thing." {
		t.Errorf("got %q: %s", Summary(err), Detail(err))
	}
	if Summary(nil) != "" || Detail(nil) != "" {
		t.Errorf("no error reads %q: %s", Summary(nil), Detail(nil))
	}
}

func TestTheTextListsAllWaits(t *testing.T) {
	down := found(rankControllers, "down", "", "It is down.")
	err := errors.Join(inVain("milan", "keys", down), inVain("milan", "an address", down), inVain("milan", "ranges", down))
	clustertest.Has(t, Detail(err), `Time ran out while waiting for an address, for keys and for ranges on "milan".`)
}
