package owner

import (
	"encoding/json"
	"strings"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

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
		parts = append(parts, cluster.Shown(o.CreatedBy))
	}
	if o.Directory != "" {
		parts = append(parts, "in directory "+cluster.Shown(o.Directory))
	}
	if o.Workspace != "" {
		parts = append(parts, "workspace "+cluster.Shown(o.Workspace))
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
