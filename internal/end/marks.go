package end

import (
	"context"
	"encoding/json"
	"slices"
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
// until the shortcut is complete, so that a failed adoption can restore them. If a create that was killed has taken the
// object, which unfinished says, the record of that adoption stays.
func (e *End) Take(ctx context.Context, object client.Object, remember, unfinished bool) error {
	return e.Leaf.Edit(ctx, object, func(object client.Object) {
		before, known := previousOf(object)
		if !known || !unfinished {
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
		record := recordOn(object)
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
		if record.Owner == before.Owner {
			record.mark(object)
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

// record says that a shortcut was complete.
type record struct {
	Owner     string    `json:"owner"`               // token
	At        time.Time `json:"at"`                  // when it was complete
	Connected bool      `json:"connected,omitempty"` // both ends have reported the tunnel as up
}

// recordOn returns the record that an object has. It is the zero value if the object has none, or none that can be
// read.
func recordOn(object client.Object) record {
	var found record
	if err := json.Unmarshal([]byte(object.GetAnnotations()[completeAnnotation]), &found); err != nil {
		return record{}
	}
	return found
}

func (r record) mark(object client.Object) {
	if text, err := json.Marshal(r); err == nil { // strings and a time can't fail
		setAnnotation(object, completeAnnotation, string(text))
	}
}

// RecordComplete records that the shortcut is complete, and whether its tunnel was seen up.
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
	return e.Leaf.Edit(ctx, holder, record{e.Owner.Token, time.Now().UTC().Truncate(time.Second), connected}.mark)
}

// RecordHalf records that the object of a resource for one end is complete.
func (e *End) RecordHalf(ctx context.Context) error {
	found, err := e.Find(ctx)
	object := found.Of(e.Owner.Resource)
	if err != nil || object == nil || !e.Owner.Marked(object) {
		return err
	}
	return e.Leaf.Edit(ctx, object, record{Owner: e.Owner.Token, At: time.Now().UTC().Truncate(time.Second)}.mark)
}

// recordHolder returns the object that gets the record of a complete shortcut, or nil if there is none.
func (o Objects) recordHolder() client.Object {
	if o.Configuration == nil {
		return o.Gateway()
	}
	if _, adopted := previousOf(o.Configuration); adopted {
		return o.Configuration
	}
	return o.Gateway()
}

// CompleteBy reports whether an object at this end records that the shortcut of the owner with this token
// was complete. The record of an earlier owner of the object does not count.
func (o Objects) CompleteBy(token string) bool {
	return slices.ContainsFunc(append(o.Made(), o.Extra...), func(object client.Object) bool {
		return token != "" && TokenOf(object) == token && recordOn(object).Owner == token
	})
}

// wasConnected reports whether the gateway of this leaf has ever reported the tunnel as up.
func (o Objects) wasConnected() bool {
	return slices.ContainsFunc(o.Made(), func(object client.Object) bool { return recordOn(object).Connected })
}
