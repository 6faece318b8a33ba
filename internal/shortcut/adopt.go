package shortcut

import (
	"context"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

// take makes the objects of the network at one end the owner's: objects without an owner and, with adopt or claims,
// also those of someone else. The latter can be given back. Rules that a killed create has left without a gateway go.
func (s *Shortcut) take(ctx context.Context, e *end.End, spec Spec, unfinished owner.Unfinished) error {
	n, err := s.find(ctx)
	if err != nil {
		return err
	}
	n.unfinished = unfinished
	objects, err := e.Find(ctx)
	if err != nil {
		return err
	}
	all := objects.Made()
	if spec.Adopt || e.Owner.Claims { // otherwise, EnsureNamespace takes the namespace
		if all, err = e.Markable(ctx); err != nil {
			return err
		}
	}
	self := owner.Owner{Token: e.Owner.Token, Origin: e.Owner.Origin} // without its claims
	for _, object := range slices.DeleteFunc(all, e.Owner.Marked) {
		if self.WhoseIn(n.written(), object, unfinished) == owner.Orphan {
			err = e.Take(ctx, object)
		} else {
			token := owner.TokenOf(object)
			err = e.Adopt(ctx, object, n.isUnfinished(token) && unfinished.AbandonedTo(self, token))
		}
		if err != nil {
			return err
		}
	}
	return e.RemoveLeftRules(ctx, unfinished)
}

// adopting reports whether the owner has begun to adopt a network and the shortcut was never complete. Then the owner
// must not remove any of it.
func (s *Shortcut) adopting(ctx context.Context) (bool, error) {
	n, err := s.find(ctx)
	if err != nil || n.complete(s.Client.Owner.Token) {
		return false, err
	}
	return slices.ContainsFunc(n.made(), func(object client.Object) bool {
		_, adopted := owner.Previously(object)
		return adopted && s.Client.Owner.Marked(object)
	}), nil
}
