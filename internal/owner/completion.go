package owner

import (
	"encoding/json"
	"slices"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// completeAnnotation is on a gateway, an adopted Configuration or an object of one end once what its owner created was
// complete. It is the JSON of [Completion].
const completeAnnotation = ManagedBy + "/complete"

// Completion is the record that what an owner created was complete.
type Completion struct {
	Owner     string    `json:"owner"`               // token
	At        time.Time `json:"at"`                  // when it was complete
	Connected bool      `json:"connected,omitempty"` // both ends have reported the tunnel as up
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

// Completed returns the record that what the owner created is complete. Connected is as in [Completion].
func (o Owner) Completed(at time.Time, connected bool) Completion {
	return Completion{Owner: o.Token, At: at.UTC().Truncate(time.Second), Connected: connected}
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
	if text, err := json.Marshal(c); err == nil { // strings and a time can't fail
		cluster.SetAnnotation(object, completeAnnotation, string(text))
	}
}
