package end

import (
	"context"
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// What is in this file writes the marks of ownership to the objects of one end.

// Markable are the objects of the network on this leaf, and its tenant namespace.
func (e *End) Markable(ctx context.Context) ([]client.Object, error) {
	found, err := e.Find(ctx)
	if err != nil {
		return nil, err
	}
	all := found.Made()
	namespace, err := e.TenantNamespace(ctx)
	if namespace != nil {
		all = append(all, namespace)
	}
	return all, err
}

// Take makes an object the owner's. With remember, how it was marked before is kept on it until the shortcut is
// complete, so that an adoption that fails can give it back. One that was adopted before stays marked as it was before
// that, unless the adoption has come to a good end, which adopted reports.
func (e *End) Take(ctx context.Context, object client.Object, remember, adopted bool) error {
	return e.Leaf.Mark(ctx, object, func(object client.Object) {
		before, known := previousOf(object)
		if !known || adopted {
			before = previous{ManagedBy: object.GetLabels()[ManagedByLabel], Owner: TokenOf(object)}
		}
		if remember {
			setAnnotation(object, previousAnnotation, before.encode())
		}
		e.Owner.Mark(object)
	})
}

// GiveBack marks the owner's objects on this leaf as they were marked before they were adopted. What an adoption has
// made anew belongs to the same network, and is given away with it.
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

// restore marks an object as it was marked before it was adopted.
func (e *End) restore(ctx context.Context, object client.Object) error {
	return e.Leaf.Mark(ctx, object, func(object client.Object) {
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
func (e *End) disown(ctx context.Context, object client.Object) error {
	return e.Leaf.Mark(ctx, object, func(object client.Object) {
		unmark(object)
		setLabel(object, ManagedByLabel, ManagedBy)
	})
}

// RecordComplete records that the owner has all of the shortcut now, and whether its tunnel was seen up. From here on,
// it is the owner's until that one gives it up.
func (e *End) RecordComplete(ctx context.Context, connected bool) error {
	found, err := e.Find(ctx)
	if err != nil || found.Configuration == nil {
		return err
	}
	if known := completeBy(found.Configuration) == e.Owner.Token; known && (found.wasConnected() || !connected) {
		return nil
	}
	return e.Leaf.Mark(ctx, found.Configuration, func(object client.Object) {
		record := e.Owner.Token + " " + time.Now().UTC().Format(time.RFC3339)
		if connected {
			record += " " + wasConnected
		}
		setAnnotation(object, completeAnnotation, record)
	})
}

// CompleteBy reports whether a Configuration here says that the owner with this token has once had the whole shortcut.
func (o Objects) CompleteBy(token string) bool {
	return slices.ContainsFunc(append(o.Made(), o.Extra...), func(object client.Object) bool {
		return isConfiguration(object) && completeBy(object) == token
	})
}

// completeBy is the token of the owner who has once had all of the shortcut that this Configuration is part of; empty
// for none.
func completeBy(configuration client.Object) string {
	token, _, _ := strings.Cut(configuration.GetAnnotations()[completeAnnotation], " ")
	if token != TokenOf(configuration) {
		return "" // it has another owner by now
	}
	return token
}
