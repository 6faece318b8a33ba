package shortcut

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
)

// ends are what the two leaves hold of their network.
type ends struct{ client, server objects }

// look reads both leaves' caches.
func (s *Shortcut) look(ctx context.Context) (ends, error) {
	atClient, err := s.client.find(ctx)
	if err != nil {
		return ends{}, err
	}
	atServer, err := s.server.find(ctx)
	return ends{atClient, atServer}, err
}

// whose resolves whose an object is. What a create that was killed has left behind is nobody's, or whose it was before that one began to adopt it. The caller
// has the turn, so nobody is at work on it.
func (e ends) whose(owner Owner, object client.Object) whose {
	if w := owner.of(object); w != another || e.complete(tokenOf(object)) {
		return w
	}
	if before, adopted := previousOf(object); adopted {
		return before.whose()
	}
	return nobodys
}

// complete reports whether the owner with this token has once had the whole shortcut: at least one leaf says so.
func (e ends) complete(token string) bool {
	for _, found := range []objects{e.client, e.server} {
		for _, object := range append(found.made(), found.extra...) {
			if configuration, ok := object.(*networkingv1beta1.Configuration); ok && completeBy(configuration) == token {
				return true
			}
		}
	}
	return false
}

// SoleOwner is the token of the one owner that objects of the network belong to; empty where there is none, or more than one.
func (s *Shortcut) SoleOwner(ctx context.Context) (string, error) {
	found, err := s.look(ctx)
	return found.soleOwner(), err
}

func (e ends) soleOwner() string {
	sole := ""
	for _, object := range append(e.client.made(), e.server.made()...) {
		token := tokenOf(object)
		if sole != "" && token != "" && token != sole {
			return ""
		}
		sole = cmp.Or(sole, token)
	}
	return sole
}

// originOf is where the owner with this token made the shortcut, as far as the leaves say.
func (e ends) originOf(token string) Origin {
	for _, found := range []objects{e.client, e.server} {
		if found.configuration != nil && tokenOf(found.configuration) == token {
			return originOf(found.configuration)
		}
	}
	return Origin{}
}

// rivalError is the cause of a problem with a shortcut of the pair that another resource instance owns.
type rivalError struct {
	token  string
	origin Origin
}

// Error names the owner.
func (e *rivalError) Error() string { return "it is owned by " + e.origin.String() }

// IsRival reports whether an error means that another resource instance owns a shortcut of the pair: one of another Terraform state, or one of the same state
// that may be about to be destroyed.
func IsRival(err error) bool {
	_, ok := errors.AsType[*rivalError](err)
	return ok
}

// CheckFree fails if another resource instance or somebody else has joined the pair already, as [Shortcut.Connect] would. It reads the caches, and asks the leaves
// only to name the culprit.
func (s *Shortcut) CheckFree(ctx context.Context, spec Spec) error {
	if spec.Adopt {
		return nil
	}
	found, err := s.look(ctx)
	if err != nil {
		return err
	}
	for _, end := range []struct {
		on      *side
		objects objects
	}{{s.client, found.client}, {s.server, found.server}} {
		var theirs []string
		for _, object := range end.objects.made() {
			if spec.KeysByOthers && isPublicKey(object) {
				continue // whoever shares the keys may have been here first
			}
			switch found.whose(end.on.owner, object) {
			case mine, nobodys:
			case another:
				return end.on.rival(found, tokenOf(object))
			case peoples:
				theirs = append(theirs, end.on.leaf.Describe(object))
			}
		}
		if len(theirs) > 0 {
			return end.on.joinedByOthers(ctx, theirs)
		}
	}
	return nil
}

// rival is the problem that another resource instance owns a shortcut of the pair.
func (s *side) rival(found ends, token string) *explain.Problem {
	cause := &rivalError{token: token, origin: found.originOf(token)}
	return &explain.Problem{
		Leaf:    s.leaf.Name,
		Summary: fmt.Sprintf("a shortcut with %q exists already", s.remote.Name),
		Detail: fmt.Sprintf("Another liqo_shortcut owns it, made by %s. One pair of leaves can have one shortcut, in one direction.\n\nIf that resource is in "+
			"another Terraform state, remove it there (`terraform destroy`, or a `removed` block to keep the network), or import the shortcut here "+
			"instead. If it is this resource under its former address, add a `moved` block. If this apply replaces it with `create_before_destroy`, "+
			"leave that out. `adopt_existing = true` takes the shortcut over from its owner, in each of these cases.", cause.origin),
		Err: cause, Refused: true,
	}
}

// joinedByOthers is the problem that somebody else has joined the two clusters, with those objects. Whether it was a peering shows in what Liqo keeps of the other
// cluster.
func (s *side) joinedByOthers(ctx context.Context, objects []string) error {
	maker, remedy := "somebody with liqoctl, or another program,", "remove it first, for instance with `liqoctl network reset`"
	peering, err := s.peering(ctx)
	if err != nil {
		return err
	}
	if peering != "" {
		maker, remedy = peering, "end the peering first with `liqoctl unpeer`"
	}
	return &explain.Problem{
		Leaf: s.leaf.Name, Refused: true,
		Summary: fmt.Sprintf("a network with %q exists already", s.remote.Name),
		Detail: fmt.Sprintf("This provider did not make %s; %s did. Import that network, let `adopt_existing = true` take it over, or %s.",
			strings.Join(objects, ", "), maker, remedy),
	}
}

// untilGivenUp waits until a rival's shortcut begins to go on one of the leaves, or time is up.
func (s *Shortcut) untilGivenUp(ctx context.Context, rival *rivalError) error {
	return s.first().leaf.Until(ctx, string(s.first().remote.ID), func(ctx context.Context) (bool, error) {
		found, err := s.first().find(ctx)
		if err != nil {
			return false, err
		}
		for _, object := range found.made() {
			if tokenOf(object) == rival.token && !leaving(object) {
				return false, nil
			}
		}
		return true, nil
	}, &networkingv1beta1.Configuration{}, &networkingv1beta1.GatewayServer{}, &networkingv1beta1.GatewayClient{}, &networkingv1beta1.PublicKey{})
}
