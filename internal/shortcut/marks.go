package shortcut

import (
	"context"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// What is in this file writes the marks of ownership to the objects of one end.

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

// take makes an object the owner's. With remember, how it was marked before is kept on it until the shortcut is complete, so that an adoption that fails can give it back.
// One that was adopted before stays marked as it was before that, unless the adoption has come to a good end, which adopted reports.
func (s *side) take(ctx context.Context, object client.Object, remember, adopted bool) error {
	return s.leaf.Mark(ctx, object, func(object client.Object) {
		before, known := previousOf(object)
		if !known || adopted {
			before = previous{ManagedBy: object.GetLabels()[ManagedByLabel], Owner: tokenOf(object)}
		}
		if remember {
			setAnnotation(object, previousAnnotation, before.encode())
		}
		s.owner.mark(object)
	})
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

// complete records that the owner has all of the shortcut now, and whether its tunnel was seen up. From here on, it is the owner's until that one gives it up.
func (s *side) complete(ctx context.Context, connected bool) error {
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
