// Package owner says whose an object of a network is. It writes and reads the marks of ownership on objects that the
// caller has: it has no client. Its functions change an object in memory only.
package owner

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"slices"
	"strings"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// ManagedByLabel and ManagedBy mark the objects that this provider has created, or claimed after an import. An
// annotation says which resource instance owns the object.
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
	// was imported and is not marked yet. An imported shortcut also claims the objects of resources for one end.
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

// Disown removes the owner of an object. A later owner takes it over.
func Disown(object client.Object) {
	for _, key := range []string{ownerAnnotation, originAnnotation, completeAnnotation, resourceAnnotation} {
		cluster.RemoveAnnotation(object, key)
	}
	cluster.SetLabel(object, ManagedByLabel, ManagedBy)
}

// Managed reports whether an object is marked as this provider's, for any owner.
func Managed(object client.Object) bool { return object.GetLabels()[ManagedByLabel] == ManagedBy }

// AllManaged reports whether all of these objects are marked as this provider's, for any owners.
func AllManaged(all []client.Object) bool {
	return !slices.ContainsFunc(all, func(object client.Object) bool { return !Managed(object) })
}

// TokenOf returns the token of an object's owner, or an empty string.
func TokenOf(object client.Object) string { return object.GetAnnotations()[ownerAnnotation] }

// Resource is the type of a Terraform resource that owns one object at one end of a network.
type Resource string

// The values of [Resource].
const (
	ConfigurationResource Resource = "liqo_configuration"
	GatewayServerResource Resource = "liqo_gateway_server"
	GatewayClientResource Resource = "liqo_gateway_client"
	PublicKeyResource     Resource = "liqo_public_key"
)

// resourceAnnotation is on the objects of such resources. It is the [Resource] that owns the object.
const resourceAnnotation = ManagedBy + "/resource"

// mark records the type of an object's owner. A shortcut has none.
func (r Resource) mark(object client.Object) {
	if r == "" {
		cluster.RemoveAnnotation(object, resourceAnnotation)
	} else {
		cluster.SetAnnotation(object, resourceAnnotation, string(r))
	}
}

// ResourceOf returns the type of the resource that owns an object. It is empty for a shortcut.
func ResourceOf(object client.Object) Resource {
	return Resource(object.GetAnnotations()[resourceAnnotation])
}

// String returns the name of the type.
func (r Resource) String() string { return cmp.Or(string(r), "liqo_shortcut") }

// IsEndObject reports whether a resource for one end owns an object.
func IsEndObject(object client.Object) bool {
	return Managed(object) && TokenOf(object) != "" && ResourceOf(object) != ""
}

// Manages reports whether a resource of this type owns objects of this kind. A leaf has one gateway for another
// cluster, so both types of gateways count as one kind. A gateway comes with the rules of what may cross.
func (r Resource) Manages(object client.Object) bool {
	switch object.(type) {
	case *networkingv1beta1.Configuration:
		return r == ConfigurationResource
	case *networkingv1beta1.GatewayServer, *networkingv1beta1.GatewayClient, *networkingv1beta1.FirewallConfiguration:
		return r == GatewayServerResource || r == GatewayClientResource
	case *networkingv1beta1.PublicKey:
		return r == PublicKeyResource
	default:
		return false
	}
}

// originAnnotation is on Configurations, and on the objects of resources for one end. It is the JSON of [Origin].
const originAnnotation = ManagedBy + "/origin"

// Origin says where a shortcut was created. It helps users to find its Terraform state.
type Origin struct {
	CreatedBy string    `json:"createdBy,omitempty"` // user@host
	CreatedAt time.Time `json:"createdAt,omitzero"`
	Directory string    `json:"directory,omitempty"` // name of the directory in which Terraform ran
	Workspace string    `json:"workspace,omitempty"` // of Terraform
}

// String completes "made by …".
func (o Origin) String() string {
	if o == (Origin{}) {
		return "another resource of this provider"
	}
	var parts []string
	if o.CreatedBy != "" {
		parts = append(parts, trouble.Shown(o.CreatedBy))
	}
	if o.Directory != "" {
		parts = append(parts, "in directory "+trouble.Shown(o.Directory))
	}
	if o.Workspace != "" {
		parts = append(parts, "workspace "+trouble.Shown(o.Workspace))
	}
	if !o.CreatedAt.IsZero() {
		parts = append(parts, "at "+o.CreatedAt.UTC().Format(time.RFC3339))
	}
	return strings.Join(parts, ", ")
}

// MayShareState reports whether two shortcuts may be in one Terraform state. Directories of the same name do not prove
// it, but directories of different names disprove it.
func (o Origin) MayShareState(other Origin) bool {
	return o.Directory == other.Directory && o.Workspace == other.Workspace
}

// encode returns the origin as JSON, or an empty string for the zero value.
func (o Origin) encode() string {
	if o == (Origin{}) {
		return ""
	}
	text, err := json.Marshal(o)
	if err != nil {
		return "" // strings and a time can't fail
	}
	return string(text)
}

// OriginOf returns the origin that an object records. It returns the zero value if the object records none, or none
// that can be read.
func OriginOf(object client.Object) Origin {
	var origin Origin
	if err := json.Unmarshal([]byte(object.GetAnnotations()[originAnnotation]), &origin); err != nil {
		return Origin{}
	}
	return origin
}

// OriginFor returns the origin of the owner with this token, as the Configurations of its network record it.
func OriginFor(network []client.Object, token string) Origin {
	for _, object := range network {
		if ConfigurationResource.Manages(object) && TokenOf(object) == token {
			return OriginOf(object)
		}
	}
	return Origin{}
}

// KeepOrigin keeps the origin of the owner's existing object when it is written again.
func (o Owner) KeepOrigin(object, existing client.Object) {
	origin, known := existing.GetAnnotations()[originAnnotation]
	if known && o.Marked(existing) && (o.Resource != "" || ConfigurationResource.Manages(object)) {
		cluster.SetAnnotation(object, originAnnotation, origin)
	}
}
