package end

import (
	"context"
	"maps"
	"slices"

	coordinationv1 "k8s.io/api/coordination/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

// The marks of ownership are on the objects of one end, and the creates that have not ended in Leases.

// Markable returns the objects of the network on this leaf, and its tenant namespace unless Kubernetes is deleting it:
// the namespace may be gone before a mark is written.
func (e *End) Markable(ctx context.Context) ([]client.Object, error) {
	objects, err := e.Find(ctx)
	if err != nil {
		return nil, err
	}
	all := objects.Made()
	namespace, err := e.TenantNamespace(ctx)
	if namespace != nil && !Leaving(namespace) {
		all = append(all, namespace)
	}
	return all, err
}

// Take makes an object the owner's. It must not have another owner.
func (e *End) Take(ctx context.Context, object client.Object) error {
	return e.Leaf.Edit(ctx, object, e.Owner.Mark)
}

// disown removes the owner of an object. A later shortcut of the pair takes it over.
func (e *End) disown(ctx context.Context, object client.Object) error {
	return e.Leaf.Edit(ctx, object, owner.Disown)
}

// RecordComplete records that the shortcut is complete, and whether its tunnel was seen up.
//
// The record is on the gateway. Liqo's controllers write their firewall rules anew when a Configuration changes, and
// flows that begin meanwhile would stay without translation.
func (e *End) RecordComplete(ctx context.Context, connected bool) error {
	objects, err := e.Find(ctx)
	if err != nil {
		return err
	}
	gateway, completed := objects.Gateway, owner.Completion{Owner: e.Owner.Token, Connected: connected}
	if gateway == nil ||
		owner.IsComplete(objects.Written(), e.Owner.Token) && (wasConnected(objects) || !connected) {
		return nil
	}
	return e.Leaf.Edit(ctx, gateway.Object, completed.Mark)
}

// RecordEndObject records that the object of a resource for one end is complete.
func (e *End) RecordEndObject(ctx context.Context) error {
	objects, err := e.Find(ctx)
	object := ObjectOf(objects, e.Owner.Resource)
	if err != nil || object == nil || !e.Owner.Marked(object) {
		return err
	}
	return e.Leaf.Edit(ctx, object, owner.Completion{Owner: e.Owner.Token}.Mark)
}

// wasConnected reports whether the gateway of this leaf has ever reported the tunnel as up.
func wasConnected(o liqo.Objects) bool {
	return slices.ContainsFunc(o.Made(), func(object client.Object) bool { return owner.CompletionOf(object).Connected })
}

// UnfinishedAt returns what all Leases of this provider on a leaf list. It sends one request. Without the permission to
// list Leases, the result is empty.
func UnfinishedAt(ctx context.Context, leaf *cluster.Leaf) (owner.Unfinished, error) {
	var leases coordinationv1.LeaseList
	ours := client.MatchingLabels{owner.ManagedByLabel: owner.ManagedBy}
	err := leaf.List(ctx, &leases, client.InNamespace(leaf.LiqoNamespace), ours)
	if cluster.MissingPermission(err) {
		return owner.Unfinished{}, nil
	}
	all := owner.Unfinished{}
	for i := range leases.Items {
		maps.Copy(all, owner.UnfinishedOn(&leases.Items[i]))
	}
	return all, err
}
