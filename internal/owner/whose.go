package owner

import "sigs.k8s.io/controller-runtime/pkg/client"

// Whose is the relation of an object to an [Owner].
type Whose int

// The values of [Whose].
const (
	// Own means that the owner owns it.
	Own Whose = iota
	// OtherOwner means that another resource instance owns it, in this state or in another one.
	OtherOwner
	// Orphan means that this provider created it and that no state has it. A killed create left it, or a destroy that
	// keeps the Configurations.
	Orphan
	// Foreign means that someone else created it, with liqoctl, with a peering or by hand.
	Foreign
)

// Whose returns whose an object is by its own marks alone.
func (o Owner) Whose(object client.Object) Whose {
	token := TokenOf(object)
	switch {
	case Managed(object) && token == o.Token:
		return Own
	case Managed(object) && token != "" && !o.claimsEndObject(object):
		return OtherOwner
	case o.Claims:
		return Own
	case Managed(object):
		return Orphan
	default:
		return Foreign
	}
}

// Owns reports whether an object is the owner's.
func (o Owner) Owns(object client.Object) bool { return o.Whose(object) == Own }

// MayRemove reports whether the owner may remove an object. The object must be the owner's or have no owner.
func (o Owner) MayRemove(object client.Object) bool {
	w := o.Whose(object)
	return w == Own || w == Orphan
}

// Marked reports whether an object has the owner's mark. It ignores the owner's claims.
func (o Owner) Marked(object client.Object) bool {
	return Managed(object) && TokenOf(object) == o.Token
}

// OnlyClaims reports whether an object is the owner's, but does not have its mark yet.
func (o Owner) OnlyClaims(object client.Object) bool { return o.Owns(object) && !o.Marked(object) }

// claimsEndObject reports whether this owner, an imported shortcut, claims an object that a resource for one end owns.
func (o Owner) claimsEndObject(object client.Object) bool {
	return o.Claims && o.Resource == "" && IsEndObject(object)
}

// WhoseIn returns whose an object of a network is, for an owner that knows which creates have not ended. What a killed
// create has left has no owner. The caller holds the lease that lists such creates, so none is still under way. It is
// the lease of the pair for a shortcut, and the lease of the object for a resource of one end.
//
// If operations of several shortcuts have mixed their objects, the network is that of its [Main] owner, and the others
// are orphans to it.
func (o Owner) WhoseIn(network []client.Object, object client.Object, unfinished Unfinished) Whose {
	whose, token := o.Whose(object), TokenOf(object)
	switch {
	case whose != OtherOwner || ResourceOf(object) != o.Resource:
		return whose
	case unfinished.AbandonedTo(o, token) && !IsComplete(network, token):
		return Orphan
	case o.Resource == "" && o.Token != "" && Main(network) == o.Token:
		return Orphan
	default:
		return OtherOwner
	}
}

// Main returns the token of the shortcut that has most objects of a network. If several have as many, it is the one
// whose object comes first. It is empty if none has any.
func Main(network []client.Object) string {
	count, main := map[string]int{}, ""
	for _, object := range network {
		token := TokenOf(object)
		if token == "" || IsEndObject(object) {
			continue
		}
		if count[token]++; count[token] > count[main] {
			main = token
		}
	}
	return main
}
