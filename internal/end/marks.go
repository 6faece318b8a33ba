package end

import (
	"context"
	"slices"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

// This file writes the marks of ownership to the objects of one end.

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

// Take makes an object the owner's that has no other owner.
func (e *End) Take(ctx context.Context, object client.Object) error {
	return e.Leaf.Edit(ctx, object, e.Owner.Mark)
}

// Adopt makes the object of someone else the owner's. A failed adoption gives it back. Killed is as in
// [owner.Owner.Adopt].
func (e *End) Adopt(ctx context.Context, object client.Object, killed bool) error {
	return e.Leaf.Edit(ctx, object, func(object client.Object) { e.Owner.Adopt(object, killed) })
}

// GiveBack restores the marks that the owner's objects on this leaf had before the adoption. An object that the
// adoption has created belongs to the same network, so it loses its marks, too.
func (e *End) GiveBack(ctx context.Context) error {
	all, err := e.Markable(ctx)
	if err != nil {
		return err
	}
	for _, object := range all {
		if !e.Owner.Marked(object) {
			continue
		}
		if err := e.restore(ctx, object); err != nil {
			return err
		}
	}
	return nil
}

// restore restores the marks that an object had before it was adopted.
func (e *End) restore(ctx context.Context, object client.Object) error {
	return e.Leaf.Edit(ctx, object, func(object client.Object) {
		forgetGateway(object)
		owner.GiveBack(object)
	})
}

// disown removes the owner of an object. A later shortcut of the pair takes it over.
func (e *End) disown(ctx context.Context, object client.Object) error {
	return e.Leaf.Edit(ctx, object, func(object client.Object) {
		forgetGateway(object)
		owner.Disown(object)
	})
}

// forgetGateway removes what this provider has noted on a gateway for its owner.
func forgetGateway(object client.Object) {
	cluster.RemoveAnnotation(object, rangesAnnotation)
	cluster.RemoveAnnotation(object, liqo.RotationAnnotation)
}

// RecordComplete records that the shortcut is complete, and whether its tunnel was seen up.
//
// The record is on the gateway. Liqo's controllers write their firewall rules anew when a Configuration changes, and
// flows that begin meanwhile would stay without translation. An adopted Configuration has the record itself, because it
// must not be given back if both gateways get lost.
func (e *End) RecordComplete(ctx context.Context, connected bool) error {
	objects, err := e.Find(ctx)
	if err != nil {
		return err
	}
	if owner.IsComplete(objects.Written(), e.Owner.Token) && (wasConnected(objects) || !connected) {
		return nil
	}
	holder := recordHolder(objects)
	if holder == nil {
		return nil
	}
	return e.Leaf.Edit(ctx, holder, e.Owner.Completed(time.Now(), connected).Mark)
}

// RecordEndObject records that the object of a resource for one end is complete.
func (e *End) RecordEndObject(ctx context.Context) error {
	objects, err := e.Find(ctx)
	object := ObjectOf(objects, e.Owner.Resource)
	if err != nil || object == nil || !e.Owner.Marked(object) {
		return err
	}
	return e.Leaf.Edit(ctx, object, e.Owner.Completed(time.Now(), false).Mark)
}

// recordHolder returns the object that gets the record of a complete shortcut, or nil if there is none.
func recordHolder(o liqo.Objects) client.Object {
	if o.Configuration == nil {
		return o.Gateway()
	}
	if _, adopted := owner.Previously(o.Configuration); adopted {
		return o.Configuration
	}
	return o.Gateway()
}

// wasConnected reports whether the gateway of this leaf has ever reported the tunnel as up.
func wasConnected(o liqo.Objects) bool {
	return slices.ContainsFunc(o.Made(), func(object client.Object) bool { return owner.CompletionOf(object).Connected })
}
