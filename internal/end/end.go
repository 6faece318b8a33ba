package end

import (
	"cmp"
	"context"
	"errors"
	"slices"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/parallel"
)

// End is one leaf's end of its network with one other cluster. It holds no state; the objects are on the leaf.
type End struct {
	Leaf   *cluster.Leaf
	Remote Remote
	Owner  owner.Owner // the end treats this owner's objects as its own, and marks new ones with its token
}

// Remote is the cluster at the other end, as this end knows it.
type Remote struct {
	Name string                // the user's name for it
	ID   liqov1beta1.ClusterID // Liqo's
}

// New returns the end on a leaf, without an owner.
func New(leaf *cluster.Leaf, remote Remote) *End { return &End{Leaf: leaf, Remote: remote} }

// HasOwn reports whether the leaf has anything of the owner's: an object of the network, or the tenant namespace.
func (e *End) HasOwn(ctx context.Context) (bool, error) {
	if e.Owner.Token == "" {
		return false, nil
	}
	objects, err := e.Find(ctx)
	if err != nil || slices.ContainsFunc(objects.Written(), e.Owner.Marked) {
		return err == nil, err
	}
	namespace, err := e.TenantNamespace(ctx)
	return namespace != nil && e.Owner.Marked(namespace), err
}

// until waits until done is true for the leaf's objects of this network. It checks again whenever the cache of one of
// these kinds changes. waitedFor completes "waiting for …" in the error. The error contains the evidence that the leaf
// shows.
func (e *End) until(ctx context.Context, waitedFor string, done func(liqo.Objects) bool, kinds ...client.Object) error {
	return e.wait(ctx, waitedFor, e.Find, done, kinds...)
}

// wait is until with another way to read the objects.
func (e *End) wait(
	ctx context.Context, waitedFor string, read func(context.Context) (liqo.Objects, error), done func(liqo.Objects) bool,
	kinds ...client.Object,
) error {
	err := e.Leaf.Until(ctx, string(e.Remote.ID), func(ctx context.Context) (bool, error) {
		objects, err := read(ctx)
		return err == nil && done(objects), err
	}, kinds...)
	return explain.Wait(ctx, e.Subject(), waitedFor, err)
}

// untilGone waits until an object no longer exists.
func (e *End) untilGone(ctx context.Context, kind schema.GroupVersionKind, key client.ObjectKey) error {
	return explain.Deletion(ctx, e.Leaf, kind, key, e.Leaf.UntilGone(ctx, kind, key))
}

// delete asks for the deletion of the object, unless another object has replaced it since the read. It does not wait.
func (e *End) delete(ctx context.Context, object client.Object) error {
	uid := object.GetUID()
	return e.Leaf.Persist(ctx, func() error {
		return e.Leaf.Delete(ctx, object, client.Preconditions{UID: &uid}, client.PropagationPolicy("Background"))
	})
}

// deleteAll asks for the deletion of these objects, as [End.delete].
func (e *End) deleteAll(ctx context.Context, objects []client.Object) error {
	return cmp.Or(parallel.Map(objects, func(object client.Object) error { return e.delete(ctx, object) })...)
}

// errMissing is the cause of a problem with an object that the user has to create on the leaf.
var errMissing = errors.New("it does not exist")

// isMissing reports whether a problem is a missing object on the leaf that the user has to create.
func isMissing(err error) bool { return errors.Is(err, errMissing) }

// Subject returns the end as a subject of package explain.
func (e *End) Subject() explain.Subject {
	return explain.Subject{
		Leaf: e.Leaf, RemoteName: e.Remote.Name, RemoteID: e.Remote.ID, Alone: e.Owner.Resource != "", Find: e.Observe,
	}
}
