package explain

import (
	"context"
	"slices"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// Subject is one leaf's end of its network with one other cluster, which is to be explained.
type Subject struct {
	Leaf       *cluster.Leaf
	RemoteName string                // the user's name for the other cluster
	RemoteID   liqov1beta1.ClusterID // Liqo's
	Alone      bool                  // the user has resources for this end only

	// Find observes the leaf's objects of the network. It is called only if there is something to explain. At that moment
	// the time for the work may have run out.
	Find func(context.Context) (liqo.Objects, error)

	// remaining, if it is not nil, takes the place of Find. It returns the object that delays a deletion.
	remaining func(context.Context) (client.Object, error)
}

// view is what the explanations look at.
type view struct {
	liqo.Objects

	leaving []client.Object // objects that are to be deleted and still exist
}

// observe returns the current view of the subject.
func (s Subject) observe(ctx context.Context) (view, error) {
	if s.remaining != nil {
		object, err := s.remaining(ctx)
		if err != nil || object == nil {
			return view{}, err
		}
		return view{leaving: []client.Object{object}}, nil
	}
	objects, err := s.Find(ctx)
	stays := func(object client.Object) bool { return object.GetDeletionTimestamp().IsZero() }
	return view{Objects: objects, leaving: slices.DeleteFunc(objects.All(), stays)}, err
}
