package shortcut

import (
	"context"
	"errors"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// finding is one thing that a leaf shows, and what to do about it.
type finding struct {
	rank     rank
	summary  string   // a few words, for the headline
	ofPair   bool     // the summary speaks of both leaves and names them; else it is of one leaf
	evidence []string // a paragraph each: which object, what its status and its events say
	advice   string   // what to do next, a sentence or more
}

// rank orders findings: a cause comes before its consequences.
type rank int

const (
	rankUnreachable rank = iota // the leaf can't be asked
	rankControllers             // Liqo's controllers do nothing, so nobody else can
	rankDeletion                // something is not deleted
	rankPod                     // the gateway does not run
	rankService                 // the gateway has no address

	// From here on, findings are consequences: they are said only where nothing of the above is found, on either leaf.
	rankDialling  // the tunnel does not come up, as the leaf that dials sees it
	rankListening // the same, as the other leaf sees it
	rankUnknown   // nothing is found at all
)

func (f finding) isConsequence() bool { return f.rank >= rankDialling }

// evidence is what the leaf shows of the reason why a wait does not end: findings, the cause before its consequences, and the errors of
// questions that it did not answer.
func (s *side) evidence(ctx context.Context) ([]finding, error) {
	found, err := s.find(ctx)
	if err != nil {
		return nil, err
	}
	if leaving := found.leaving(); len(leaving) > 0 {
		return s.deletionFindings(ctx, leaving...)
	}
	ignored := found.ignored()
	findings, err := s.controllersFindings(ctx, ignored...)
	errs := []error{err}
	gateway := found.gateway()
	if gateway == nil || slices.Contains(ignored, gateway) {
		return findings, errors.Join(errs...)
	}
	looks := []func(context.Context, client.Object) ([]finding, error){s.deploymentFindings}
	if found.server != nil {
		looks = append(looks, s.serviceFindings)
	}
	for _, look := range looks {
		more, err := look(ctx, gateway)
		findings, errs = append(findings, more...), append(errs, err)
	}
	if len(findings) == 0 {
		tunnel, err := s.tunnelFinding(ctx, found)
		findings, errs = append(findings, tunnel), append(errs, err)
	}
	return findings, errors.Join(errs...)
}

// unreachable is the finding that the leaf does not answer; false for other errors.
func unreachable(err error) (finding, bool) {
	explained, ok := errors.AsType[*cluster.Error](err)
	if !ok || !cluster.Unreachable(err) {
		return finding{}, false
	}
	return finding{rank: rankUnreachable, summary: explained.Summary, evidence: []string{explained.Detail()}}, true
}
