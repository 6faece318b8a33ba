package owner

import (
	"crypto/rand"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// ManagedByLabel and ManagedBy mark the objects that this package creates or adopts. An annotation says which resource
// instance owns the object.
const (
	ManagedByLabel = "app.kubernetes.io/managed-by"
	ManagedBy      = "terraform-provider-liqo"
)

// ownerAnnotation is the token of the [Owner], on every object.
const ownerAnnotation = ManagedBy + "/owner"

// Owner is the resource instance that owns a shortcut, or one object at one end.
type Owner struct {
	Token  string // random; empty for no owner
	Origin Origin
	// Resource is the type of a resource that owns one object at one end. It is empty for a shortcut.
	Resource Resource
	// Claims means that all objects that join the pair and have no other owner are the owner's. It is for a network that
	// was imported and not adopted yet.
	Claims bool
}

// NewToken returns a token for a new owner.
func NewToken() string { return strings.ToLower(rand.Text()) }

// Mark makes an object the owner's.
func (o Owner) Mark(object client.Object) {
	cluster.SetLabel(object, ManagedByLabel, ManagedBy)
	if o.Token == "" {
		return
	}
	cluster.SetAnnotation(object, ownerAnnotation, o.Token)
	if o.Resource != "" || ConfigurationResource.Manages(object) {
		cluster.SetAnnotation(object, originAnnotation, o.Origin.encode())
	} else {
		cluster.RemoveAnnotation(object, originAnnotation)
	}
	o.Resource.mark(object)
}

// unmark removes every mark of this package from an object.
func unmark(object client.Object) {
	labels := maps.Clone(object.GetLabels())
	delete(labels, ManagedByLabel)
	object.SetLabels(labels)
	for _, key := range []string{
		ownerAnnotation, originAnnotation, completeAnnotation, previousAnnotation, resourceAnnotation,
	} {
		cluster.RemoveAnnotation(object, key)
	}
}

// Managed reports whether this package created or adopted an object, for any owner.
func Managed(object client.Object) bool { return object.GetLabels()[ManagedByLabel] == ManagedBy }

// AllManaged reports whether this package created or adopted all of these objects, for any owners.
func AllManaged(all []client.Object) bool {
	return !slices.ContainsFunc(all, func(object client.Object) bool { return !Managed(object) })
}

// TokenOf returns the token of an object's owner, or an empty string.
func TokenOf(object client.Object) string { return object.GetAnnotations()[ownerAnnotation] }

// Disown removes the owner of an object. A later owner takes it over.
func Disown(object client.Object) {
	unmark(object)
	cluster.SetLabel(object, ManagedByLabel, ManagedBy)
}
