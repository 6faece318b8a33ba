package end

import (
	"crypto/rand"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// ManagedByLabel and ManagedBy mark the objects that this package creates or adopts. An annotation
// says which resource instance owns the object.
const (
	ManagedByLabel = "app.kubernetes.io/managed-by"
	ManagedBy      = "terraform-provider-liqo"
)

const (
	// ownerAnnotation is the token of the [Owner], on every object.
	ownerAnnotation = ManagedBy + "/owner"
	// originAnnotation is the owner's [Origin] as JSON, on Configurations and on objects of a half.
	originAnnotation = ManagedBy + "/origin"
	// completeAnnotation is on a gateway or an adopted Configuration once the shortcut was complete: the [record] as JSON.
	completeAnnotation = ManagedBy + "/complete"
	// previousAnnotation is on adopted objects: their marks before the adoption, as JSON of [previous].
	previousAnnotation = ManagedBy + "/previous"
)

// Owner is the resource instance that owns a shortcut, or one object at one end.
type Owner struct {
	Token  string // random; empty for no owner
	Origin Origin
	// Resource is the type of a resource that owns one object at one end. It is empty for a shortcut.
	Resource Resource
	// Claims means that all objects that join the pair and have no other owner are the owner's. It is
	// for a network that was imported and not adopted yet.
	Claims bool
}

// Origin says where a shortcut was created. It helps users to find its Terraform state.
type Origin struct {
	Who       string    `json:"who,omitempty"`       // user@host
	Folder    string    `json:"folder,omitempty"`    // name of the folder in which Terraform ran
	Workspace string    `json:"workspace,omitempty"` // of Terraform
	At        time.Time `json:"at,omitzero"`         // creation of the shortcut
}

// String completes "made by …".
func (o Origin) String() string {
	if o == (Origin{}) {
		return "another resource of this provider"
	}
	var parts []string
	if o.Who != "" {
		parts = append(parts, cluster.Shown(o.Who))
	}
	if o.Folder != "" {
		parts = append(parts, "in folder "+cluster.Shown(o.Folder))
	}
	if o.Workspace != "" {
		parts = append(parts, "workspace "+cluster.Shown(o.Workspace))
	}
	if !o.At.IsZero() {
		parts = append(parts, "at "+o.At.UTC().Format(time.RFC3339))
	}
	return strings.Join(parts, ", ")
}

// MayShareState reports whether two shortcuts may be in one Terraform state. Folders of the same name
// do not prove it, but folders of different names disprove it.
func (o Origin) MayShareState(other Origin) bool {
	return o.Folder == other.Folder && o.Workspace == other.Workspace
}

// NewToken returns a token for a new owner.
func NewToken() string { return strings.ToLower(rand.Text()) }

// Whose is the relation of an object to an [Owner].
type Whose int

// The values of [Whose].
const (
	// Mine means that the owner owns it.
	Mine Whose = iota
	// Another means that another resource instance owns it, in this state or in another one.
	Another
	// Nobodys means that this provider created it and that no state has it. A killed create left it, or
	// a destroy that keeps the Configurations.
	Nobodys
	// Peoples means that someone else created it, with liqoctl, with a peering or by hand.
	Peoples
)

// Of returns whose an object is by its own marks alone.
func (o Owner) Of(object client.Object) Whose {
	token := TokenOf(object)
	switch {
	case managed(object) && token == o.Token:
		return Mine
	case managed(object) && token != "" && !o.claimsHalf(object):
		return Another
	case o.Claims:
		return Mine
	case managed(object):
		return Nobodys
	default:
		return Peoples
	}
}

// Owns reports whether an object is the owner's.
func (o Owner) Owns(object client.Object) bool { return o.Of(object) == Mine }

// MayRemove reports whether the owner may remove an object. The object must be the owner's or have no
// owner.
func (o Owner) MayRemove(object client.Object) bool {
	w := o.Of(object)
	return w == Mine || w == Nobodys
}

// Mark makes an object the owner's.
func (o Owner) Mark(object client.Object) {
	setLabel(object, ManagedByLabel, ManagedBy)
	if o.Token == "" {
		return
	}
	setAnnotation(object, ownerAnnotation, o.Token)
	if o.Resource != "" || isConfiguration(object) {
		setAnnotation(object, originAnnotation, o.Origin.encode())
	} else {
		removeAnnotation(object, originAnnotation)
	}
	o.Resource.mark(object)
}

// unmark removes every mark of this package from an object, except for the digest of a key, which
// does not concern ownership.
func unmark(object client.Object) {
	labels, annotations := object.GetLabels(), object.GetAnnotations()
	delete(labels, ManagedByLabel)
	for _, key := range []string{
		ownerAnnotation, originAnnotation, completeAnnotation, previousAnnotation, rangesAnnotation, rotationAnnotation,
		resourceAnnotation,
	} {
		delete(annotations, key)
	}
	object.SetLabels(labels)
	object.SetAnnotations(annotations)
}

// Marked reports whether an object has the owner's mark. It ignores the owner's claims.
func (o Owner) Marked(object client.Object) bool {
	return managed(object) && TokenOf(object) == o.Token
}

// managed reports whether this package created or adopted an object, for any owner.
func managed(object client.Object) bool { return object.GetLabels()[ManagedByLabel] == ManagedBy }

// AllManaged reports whether this package created or adopted all of these objects, for any owners.
func AllManaged(all []client.Object) bool {
	return !slices.ContainsFunc(all, func(object client.Object) bool { return !managed(object) })
}

// TokenOf returns the token of an object's owner, or an empty string.
func TokenOf(object client.Object) string { return object.GetAnnotations()[ownerAnnotation] }

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

// OriginOf returns the origin that an object records. It returns the zero value if the object records
// none, or none that can be read.
func OriginOf(object client.Object) Origin {
	var origin Origin
	if err := json.Unmarshal([]byte(object.GetAnnotations()[originAnnotation]), &origin); err != nil {
		return Origin{}
	}
	return origin
}

// previous is the marks of an object before it was adopted.
type previous struct {
	ManagedBy string `json:"managedBy"`        // value of the label; empty for none
	Owner     string `json:"owner"`            // token; empty for none
	Origin    string `json:"origin,omitempty"` // the annotation; empty for none

	Resource Resource `json:"resource,omitempty"` // empty for a shortcut
}

// PreviouslyOf returns whose an object was before it was adopted, or false if it was not adopted.
func PreviouslyOf(object client.Object) (Whose, bool) {
	before, adopted := previousOf(object)
	return before.whose(), adopted
}

func (p previous) whose() Whose {
	switch {
	case p.ManagedBy != ManagedBy:
		return Peoples
	case p.Owner == "":
		return Nobodys
	default:
		return Another
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

func setLabel(object client.Object, key, value string) {
	labels := maps.Clone(object.GetLabels())
	if labels == nil {
		labels = map[string]string{}
	}
	labels[key] = value
	object.SetLabels(labels)
}

func setAnnotation(object client.Object, key, value string) {
	annotations := maps.Clone(object.GetAnnotations())
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[key] = value
	object.SetAnnotations(annotations)
}

func removeAnnotation(object client.Object, key string) {
	annotations := maps.Clone(object.GetAnnotations())
	delete(annotations, key)
	object.SetAnnotations(annotations)
}
