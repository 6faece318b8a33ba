package shortcut

import (
	"context"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
)

// take makes the owner's what there is of the network at one end and is not yet: what nobody owns and, where it is
// adopted or claimed, what somebody else does. What somebody else owns can be given back. Keys that are left to others
// stay theirs if they have brought them.
func (s *Shortcut) take(ctx context.Context, on *end.End, spec Spec) error {
	found, err := s.look(ctx)
	if err != nil {
		return err
	}
	here, err := on.Find(ctx)
	if err != nil {
		return err
	}
	all := here.Made()
	if spec.Adopt || on.Owner.Claims { // else the namespace is taken where it is needed
		if all, err = on.Markable(ctx); err != nil {
			return err
		}
	}
	self := end.Owner{Token: on.Owner.Token} // without its claims
	for _, object := range slices.DeleteFunc(all, on.Owner.Marked) {
		whose := found.whose(self, object)
		if spec.KeysByOthers && end.IsPublicKey(object) && whose != end.Nobodys {
			continue
		}
		if err := on.Take(ctx, object, whose != end.Nobodys, found.complete(end.TokenOf(object))); err != nil {
			return err
		}
	}
	return nil
}

// adopting reports whether the owner has taken a network over and never had all of it: then nothing of it may be
// removed.
func (s *Shortcut) adopting(ctx context.Context) (bool, error) {
	found, err := s.look(ctx)
	if err != nil || found.complete(s.Client.Owner.Token) {
		return false, err
	}
	return slices.ContainsFunc(found.made(), func(object client.Object) bool {
		_, adopted := end.PreviouslyOf(object)
		return adopted && s.Client.Owner.Marked(object)
	}), nil
}
