package shortcut

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"golang.org/x/sync/errgroup"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
)

// rivalError is the cause of a problem: another resource instance owns a shortcut of the pair.
type rivalError struct {
	token  string
	origin end.Origin
}

// Error names the owner.
func (e *rivalError) Error() string { return "it is owned by " + e.origin.String() }

// IsRival reports whether an error means that another resource instance owns a shortcut of the pair.
// That instance is in another Terraform state, or in the same state and may be about to be destroyed.
func IsRival(err error) bool {
	_, ok := errors.AsType[*rivalError](err)
	return ok
}

// CheckFree fails, as [Shortcut.Connect] would, if another resource instance or someone else has
// joined the pair already. It reads the caches. It reads live only to say who joined the pair, and whether that create
// was killed.
func (s *Shortcut) CheckFree(ctx context.Context, spec Spec) error {
	found, err := s.look(ctx)
	if err != nil {
		return err
	}
	if s.isRivals(found) {
		if found.unfinished, err = readUnfinished(ctx, s.first(), leaseName(s.first())); err != nil {
			return err
		}
	}
	return s.checkFree(ctx, spec, found)
}

// isRivals reports whether a network has objects with the token of another shortcut.
func (s *Shortcut) isRivals(found network) bool {
	return slices.ContainsFunc(found.made(), func(object client.Object) bool {
		return s.Client.Owner.Of(object) == end.Another && !end.IsHalf(object)
	})
}

// readUnfinished reads from a lease which creates have left it behind. A create that still holds it counts, too: nobody
// knows yet how it will end.
func readUnfinished(ctx context.Context, at *end.End, name string) (end.Unfinished, error) {
	lease, err := at.Leaf.Leased(ctx, name)
	if lease == nil || err != nil {
		return nil, err
	}
	return end.UnfinishedOn(lease), nil
}

// checkFree does so for a network that was read with what its lease says.
func (s *Shortcut) checkFree(ctx context.Context, spec Spec, found network) error {
	if spec.Adopt {
		return nil
	}
	for _, here := range []struct {
		on    *end.End
		found end.Objects
	}{{s.Client, found.client}, {s.Server, found.server}} {
		var theirs []string
		for _, object := range here.found.Made() {
			if spec.KeysByOthers && end.IsPublicKey(object) {
				continue // someone else provides the keys, and may already have done so
			}
			switch found.whose(here.on.Owner, object) {
			case end.Mine, end.Nobodys:
			case end.Another:
				if end.IsHalf(object) {
					return madeByHalf(here.on, object)
				}
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

// catchUp waits until the caches are up to date before a create, and if they show a shortcut of another owner. That may
// have become complete or been removed just before this operation got the turn, and the caches may not show this yet.
// A cache whose watch was cut may show nothing at all.
func (s *Shortcut) catchUp(ctx context.Context, creates bool) error {
	found, err := s.look(ctx)
	if err != nil || !creates && !s.isRivals(found) {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	for _, on := range s.ends() {
		group.Go(func() error { return on.Leaf.CatchUp(ctx, on.Remote.ID) })
	}
	return group.Wait()
}

// rival returns the problem that another resource instance owns a shortcut of the pair.
func rival(at *end.End, found network, token string) *explain.Problem {
	cause := &rivalError{token: token, origin: found.originOf(token)}
	return &explain.Problem{
		Leaf:    at.Leaf.Name,
		Summary: fmt.Sprintf("a shortcut with %q exists already", at.Remote.Name),
		Detail: fmt.Sprintf("Another liqo_shortcut owns it, made by %s. A pair of leaves can have only one shortcut, in "+
			"one direction.\n\nIf that resource is in another Terraform state, remove it there (`terraform destroy`, or a "+
			"`removed` block to keep the network), or import the shortcut here instead. If it is this resource under its "+
			"former address, add a `moved` block. If this apply replaces it with `create_before_destroy`, remove that "+
			"setting. In each of these cases, `adopt_existing = true` takes the shortcut over from its owner.",
			cause.origin),
		Err: cause, Refused: true,
	}
}

// joinedByOthers returns the problem that someone else has joined the two clusters with these
// objects. Liqo's record of the other cluster shows whether it was a peering.
func joinedByOthers(ctx context.Context, at *end.End, objects []string) error {
	maker, remedy := "liqoctl or another program", "remove it first, for instance with `liqoctl network reset`"
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
		Detail: fmt.Sprintf("This provider did not make %s; %s did. Import that network, set `adopt_existing = true` to "+
			"take it over, or %s.", strings.Join(objects, ", "), maker, remedy),
	}
}

// untilGivenUp waits until the removal of a rival's objects begins on this leaf.
func untilGivenUp(ctx context.Context, at *end.End, rival *rivalError) error {
	return at.Leaf.Until(ctx, string(at.Remote.ID), func(ctx context.Context) (bool, error) {
		found, err := at.Find(ctx)
		if err != nil {
			return false, err
		}
		for _, object := range found.Made() {
			if end.TokenOf(object) == rival.token && !end.Leaving(object) {
				return false, nil
			}
		}
		return true, nil
	},
		&networkingv1beta1.Configuration{}, &networkingv1beta1.PublicKey{},
		&networkingv1beta1.GatewayServer{}, &networkingv1beta1.GatewayClient{})
}
