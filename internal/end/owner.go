package end

import (
	"crypto/rand"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ManagedByLabel and ManagedBy mark what this package makes. Which resource instance an object belongs to is in an
// annotation beside them.
const (
	ManagedByLabel = "app.kubernetes.io/managed-by"
	ManagedBy      = "terraform-provider-liqo"
)

const (
	// ownerAnnotation is the token of the [Owner], on every object.
	ownerAnnotation = ManagedBy + "/owner"
	// originAnnotation is the owner's [Origin] as JSON, on Configurations.
	originAnnotation = ManagedBy + "/origin"
	// completeAnnotation is on Configurations once all of the shortcut has been there: the token, the time and, if both
	// ends have reported the tunnel as up, wasConnected, separated by spaces. Without it, an owner of whom nobody is at
	// work is a create that was killed.
	completeAnnotation = ManagedBy + "/complete"
	// previousAnnotation is on what was adopted: how it was marked before, as JSON of [previous].
	previousAnnotation = ManagedBy + "/previous"
)

// wasConnected ends a completeAnnotation.
const wasConnected = "connected"

// Owner is the one resource instance that a shortcut belongs to.
type Owner struct {
	Token  string // random; empty for nobody in particular
	Origin Origin
	// Claims makes everything the owner's that joins the pair and belongs to no other owner. It is for a network that
	// was imported, and not adopted yet.
	Claims bool
}

// Origin is where a shortcut was made, for people who look for its Terraform state.
type Origin struct {
	Who       string    `json:"who,omitempty"`       // user@host
	Folder    string    `json:"folder,omitempty"`    // name of the folder in which Terraform ran
	Workspace string    `json:"workspace,omitempty"` // of Terraform
	At        time.Time `json:"at,omitzero"`         // when the shortcut was made
}

// String completes "made by …".
func (o Origin) String() string {
	if o == (Origin{}) {
		return "another resource of this provider"
	}
	var parts []string
	if o.Who != "" {
		parts = append(parts, o.Who)
	}
	if o.Folder != "" {
		parts = append(parts, "in folder "+o.Folder)
	}
	if o.Workspace != "" {
		parts = append(parts, "workspace "+o.Workspace)
	}
	if !o.At.IsZero() {
		parts = append(parts, "at "+o.At.UTC().Format(time.RFC3339))
	}
	return strings.Join(parts, ", ")
}

// MayShareState reports whether two shortcuts may be in one Terraform state. Folders of the same name are no proof, but
// other folders are one of the opposite.
func (o Origin) MayShareState(other Origin) bool {
	return o.Folder == other.Folder && o.Workspace == other.Workspace
}

// NewToken returns a token for a new owner.
func NewToken() string { return strings.ToLower(rand.Text()) }

// Whose is the relation of an object to an [Owner].
type Whose int

// The values of [Whose].
const (
	// Mine is the owner's.
	Mine Whose = iota
	// Another is another resource instance's, in this state or in another one.
	Another
	// Nobodys means that this provider made it, and that no state has it: a create that was killed left it, or a destroy
	// that keeps the Configurations.
	Nobodys
	// Peoples means that somebody else made it, with liqoctl, with a peering or by hand.
	Peoples
)

// Of is whose an object is by its own marks alone.
func (o Owner) Of(object client.Object) Whose {
	token := TokenOf(object)
	switch {
	case managed(object) && token == o.Token:
		return Mine
	case managed(object) && token != "":
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

// MayRemove reports whether the owner may remove an object: its own, and what belongs to nobody.
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
	if _, ok := object.(*networkingv1beta1.Configuration); ok {
		setAnnotation(object, originAnnotation, o.Origin.encode())
	}
}

// unmark takes every mark of this package's off an object, except for the digest of a key, which says nothing of
// owners.
func unmark(object client.Object) {
	labels, annotations := object.GetLabels(), object.GetAnnotations()
	delete(labels, ManagedByLabel)
	for _, key := range []string{ownerAnnotation, originAnnotation, completeAnnotation, previousAnnotation} {
		delete(annotations, key)
	}
	object.SetLabels(labels)
	object.SetAnnotations(annotations)
}

// Marked reports whether an object carries the owner's mark, whatever the owner claims.
func (o Owner) Marked(object client.Object) bool {
	return managed(object) && TokenOf(object) == o.Token
}

// managed reports whether this package made or adopted an object, for whichever owner.
func managed(object client.Object) bool { return object.GetLabels()[ManagedByLabel] == ManagedBy }

// AllManaged reports whether this package made or adopted all of these objects, for whichever owners.
func AllManaged(all []client.Object) bool {
	return !slices.ContainsFunc(all, func(object client.Object) bool { return !managed(object) })
}

// TokenOf is the token of an object's owner; empty for none.
func TokenOf(object client.Object) string { return object.GetAnnotations()[ownerAnnotation] }

// encode is the JSON of the origin; empty for none.
func (o Origin) encode() string {
	if o == (Origin{}) {
		return ""
	}
	text, err := json.Marshal(o)
	if err != nil {
		return "" // texts and a time can't fail
	}
	return string(text)
}

// OriginOf is what an object says of its owner; nothing where it says nothing that can be read.
func OriginOf(object client.Object) Origin {
	var origin Origin
	if err := json.Unmarshal([]byte(object.GetAnnotations()[originAnnotation]), &origin); err != nil {
		return Origin{}
	}
	return origin
}

// previous is how an object was marked before it was adopted.
type previous struct {
	ManagedBy string `json:"managedBy"` // value of the label; empty for none
	Owner     string `json:"owner"`     // token; empty for none
}

// PreviouslyOf is whose an object was before it was adopted; false for one that was not adopted.
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

// previousOf is how an object was marked before; false for one that was not adopted.
func previousOf(object client.Object) (previous, bool) {
	var before previous
	text, adopted := object.GetAnnotations()[previousAnnotation]
	if err := json.Unmarshal([]byte(text), &before); adopted && err != nil {
		return previous{}, true // somebody has edited it: then it is people's
	}
	return before, adopted
}

func (p previous) encode() string {
	text, err := json.Marshal(p)
	if err != nil {
		return "{}" // two texts can't fail
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
