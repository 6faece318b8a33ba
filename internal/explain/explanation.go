package explain

import (
	"context"
	"errors"
	"slices"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// explanation knows one problem and how the problem shows on a leaf.
type explanation struct {
	rank rank // of the causes that it finds

	// find asks the leaf. It returns no cause if all is well or if the problem can't occur here. The error joins the
	// requests that the leaf did not answer. The causes are valid even with an error. They are of this leaf or of the
	// pair, as their rank says.
	find func(context.Context, Subject, view) ([]trouble.Problem, error)

	whole bool // its causes explain everything, so the explanations after it do not run
}

// explanations lists all explanations in the order in which they run. A cause comes before its consequences.
var explanations = []explanation{
	{rank: rankControllers, find: unattendedDeletion, whole: true},
	{rank: rankDeletion, find: deletion, whole: true},
	{rank: rankControllers, find: controllers},
	{rank: rankControllers, find: noDeployment},
	{rank: rankPod, find: deployment},
	{rank: rankService, find: service},
	{rank: rankService, find: serviceChange},
	{rank: rankService, find: unresolved},
	{rank: rankDialling, find: dialling},
	{rank: rankListening, find: listening},
	{rank: rankUnknown, find: unfinished},
}

// rank orders causes: a cause comes before its consequences.
type rank int

const (
	rankUnreachable rank = iota // the leaf does not answer
	rankControllers             // Liqo's controllers do not react, so nothing after them can happen
	rankDeletion                // something is not deleted
	rankPod                     // the gateway does not run
	rankService                 // the gateway has no address, or has none to dial

	// The following are consequences. They are looked for and shown only if none of the above is found.
	rankDialling  // the tunnel does not come up, as the client sees it
	rankListening // the same, as the server sees it
	rankUnknown   // only the last completed step is known
)

func (r rank) isConsequence() bool { return r >= rankDialling }

// isOfPair reports whether the summary is about both leaves and names them. Otherwise it is about one leaf.
func (r rank) isOfPair() bool { return r == rankDialling || r == rankListening }

// diagnose looks for causes. The result has those that were found, if any, and the requests that the leaf did not
// answer.
func diagnose(ctx context.Context, leaf *cluster.Leaf, look func(context.Context) ([]cause, error)) *wait {
	causes, err := look(ctx)
	w := &wait{leaf: leaf.Name, causes: causes}
	for _, err := range flatten(err) {
		if cluster.Unreachable(err) {
			return &wait{leaf: leaf.Name, causes: []cause{failed(err)}} // the leaf shows nothing else
		}
		w.unanswered = append(w.unanswered, err.Error())
	}
	return w
}

// Subject is one leaf's end of its network with one other cluster, which is to be explained.
type Subject struct {
	Leaf       *cluster.Leaf
	RemoteName string                // the user's name for the other cluster
	RemoteID   liqov1beta1.ClusterID // Liqo's
	Alone      bool                  // the user has resources for this end only

	// Find observes the leaf's objects of the network. It is called only if there is something to explain. At that moment
	// the time for the work may have run out.
	Find func(context.Context) (liqo.Objects, error)
}

// causes returns what the leaf shows, a cause before its consequences. The error joins those of the requests that the
// leaf did not answer.
func (s Subject) causes(ctx context.Context) ([]cause, error) {
	view, err := s.observe(ctx)
	if err != nil {
		return nil, err
	}
	return s.causesIn(ctx, view)
}

func (s Subject) causesIn(ctx context.Context, view view) ([]cause, error) {
	var (
		causes []cause
		errs   []error
	)
	for _, one := range explanations {
		if one.rank.isConsequence() && len(causes) > 0 {
			break
		}
		more, err := one.find(ctx, s, view)
		causes, errs = append(causes, ranked(one.rank, more)...), append(errs, err)
		if one.whole && len(more) > 0 {
			break
		}
	}
	return causes, errors.Join(errs...)
}

// view is what the explanations look at.
type view struct {
	liqo.Objects

	leaving []client.Object // objects that are to be deleted and still exist
}

// observe returns the current view of the subject.
func (s Subject) observe(ctx context.Context) (view, error) {
	objects, err := s.Find(ctx)
	stays := func(object client.Object) bool { return object.GetDeletionTimestamp().IsZero() }
	return view{Objects: objects, leaving: slices.DeleteFunc(objects.All(), stays)}, err
}
