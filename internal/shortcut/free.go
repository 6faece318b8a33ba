package shortcut

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// role is the part that a leaf plays in a shortcut.
type role int

const (
	asClient role = iota
	asServer
)

// checkFree makes sure that nothing on this leaf would be overwritten: no network with the other leaf that somebody else made, and none that this
// provider made in the opposite direction. Where existing networks may be adopted, there is nothing to check.
func (s *side) checkFree(role role, adopt bool) func(context.Context) (none, error) {
	return func(ctx context.Context) (none, error) {
		found, err := s.find(ctx)
		if err != nil || adopt {
			return none{}, err
		}
		var others []string
		for _, object := range found.made() {
			if !managed(object) {
				others = append(others, s.leaf.Describe(object))
			}
		}
		if len(others) > 0 {
			return none{}, s.taken(ctx, others)
		}
		if (role == asClient && found.server != nil) || (role == asServer && found.client != nil) {
			return none{}, &Problem{
				Leaf:    s.leaf.Name,
				Summary: fmt.Sprintf("a shortcut with %q exists already, in the opposite direction", s.remote.Name),
				Detail: "One pair of leaves can have one shortcut only. Remove the other one, swap `client` and `server` here, or let " +
					"`adopt_existing = true` turn it round.",
			}
		}
		return none{}, nil
	}
}

// taken is the problem that somebody else has joined the two clusters, with those objects. Whether it was a peering shows in Liqo's record of the other
// cluster.
func (s *side) taken(ctx context.Context, objects []string) error {
	maker, remedy := "somebody with liqoctl, or another program,", "remove it first, for instance with `liqoctl network reset`"
	peering, err := s.peering(ctx)
	if err != nil {
		return err
	}
	if peering != "" {
		maker, remedy = peering, "end the peering first with `liqoctl unpeer`"
	}
	return &Problem{
		Leaf:    s.leaf.Name,
		Summary: fmt.Sprintf("a network with %q exists already", s.remote.Name),
		Detail: fmt.Sprintf("This provider did not make %s; %s did. Import that network, let `adopt_existing = true` take it over, or %s.",
			strings.Join(objects, ", "), maker, remedy),
	}
}

// adopt marks as this provider's own what this leaf holds of its network with the other one, whoever made it.
func (s *side) adopt(ctx context.Context) (none, error) {
	found, err := s.find(ctx)
	if err != nil {
		return none{}, err
	}
	theirs := slices.DeleteFunc(found.made(), managed)
	namespace, err := s.tenantNamespace(ctx)
	if err != nil {
		return none{}, err
	}
	if namespace != nil && !managed(namespace) {
		theirs = append(theirs, namespace)
	}
	for _, object := range theirs {
		if err := s.leaf.Mark(ctx, object, ManagedByLabel, ManagedBy); err != nil {
			return none{}, err
		}
	}
	return none{}, nil
}
