package shortcut

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
)

// eitherOr says what can own the network of a pair.
const eitherOr = "A pair of leaves has either one liqo_shortcut or, on each leaf, its own liqo_configuration, " +
	"liqo_public_key, and liqo_gateway_server or liqo_gateway_client."

// CheckFree fails if someone else has the object that the half manages, or if a shortcut owns the network. A
// liqo_public_key can give a key to a shortcut that does not share keys itself. CheckFree reads the cache, and live
// whether a create was killed.
func (h Half) CheckFree(ctx context.Context) error {
	found, err := h.On.Find(ctx)
	if err != nil {
		return err
	}
	var unfinished end.Unfinished
	if object := found.Of(h.On.Owner.Resource); object != nil && h.On.Owner.Of(object) == end.Another {
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
			if err := h.On.Leaf.CatchUp(ctx, h.On.Remote.ID); err != nil {
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
func (h Half) checkFree(ctx context.Context, found end.Objects, unfinished end.Unfinished) error {
	resource := h.On.Owner.Resource
	for _, object := range append(found.Made(), found.Extra...) {
		managed := resource.Manages(object)
		switch h.On.WhoseHalf(object, unfinished) {
		case end.Another:
			if managed || !end.IsHalf(object) && resource != end.PublicKeyResource {
				return h.rival(found, object)
			}
		case end.Peoples:
			if managed {
				return h.madeByOthers(ctx, object)
			}
		case end.Mine, end.Nobodys:
		}
	}
	return nil
}

// rival returns the problem that another resource instance owns an object.
func (h Half) rival(found end.Objects, object client.Object) *explain.Problem {
	token, origin := end.TokenOf(object), end.OriginOf(object)
	if !end.IsHalf(object) {
		origin = network{client: found}.originOf(token)
	}
	owner := end.ResourceOf(object)
	return &explain.Problem{
		Leaf:    h.On.Leaf.Name,
		Summary: fmt.Sprintf("a %s for cluster %q exists already", owner, h.On.Remote.ID),
		Detail: fmt.Sprintf("It owns %s, made by %s, so %s can't manage it. %s\n\nIf the other resource is in another "+
			"Terraform state, remove it there (`terraform destroy`, or a `removed` block to keep the network), or import "+
			"the object here instead. If it is this resource under its former address, add a `moved` block. If this apply "+
			"replaces it with `create_before_destroy`, remove that setting.",
			h.On.Leaf.Describe(object), origin, h.On.Owner.Resource, eitherOr),
		Err: &rivalError{token: token, origin: origin}, Refused: true,
	}
}

// madeByOthers returns the problem that someone else has made an object.
func (h Half) madeByOthers(ctx context.Context, object client.Object) error {
	maker, remedy := "liqoctl or another program", "remove it first, for instance with `liqoctl network reset`"
	peering, err := h.On.Peering(ctx)
	if err != nil {
		return err
	}
	if peering != "" {
		maker, remedy = peering, "end the peering first with `liqoctl unpeer`"
	}
	return &explain.Problem{
		Leaf: h.On.Leaf.Name, Refused: true,
		Summary: fmt.Sprintf("a network with cluster %q exists already", h.On.Remote.ID),
		Detail: fmt.Sprintf("This provider did not make %s; %s did. Import it as %s, or %s.",
			h.On.Leaf.Describe(object), maker, h.On.Owner.Resource, remedy),
	}
}

// madeByHalf returns the problem that a resource for one end owns an object of the pair.
func madeByHalf(at *end.End, object client.Object) *explain.Problem {
	owner := end.ResourceOf(object)
	return &explain.Problem{
		Leaf: at.Leaf.Name, Refused: true,
		Summary: fmt.Sprintf("a %s for %q exists already", owner, at.Remote.Name),
		Detail: fmt.Sprintf("A %s owns %s, made by %s. %s\n\nRemove the resources of both ends where they are "+
			"(`terraform destroy`, or `removed` blocks to keep the network). To keep the network, then import it here, or "+
			"set `adopt_existing = true`.",
			owner, at.Leaf.Describe(object), end.OriginOf(object), eitherOr),
	}
}

// checkStill fails if someone else has taken the object over or deleted it meanwhile.
func (h Half) checkStill(ctx context.Context) error {
	found, err := h.On.Find(ctx)
	if err != nil {
		return err
	}
	if object := found.Of(h.On.Owner.Resource); object != nil && h.On.Owner.Marked(object) {
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
	object := found.Of(h.On.Owner.Resource)
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
