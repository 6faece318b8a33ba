package shortcut

import (
	"context"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// take makes the owner's what there is of the network at one end and is not yet: what nobody owns and, where it is adopted or claimed, what somebody else does. What
// somebody else owns can be given back. Keys that are left to others stay theirs if they have brought them.
func (s *Shortcut) take(ctx context.Context, on *side, spec Spec) error {
	found, err := s.look(ctx)
	if err != nil {
		return err
	}
	here, err := on.find(ctx)
	if err != nil {
		return err
	}
	all := here.made()
	if spec.Adopt || on.owner.Claims { // else the namespace is taken where it is needed
		if all, err = on.markable(ctx); err != nil {
			return err
		}
	}
	self := Owner{Token: on.owner.Token} // without its claims
	for _, object := range slices.DeleteFunc(all, on.owner.marked) {
		relation := found.whose(self, object)
		if spec.KeysByOthers && isPublicKey(object) && relation != nobodys {
			continue
		}
		if err := on.take(ctx, object, relation != nobodys, found.complete(tokenOf(object))); err != nil {
			return err
		}
	}
	return nil
}

// adopting reports whether the owner has taken a network over and never had all of it: then nothing of it may be removed.
func (s *Shortcut) adopting(ctx context.Context) (bool, error) {
	found, err := s.look(ctx)
	if err != nil || found.complete(s.client.owner.Token) {
		return false, err
	}
	return slices.ContainsFunc(found.made(), func(object client.Object) bool {
		_, adopted := previousOf(object)
		return adopted && s.client.owner.marked(object)
	}), nil
}
