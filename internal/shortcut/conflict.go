package shortcut

import (
	"context"
	"errors"
	"fmt"
	"strings"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
)

// rivalError is the cause of a problem with a shortcut of the pair that another resource instance owns.
type rivalError struct {
	token  string
	origin end.Origin
}

// Error names the owner.
func (e *rivalError) Error() string { return "it is owned by " + e.origin.String() }

// IsRival reports whether an error means that another resource instance owns a shortcut of the pair: one of another
// Terraform state, or one of the same state that may be about to be destroyed.
func IsRival(err error) bool {
	_, ok := errors.AsType[*rivalError](err)
	return ok
}

// CheckFree fails if another resource instance or somebody else has joined the pair already, as [Shortcut.Connect]
// would. It reads the caches, and asks the leaves only to name the culprit.
func (s *Shortcut) CheckFree(ctx context.Context, spec Spec) error {
	if spec.Adopt {
		return nil
	}
	found, err := s.look(ctx)
	if err != nil {
		return err
	}
	for _, here := range []struct {
		on    *end.End
		found end.Objects
	}{{s.Client, found.client}, {s.Server, found.server}} {
		var theirs []string
		for _, object := range here.found.Made() {
			if spec.KeysByOthers && end.IsPublicKey(object) {
				continue // whoever shares the keys may have been here first
			}
			switch found.whose(here.on.Owner, object) {
			case end.Mine, end.Nobodys:
			case end.Another:
				return rival(here.on, found, end.TokenOf(object))
			case end.Peoples:
				theirs = append(theirs, here.on.Leaf.Describe(object))
			}
		}
		if len(theirs) > 0 {
			return joinedByOthers(ctx, here.on, theirs)
		}
	}
	return nil
}

// rival is the problem that another resource instance owns a shortcut of the pair.
func rival(at *end.End, found network, token string) *explain.Problem {
	cause := &rivalError{token: token, origin: found.originOf(token)}
	return &explain.Problem{
		Leaf:    at.Leaf.Name,
		Summary: fmt.Sprintf("a shortcut with %q exists already", at.Remote.Name),
		Detail: fmt.Sprintf("Another liqo_shortcut owns it, made by %s. One pair of leaves can have one shortcut, in one direction.\n\nIf that resource is in "+
			"another Terraform state, remove it there (`terraform destroy`, or a `removed` block to keep the network), or import the shortcut here "+
			"instead. If it is this resource under its former address, add a `moved` block. If this apply replaces it with `create_before_destroy`, "+
			"leave that out. `adopt_existing = true` takes the shortcut over from its owner, in each of these cases.", cause.origin),
		Err: cause, Refused: true,
	}
}

// joinedByOthers is the problem that somebody else has joined the two clusters, with those objects. Whether it was a
// peering shows in what Liqo keeps of the other cluster.
func joinedByOthers(ctx context.Context, at *end.End, objects []string) error {
	maker, remedy := "somebody with liqoctl, or another program,", "remove it first, for instance with `liqoctl network reset`"
	peering, err := at.Peering(ctx)
	if err != nil {
		return err
	}
	if peering != "" {
		maker, remedy = peering, "end the peering first with `liqoctl unpeer`"
	}
	return &explain.Problem{
		Leaf: at.Leaf.Name, Refused: true,
		Summary: fmt.Sprintf("a network with %q exists already", at.Remote.Name),
		Detail: fmt.Sprintf("This provider did not make %s; %s did. Import that network, let `adopt_existing = true` take it over, or %s.",
			strings.Join(objects, ", "), maker, remedy),
	}
}

// untilGivenUp waits until a rival's shortcut begins to go on one of the leaves, or time is up.
func (s *Shortcut) untilGivenUp(ctx context.Context, rival *rivalError) error {
	return s.first().Leaf.Until(ctx, string(s.first().Remote.ID), func(ctx context.Context) (bool, error) {
		found, err := s.first().Find(ctx)
		if err != nil {
			return false, err
		}
		for _, object := range found.Made() {
			if end.TokenOf(object) == rival.token && !end.Leaving(object) {
				return false, nil
			}
		}
		return true, nil
	}, &networkingv1beta1.Configuration{}, &networkingv1beta1.GatewayServer{}, &networkingv1beta1.GatewayClient{}, &networkingv1beta1.PublicKey{})
}
