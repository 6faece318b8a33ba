package explain

import (
	"context"
	"errors"
)

// explanation knows one thing that can be wrong, and how it shows on a leaf.
type explanation struct {
	rank rank // of the causes that it finds

	// look asks the leaf. It finds nothing where all is well, or where it is not concerned. Its errors are those of questions that the leaf did not answer; what was found
	// all the same comes with them.
	look func(context.Context, Subject, Objects) ([]cause, error)

	whole bool // what it finds is the whole reason: nothing else is looked for then
}

// explanations are all there are, in the order in which they look. A cause comes before its consequences.
var explanations = []explanation{
	{rank: rankControllers, look: unattendedDeletion, whole: true},
	{rank: rankDeletion, look: deletion, whole: true},
	{rank: rankControllers, look: controllers},
	{rank: rankControllers, look: noDeployment},
	{rank: rankPod, look: deployment},
	{rank: rankService, look: service},
	{rank: rankDialling, look: dialling},
	{rank: rankListening, look: listening},
	{rank: rankUnknown, look: unfinished},
}

// rank orders causes: a cause comes before its consequences.
type rank int

const (
	rankUnreachable rank = iota // the leaf can't be asked
	rankControllers             // Liqo's controllers do nothing, so nobody else can
	rankDeletion                // something is not deleted
	rankPod                     // the gateway does not run
	rankService                 // the gateway has no address

	// From here on they are consequences: they are looked for and told only where nothing of the above is found.
	rankDialling  // the tunnel does not come up, as the leaf that dials sees it
	rankListening // the same, as the other leaf sees it
	rankUnknown   // no more is known than how far it got
)

func (r rank) isConsequence() bool { return r >= rankDialling }

// look runs the explanations. The result has the causes that they have found, of which there may be none, and says what the leaf did not answer.
func (s Subject) look(ctx context.Context) *Problem {
	problem := &Problem{Leaf: s.Leaf.Name}
	causes, err := s.causes(ctx)
	for _, err := range flatten(err) {
		if c, ok := unreachable(err); ok {
			problem.causes, problem.unanswered = []cause{c}, nil // there is nothing else to be known
			return problem
		}
		problem.unanswered = append(problem.unanswered, err.Error())
	}
	problem.causes = causes
	return problem
}

// causes are what the leaf shows, the cause before its consequences. The error joins those of questions that it did not answer.
func (s Subject) causes(ctx context.Context) ([]cause, error) {
	found, err := s.Find(ctx)
	if err != nil {
		return nil, err
	}
	var (
		causes []cause
		errs   []error
	)
	for _, one := range explanations {
		if one.rank.isConsequence() && len(causes) > 0 {
			break
		}
		more, err := one.look(ctx, s, found)
		for i := range more {
			more[i].rank = one.rank
		}
		causes, errs = append(causes, more...), append(errs, err)
		if one.whole && len(more) > 0 {
			break
		}
	}
	return causes, errors.Join(errs...)
}
