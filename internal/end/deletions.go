package end

import (
	"context"
	"errors"
	"slices"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// An object that is marked for deletion can't be kept, and until it is gone nothing can take its place. Its finalizers
// decide how long that takes. This file finds such objects before an apply, and waits for them before its first write.

// Leaving reports whether an object is marked for deletion.
func Leaving(object client.Object) bool { return !object.GetDeletionTimestamp().IsZero() }

// checkDeletions returns a problem if something of the network is marked for deletion and still exists: the namespace
// of this name, one of its objects, or Liqo's record of the other cluster. An empty name is the tenant namespace. The
// problem says what holds it.
func (e *End) checkDeletions(ctx context.Context, namespace string) error {
	var (
		occupant *corev1.Namespace
		foreign  *liqov1beta1.ForeignCluster
		group    errgroup.Group
	)
	group.Go(func() (err error) { occupant, err = e.occupant(ctx, namespace); return err })
	group.Go(func() (err error) {
		foreign, err = liqo.ForeignCluster(ctx, e.Leaf.List, e.Remote.ID)
		return err
	})
	objects, err := e.Find(ctx)
	if err := errors.Join(err, group.Wait()); err != nil {
		return err
	}
	leaving := objects.Written()
	if occupant != nil {
		leaving = slices.Insert(leaving, 0, client.Object(occupant))
	}
	if foreign != nil {
		leaving = append(leaving, foreign)
	}
	leaving = slices.DeleteFunc(leaving, func(object client.Object) bool { return !Leaving(object) })
	switch {
	case len(leaving) == 0:
		return nil
	case namespace != "" && leaving[0] == client.Object(occupant):
		return e.ownNamespaceLeaves(ctx, leaving)
	default:
		return explain.BeingDeleted(ctx, e.Leaf, leaving, "Another user has deleted it already. An apply that needs its "+
			"place waits until it is gone, and fails if that takes longer than its timeout.")
	}
}

// ownNamespaceLeaves returns the problem that someone is deleting the namespace that the user set, the first of these
// objects. Nobody but the user creates it again.
func (e *End) ownNamespaceLeaves(ctx context.Context, leaving []client.Object) *trouble.Problem {
	problem := explain.BeingDeleted(ctx, e.Leaf, leaving, "Another user has deleted it already, and nothing can be "+
		"created in it. When it is gone, create it again, or set another namespace.")
	problem.Refused = true
	return problem
}

// Goes reports whether one of the objects of a network at this end is marked for deletion. A PublicKey also goes if its
// gateway does: Kubernetes deletes it some time after the gateway.
func Goes(objects []client.Object, one client.Object) bool {
	if Leaving(one) || !isPublicKey(one) {
		return Leaving(one)
	}
	return slices.ContainsFunc(one.GetOwnerReferences(), func(reference metav1.OwnerReference) bool {
		return slices.Contains(gatewayKinds, reference.Kind) && !slices.ContainsFunc(objects, func(o client.Object) bool {
			return o.GetUID() == reference.UID && !Leaving(o)
		})
	})
}

var gatewayKinds = []string{networkingv1beta1.GatewayServerKind, networkingv1beta1.GatewayClientKind}

// UntilDeleted waits until the objects of the network are gone that someone else has marked for deletion, as far as the
// function concerns says that their place is needed. An object of the owner's is removed together with what Liqo has
// made for it.
func (e *End) UntilDeleted(ctx context.Context, concerns func(client.Object) bool) error {
	return e.until(ctx, "what is being deleted to be gone", func(objects liqo.Objects) bool {
		all := objects.Made()
		return !slices.ContainsFunc(all, func(object client.Object) bool {
			return concerns(object) && !e.Owner.Marked(object) && Goes(all, object)
		})
	}, &networkingv1beta1.Configuration{}, &networkingv1beta1.GatewayServer{}, &networkingv1beta1.GatewayClient{},
		&networkingv1beta1.PublicKey{})
}
