package shortcut

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

// CheckFree fails if someone else has the object that the half manages, or if a shortcut owns the network. A
// liqo_public_key can give a key to a shortcut that does not share keys itself. CheckFree reads the cache, and live
// whether a create was killed.
func (h Half) CheckFree(ctx context.Context) error {
	found, err := h.On.Find(ctx)
	if err != nil {
		return err
	}
	var unfinished owner.Unfinished
	if object := end.ObjectOf(found, h.On.Owner.Resource); object != nil && h.On.Owner.Whose(object) == owner.OtherOwner {
		if unfinished, err = readUnfinished(ctx, h.On, objectLeaseName(h.On)); err != nil {
			return err
		}
	}
	return h.checkFree(ctx, found, unfinished)
}

// checkTurn returns a step that does so with the turn, before anything is written. A create does not trust the cache.
func (h Half) checkTurn(own *turn) func(context.Context) error {
	return func(ctx context.Context) error {
		if h.Create {
			if err := liqo.CatchUp(ctx, h.On.Leaf, h.On.Remote.ID); err != nil {
				return err
			}
		}
		found, err := h.On.Find(ctx)
		if err != nil {
			return err
		}
		if err := h.checkFree(ctx, found, own.unfinished); err != nil {
			return err
		}
		own.wrote.Store(true)
		return nil
	}
}

// checkFree does so for objects that were read with what the lease of the object says.
func (h Half) checkFree(ctx context.Context, found liqo.Objects, unfinished owner.Unfinished) error {
	resource, all := h.On.Owner.Resource, found.Written()
	concerns := func(object client.Object) bool {
		ofShortcut := owner.Managed(object) && !owner.IsEndObject(object) && owner.TokenOf(object) != ""
		return resource.Manages(object) || ofShortcut && resource != owner.PublicKeyResource
	}
	return contested{network: all, unfinished: unfinished, concerns: concerns}.checkAt(ctx, h.On, all)
}

// checkStill fails if someone else has taken the object over or deleted it meanwhile.
func (h Half) checkStill(ctx context.Context) error {
	found, err := h.On.Find(ctx)
	if err != nil {
		return err
	}
	if object := end.ObjectOf(found, h.On.Owner.Resource); object != nil && h.On.Owner.Marked(object) {
		return nil
	}
	return &explain.Problem{
		Leaf:    h.On.Leaf.Name,
		Summary: fmt.Sprintf("someone else has changed the network with cluster %q", h.On.Remote.ID),
		Detail: fmt.Sprintf("The object of this %s was there, and it is gone or belongs to someone else since. Perhaps two "+
			"applies of two configurations ran at the same time.", h.On.Owner.Resource),
	}
}

// checkNoPeering fails if a removal would take the network from a peering. The text names the peering; it is
// empty if there is none.
func (h Half) checkNoPeering(ctx context.Context, peering string) error {
	found, err := h.On.Find(ctx)
	object := end.ObjectOf(found, h.On.Owner.Resource)
	if err != nil || peering == "" || object == nil || !h.On.Owner.MayRemove(object) {
		return err
	}
	return &explain.Problem{
		Leaf:    h.On.Leaf.Name,
		Summary: "a peering uses the network",
		Detail: fmt.Sprintf("This leaf needs %s for %s. Nothing was removed. End the peering first with `liqoctl unpeer`, "+
			"or keep the object with a `removed` block.", h.On.Leaf.Describe(object), peering),
	}
}
