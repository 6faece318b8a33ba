package shortcut

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// previous is how an object was marked before it was adopted.
type previous struct {
	ManagedBy string `json:"managedBy"` // value of the label; empty for none
	Owner     string `json:"owner"`     // token; empty for none
}

func (p previous) whose() whose {
	switch {
	case p.ManagedBy != ManagedBy:
		return peoples
	case p.Owner == "":
		return nobodys
	default:
		return another
	}
}

// previousOf is how an object was marked before; false for one that was not adopted.
func previousOf(object client.Object) (previous, bool) {
	var before previous
	text, adopted := object.GetAnnotations()[previousAnnotation]
	if err := json.Unmarshal([]byte(text), &before); adopted && err != nil {
		return previous{}, true // somebody has edited it: then it is people's
	}
	return before, adopted
}

// take makes the owner's what there is of the pair's network on this leaf and is not yet: what nobody owns and, where it is adopted or claimed, what somebody else
// does. How that was marked before is kept on it until the shortcut is complete, so that an adoption that fails can give it back. Keys that are left to others stay
// theirs if they have brought them.
func (s *side) take(ctx context.Context, pair *Shortcut, spec Spec) error {
	found, err := pair.look(ctx)
	if err != nil {
		return err
	}
	here, err := s.find(ctx)
	if err != nil {
		return err
	}
	all := here.made()
	if spec.Adopt || s.owner.Claims { // else the namespace is taken where it is needed
		if all, err = s.markable(ctx); err != nil {
			return err
		}
	}
	self := Owner{Token: s.owner.Token} // without its claims
	for _, object := range slices.DeleteFunc(all, s.owner.marked) {
		relation := found.whose(self, object)
		if spec.KeysByOthers && isPublicKey(object) && relation != nobodys {
			continue
		}
		if err := s.leaf.Mark(ctx, object, func(object client.Object) {
			before, adopted := previousOf(object)
			if !adopted || found.complete(tokenOf(object)) {
				before = previous{ManagedBy: object.GetLabels()[ManagedByLabel], Owner: tokenOf(object)}
			}
			if relation != nobodys {
				setAnnotation(object, previousAnnotation, before.encode())
			}
			s.owner.mark(object)
		}); err != nil {
			return err
		}
	}
	return nil
}

// markable are the objects of the network on this leaf, and its tenant namespace.
func (s *side) markable(ctx context.Context) ([]client.Object, error) {
	found, err := s.find(ctx)
	if err != nil {
		return nil, err
	}
	all := found.made()
	namespace, err := s.tenantNamespace(ctx)
	if namespace != nil {
		all = append(all, namespace)
	}
	return all, err
}

// marked reports whether an object carries the owner's mark, whatever the owner claims.
func (o Owner) marked(object client.Object) bool {
	return managed(object) && tokenOf(object) == o.Token
}

func (p previous) encode() string {
	text, err := json.Marshal(p)
	if err != nil {
		return "{}" // two texts can't fail
	}
	return string(text)
}

// adopting reports whether the owner has taken a network over and never had all of it: then nothing of it may be removed.
func (s *Shortcut) adopting(ctx context.Context) (bool, error) {
	found, err := s.look(ctx)
	if err != nil || found.complete(s.client.owner.Token) {
		return false, err
	}
	return slices.ContainsFunc(append(found.client.made(), found.server.made()...), func(object client.Object) bool {
		_, adopted := previousOf(object)
		return adopted && s.client.owner.marked(object)
	}), nil
}

// giveBack marks the owner's objects on this leaf as they were marked before they were adopted. What an adoption has made anew belongs to the same network, and
// is given away with it.
func (s *side) giveBack(ctx context.Context) error {
	all, err := s.markable(ctx)
	if err != nil {
		return err
	}
	for _, object := range all {
		if !s.owner.marked(object) {
			continue
		}
		if err := s.restore(ctx, object); err != nil {
			return err
		}
	}
	return nil
}

// restore marks an object as it was marked before it was adopted.
func (s *side) restore(ctx context.Context, object client.Object) error {
	return s.leaf.Mark(ctx, object, func(object client.Object) {
		before, _ := previousOf(object)
		unmark(object)
		if before.ManagedBy != "" {
			setLabel(object, ManagedByLabel, before.ManagedBy)
		}
		if before.Owner != "" {
			setAnnotation(object, ownerAnnotation, before.Owner)
		}
	})
}

// disown makes an object nobody's: a later shortcut of the pair takes it over.
func (s *side) disown(ctx context.Context, object client.Object) error {
	return s.leaf.Mark(ctx, object, func(object client.Object) {
		unmark(object)
		setLabel(object, ManagedByLabel, ManagedBy)
	})
}

// unmark takes every mark of this package's off an object, except for the digest of a key, which says nothing of owners.
func unmark(object client.Object) {
	labels, annotations := object.GetLabels(), object.GetAnnotations()
	delete(labels, ManagedByLabel)
	for _, key := range []string{ownerAnnotation, originAnnotation, completeAnnotation, previousAnnotation} {
		delete(annotations, key)
	}
	object.SetLabels(labels)
	object.SetAnnotations(annotations)
}

// complete records that the owner has all of the shortcut now, and whether its tunnel was seen up. From here on, it is the owner's until that one gives it up.
func (s *side) complete(connected bool) func(context.Context) error {
	return func(ctx context.Context) error {
		found, err := s.find(ctx)
		if err != nil || found.configuration == nil {
			return err
		}
		if known := completeBy(found.configuration) == s.owner.Token; known && (found.wasConnected() || !connected) {
			return nil
		}
		return s.leaf.Mark(ctx, found.configuration, func(object client.Object) {
			record := s.owner.Token + " " + time.Now().UTC().Format(time.RFC3339)
			if connected {
				record += " " + wasConnected
			}
			setAnnotation(object, completeAnnotation, record)
		})
	}
}
