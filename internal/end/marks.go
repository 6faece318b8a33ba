package end

import (
	"context"
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// This file writes the marks of ownership to the objects of one end.

// Markable returns the objects of the network on this leaf, and its tenant namespace unless Kubernetes is deleting
// it: the namespace may be gone before a mark is written.
func (e *End) Markable(ctx context.Context) ([]client.Object, error) {
	found, err := e.Find(ctx)
	if err != nil {
		return nil, err
	}
	all := found.Made()
	namespace, err := e.TenantNamespace(ctx)
	if namespace != nil && !Leaving(namespace) {
		all = append(all, namespace)
	}
	return all, err
}

// Take makes an object the owner's. With remember, the object keeps a record of its earlier marks
// until the shortcut is complete, so that a failed adoption can restore them. If an earlier adoption
// took the object and did not complete, the record of that adoption stays. Adopted reports whether it
// completed.
func (e *End) Take(ctx context.Context, object client.Object, remember, adopted bool) error {
	return e.Leaf.Edit(ctx, object, func(object client.Object) {
		before, known := previousOf(object)
		if !known || adopted {
			before = previous{
				ManagedBy: object.GetLabels()[ManagedByLabel], Owner: TokenOf(object),
				Origin: object.GetAnnotations()[originAnnotation], Resource: resourceOf(object),
			}
		}
		if remember {
			setAnnotation(object, previousAnnotation, before.encode())
		}
		e.Owner.Mark(object)
	})
}

// GiveBack restores the marks that the owner's objects on this leaf had before the adoption. An
// object that the adoption has created belongs to the same network, so it loses its marks, too.
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
		before, _ := previousOf(object)
		record := object.GetAnnotations()[completeAnnotation]
		unmark(object)
		if before.ManagedBy != "" {
			setLabel(object, ManagedByLabel, before.ManagedBy)
		}
		if before.Owner == "" {
			return
		}
		setAnnotation(object, ownerAnnotation, before.Owner)
		before.Resource.mark(object)
		if before.Origin != "" {
			setAnnotation(object, originAnnotation, before.Origin)
		}
		if recordedToken(record) == before.Owner {
			setAnnotation(object, completeAnnotation, record)
		}
	})
}

// disown removes the owner of an object. A later shortcut of the pair takes it over.
func (e *End) disown(ctx context.Context, object client.Object) error {
	return e.Leaf.Edit(ctx, object, func(object client.Object) {
		unmark(object)
		setLabel(object, ManagedByLabel, ManagedBy)
	})
}

// RecordComplete records that the shortcut is complete, and whether its tunnel was seen up. From then
// on, the shortcut is the owner's until the owner gives it up.
//
// The record is on the gateway. Liqo's controllers write their firewall rules anew when a Configuration
// changes, and flows that begin meanwhile would stay without translation. An adopted Configuration has the
// record itself, because it must not be given back if both gateways get lost.
func (e *End) RecordComplete(ctx context.Context, connected bool) error {
	found, err := e.Find(ctx)
	if err != nil {
		return err
	}
	if found.CompleteBy(e.Owner.Token) && (found.wasConnected() || !connected) {
		return nil
	}
	holder := found.recordHolder()
	if holder == nil {
		return nil
	}
	return e.Leaf.Edit(ctx, holder, func(object client.Object) {
		record := e.Owner.Token + " " + time.Now().UTC().Format(time.RFC3339)
		if connected {
			record += " " + wasConnected
		}
		setAnnotation(object, completeAnnotation, record)
	})
}

// recordHolder returns the object that gets the record of a complete shortcut, or nil if there is none.
func (o Objects) recordHolder() client.Object {
	if o.Configuration == nil {
		return o.Gateway()
	}
	if _, adopted := previousOf(o.Configuration); adopted || o.Gateway() == nil {
		return o.Configuration
	}
	return o.Gateway()
}

// KeepRecord copies the record of a complete shortcut from the gateway to the Configuration. It is for a
// gateway that is about to be replaced. Without the record, another resource could take the shortcut over
// if the replacement is interrupted. A Configuration that moves to this namespace takes the record along
// itself.
func (e *End) KeepRecord(ctx context.Context, namespace string) error {
	found, err := e.Find(ctx)
	if err != nil || found.Configuration == nil || found.Configuration.Namespace != namespace {
		return err
	}
	record := found.record(e.Owner)
	if record == "" || record == recordOf(found.Configuration) {
		return nil
	}
	return e.Leaf.Edit(ctx, found.Configuration, func(object client.Object) {
		setAnnotation(object, completeAnnotation, record)
	})
}

// record returns the record of a complete shortcut of this owner at this end, or an empty string.
func (o Objects) record(owner Owner) string {
	for _, object := range o.Made() {
		if record := recordOf(object); record != "" && TokenOf(object) == owner.Token {
			return record
		}
	}
	return ""
}

// CompleteBy reports whether an object at this end records that the shortcut of the owner with this token
// was complete.
func (o Objects) CompleteBy(token string) bool {
	return slices.ContainsFunc(append(o.Made(), o.Extra...), func(object client.Object) bool {
		return recordOf(object) != "" && TokenOf(object) == token
	})
}

// recordOf returns the record of a complete shortcut that an object has, or an empty string. The record of
// an earlier owner of the object does not count.
func recordOf(object client.Object) string {
	record := object.GetAnnotations()[completeAnnotation]
	if recordedToken(record) != TokenOf(object) {
		return ""
	}
	return record
}

// recordedToken returns the token of the owner in a record.
func recordedToken(record string) string {
	token, _, _ := strings.Cut(record, " ")
	return token
}

// wasConnected reports whether the gateway of this leaf has ever reported the tunnel as up.
func (o Objects) wasConnected() bool {
	return slices.ContainsFunc(o.Made(), func(object client.Object) bool {
		return strings.HasSuffix(object.GetAnnotations()[completeAnnotation], " "+wasConnected)
	})
}
