package owner

import (
	"encoding/json"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// previousAnnotation is on adopted objects. It is their marks before the adoption, the JSON of [previous].
const previousAnnotation = ManagedBy + "/previous"

// previous is the marks of an object before it was adopted.
type previous struct {
	ManagedBy string `json:"managedBy"`        // value of the label; empty for none
	Owner     string `json:"owner"`            // token; empty for none
	Origin    string `json:"origin,omitempty"` // the annotation; empty for none

	Resource Resource `json:"resource,omitempty"` // empty for a shortcut
}

// Previously returns whose an object was before it was adopted, or false if it was not adopted.
func Previously(object client.Object) (Whose, bool) {
	before, adopted := previousOf(object)
	return before.whose(), adopted
}

func (p previous) whose() Whose {
	switch {
	case p.ManagedBy != ManagedBy:
		return Foreign
	case p.Owner == "":
		return Orphan
	default:
		return OtherOwner
	}
}

// previousOf returns the earlier marks of an object, or false if it was not adopted.
func previousOf(object client.Object) (previous, bool) {
	var before previous
	text, adopted := object.GetAnnotations()[previousAnnotation]
	if err := json.Unmarshal([]byte(text), &before); adopted && err != nil {
		return previous{}, true // someone has edited it, so it counts as created by someone else
	}
	return before, adopted
}

func (p previous) encode() string {
	text, err := json.Marshal(p)
	if err != nil {
		return "{}" // two strings can't fail
	}
	return string(text)
}

// Adopt makes an object the owner's, and records its earlier marks on it, so that [GiveBack] can restore them. If an
// earlier adoption took the object and its create was killed, the record of that adoption stays.
func (o Owner) Adopt(object client.Object, killed bool) {
	before, known := previousOf(object)
	if !known || !killed {
		before = previous{
			ManagedBy: object.GetLabels()[ManagedByLabel], Owner: TokenOf(object),
			Origin: object.GetAnnotations()[originAnnotation], Resource: ResourceOf(object),
		}
	}
	cluster.SetAnnotation(object, previousAnnotation, before.encode())
	o.Mark(object)
}

// GiveBack restores the marks that an object had before it was adopted. An object without a record of them loses its
// marks.
func GiveBack(object client.Object) {
	before, _ := previousOf(object)
	completed := CompletionOf(object)
	unmark(object)
	if before.ManagedBy != "" {
		cluster.SetLabel(object, ManagedByLabel, before.ManagedBy)
	}
	if before.Owner == "" {
		return
	}
	cluster.SetAnnotation(object, ownerAnnotation, before.Owner)
	before.Resource.mark(object)
	if before.Origin != "" {
		cluster.SetAnnotation(object, originAnnotation, before.Origin)
	}
	if completed.Owner == before.Owner {
		completed.Mark(object)
	}
}
