package owner

import (
	"encoding/json"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// Whoever creates something holds a Lease meanwhile, and writes its token on it. A create that is killed leaves the
// Lease. So the Lease shows that no Terraform state has what the create has made. Without it, an object with a token
// belongs to a state, whatever else is missing on the leaves.

// unfinishedAnnotation is on a Lease. It is the JSON of [Unfinished].
const unfinishedAnnotation = ManagedBy + "/unfinished"

// Unfinished are creates that have begun and of whose end nothing is known, keyed by the token of the owner.
type Unfinished map[string]Create

// Create is a create that has begun.
type Create struct {
	Origin Origin `json:"origin"`
	// Interrupted means that Terraform was interrupted and has ended the create. Then the state may have what was made:
	// only a second interruption keeps Terraform from writing the state.
	Interrupted bool `json:"interrupted,omitempty"`
}

// UnfinishedOn returns the creates that a Lease lists. A list that can't be read is empty.
func UnfinishedOn(lease client.Object) Unfinished {
	var all Unfinished
	if err := json.Unmarshal([]byte(lease.GetAnnotations()[unfinishedAnnotation]), &all); err != nil || all == nil {
		return Unfinished{}
	}
	return all
}

// Mark writes the list on a Lease.
func (u Unfinished) Mark(lease client.Object) {
	text, err := json.Marshal(u)
	if len(u) == 0 || err != nil { // strings and times can't fail
		cluster.RemoveAnnotation(lease, unfinishedAnnotation)
		return
	}
	cluster.SetAnnotation(lease, unfinishedAnnotation, string(text))
}

// AbandonedTo reports whether the objects with a token have no owner, as far as the owner that asks is concerned: the
// create was killed, or it was interrupted in a directory that may be the one of the owner that asks.
func (u Unfinished) AbandonedTo(asks Owner, token string) bool {
	create, unfinished := u[token]
	return unfinished && (!create.Interrupted || asks.Origin.MayShareState(create.Origin))
}

// completeAnnotation is on a gateway or an object of one end once what its owner created was complete. It is the JSON
// of [Completion].
const completeAnnotation = ManagedBy + "/complete"

// Completion is the record that what an owner created was complete. It counts more than the Lease, which may be one
// that could not be released.
type Completion struct {
	Owner     string `json:"owner"`               // token
	Connected bool   `json:"connected,omitempty"` // both ends have reported the tunnel as up
}

// CompletionOf returns the record that an object has. It is the zero value if the object has none, or none that can be
// read.
func CompletionOf(object client.Object) Completion {
	var completed Completion
	if err := json.Unmarshal([]byte(object.GetAnnotations()[completeAnnotation]), &completed); err != nil {
		return Completion{}
	}
	return completed
}

// IsComplete reports whether one of these objects records that what the owner with this token created was complete. The
// record of an earlier owner of the object does not count.
func IsComplete(objects []client.Object, token string) bool {
	return slices.ContainsFunc(objects, func(object client.Object) bool {
		return token != "" && TokenOf(object) == token && CompletionOf(object).Owner == token
	})
}

// Mark writes the record on an object.
func (c Completion) Mark(object client.Object) {
	if text, err := json.Marshal(c); err == nil { // strings can't fail
		cluster.SetAnnotation(object, completeAnnotation, string(text))
	}
}
