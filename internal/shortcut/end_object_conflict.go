package shortcut

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// CheckFree fails if someone else has the object that the resource manages, or if a shortcut owns the network. It reads
// the cache, and live whether a create was killed.
func (o EndObject) CheckFree(ctx context.Context) error {
	objects, err := o.End.Find(ctx)
	if err != nil {
		return err
	}
	var unfinished owner.Unfinished
	object := end.ObjectOf(objects, o.End.Owner.Resource)
	if object != nil && o.End.Owner.Whose(object) == owner.OtherOwner {
		if unfinished, err = readUnfinished(ctx, o.End, objectLeaseName(o.End)); err != nil {
			return err
		}
	}
	return o.checkFree(ctx, objects, unfinished)
}

// checkLocked returns a step that does so under the lock, before anything is written. A create does not trust the
// cache. It waits until what others are deleting is gone.
func (o EndObject) checkLocked(objectLock *lock) func(context.Context) error {
	return func(ctx context.Context) error {
		if o.Create {
			if err := liqo.CatchUp(ctx, o.End.Leaf, o.End.Remote.ID); err != nil {
				return err
			}
		}
		check := func() error {
			objects, err := o.End.Find(ctx)
			if err != nil {
				return err
			}
			return o.checkFree(ctx, objects, objectLock.unfinished)
		}
		if err := checkUntilDeleted(ctx, check, o.concerns, o.End); err != nil {
			return err
		}
		objectLock.wrote.Store(true)
		return nil
	}
}

// checkFree does so for objects that were read with what the lease of the object says.
func (o EndObject) checkFree(ctx context.Context, objects liqo.Objects, unfinished owner.Unfinished) error {
	all := objects.Written()
	return contested{
		network: all, unfinished: unfinished, concerns: o.concerns,
		importAdvice: o.importAdvice(end.ObjectOf(objects, o.End.Owner.Resource) != nil),
	}.checkAt(ctx, o.End, all)
}

// concerns reports whether the resource can't share an object with others.
func (o EndObject) concerns(object client.Object) bool {
	ofShortcut := owner.Managed(object) && !owner.IsEndObject(object) && owner.TokenOf(object) != ""
	return ofShortcut || o.End.Owner.Resource.Manages(object)
}

// checkStill fails if someone else has taken the object over or deleted it meanwhile.
func (o EndObject) checkStill(ctx context.Context) error {
	objects, err := o.End.Find(ctx)
	if err != nil {
		return err
	}
	if object := end.ObjectOf(objects, o.End.Owner.Resource); object != nil && o.End.Owner.Marked(object) {
		return nil
	}
	return &trouble.Problem{
		ID: "network-changed-meanwhile", Leaf: o.End.Leaf.Name,
		Summary: fmt.Sprintf("another user has changed the network with cluster %q", o.End.Remote.ID),
		Evidence: []string{fmt.Sprintf("The object of this %s was there, and it is gone or belongs to another owner since. "+
			"Perhaps two applies of two configurations ran at the same time.", o.End.Owner.Resource)},
	}
}

// checkNoPeering fails if a removal would take the network from this peering, which may be nil.
func (o EndObject) checkNoPeering(ctx context.Context, peering *end.Peering) error {
	objects, err := o.End.Find(ctx)
	object := end.ObjectOf(objects, o.End.Owner.Resource)
	if err != nil || peering == nil || object == nil || !o.End.Owner.MayRemove(object) {
		return err
	}
	return &trouble.Problem{
		ID: "peering-uses-network", Leaf: o.End.Leaf.Name,
		Summary: "a peering uses the network",
		Advice: fmt.Sprintf("This leaf needs %s for %s. Nothing was removed. End the peering first with `liqoctl unpeer`, "+
			"or keep the object with a `removed` block: a resource for one end has no `destroy_peering_network`. %s",
			o.End.Leaf.Describe(object), peering, end.UnpeerTakesNetwork),
	}
}
