package shortcut

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/parallel"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// otherOwnerError is the cause of a problem: another resource instance owns a shortcut of the pair.
type otherOwnerError struct {
	token  string
	origin owner.Origin
}

// Error names the owner.
func (e *otherOwnerError) Error() string { return "it is owned by " + e.origin.String() }

// MayShareState reports whether an error means that another resource instance owns what this one needs, and whether
// that instance may be in this one's Terraform state, as their origins say. Then it may be about to be destroyed.
func MayShareState(self owner.Owner, err error) bool {
	other, ok := errors.AsType[*otherOwnerError](err)
	return ok && self.Origin.MayShareState(other.origin)
}

// CheckFree fails, as [Shortcut.Connect] would, if another resource instance or someone else has joined the pair
// already. It reads the caches. It reads live only to say who joined the pair, and whether that create was killed.
func (s *Shortcut) CheckFree(ctx context.Context, spec Spec) error {
	n, err := s.find(ctx)
	if err != nil {
		return err
	}
	if s.hasOtherOwner(n) {
		if n.unfinished, err = readUnfinished(ctx, s.first(), leaseName(s.first())); err != nil {
			return err
		}
	}
	return s.checkFree(ctx, spec, n)
}

// hasOtherOwner reports whether a network has objects with the token of another shortcut.
func (s *Shortcut) hasOtherOwner(n network) bool {
	return slices.ContainsFunc(n.made(), func(object client.Object) bool {
		return s.Client.Owner.Whose(object) == owner.OtherOwner && !owner.IsEndObject(object)
	})
}

// readUnfinished reads from a lease which creates have left it behind. A create that still holds it counts, too: nobody
// knows yet how it will end.
func readUnfinished(ctx context.Context, e *end.End, name string) (owner.Unfinished, error) {
	lease, err := e.Leaf.Leased(ctx, name)
	if lease == nil || err != nil {
		return nil, err
	}
	return owner.UnfinishedOn(lease), nil
}

// checkFree does so for a network that was read with what its lease says.
func (s *Shortcut) checkFree(ctx context.Context, spec Spec, n network) error {
	all := contested{
		network: n.written(), unfinished: n.unfinished, concerns: anything,
		importAdvice: s.importAdvice(n, spec.Create),
	}
	if err := all.checkAt(ctx, s.Client, n.client.Made()); err != nil {
		return err
	}
	return all.checkAt(ctx, s.Server, n.server.Made())
}

// anything is what a shortcut can't share with others: all objects of its network.
func anything(client.Object) bool { return true }

// contested is what an operation wants to have.
type contested struct {
	network    []client.Object          // all that is known of it
	unfinished owner.Unfinished         // creates that the lease lists
	concerns   func(client.Object) bool // whether the operation can't share an object with others

	importAdvice string // how to take it over; empty if that is not possible
}

// checkAt fails if another resource instance or someone else has one of these objects, which are at one end. Nobody has
// an object that goes: an operation waits until it is gone.
func (c contested) checkAt(ctx context.Context, e *end.End, objects []client.Object) error {
	var foreign []string
	for _, object := range objects {
		if !c.concerns(object) || end.Goes(objects, object) {
			continue
		}
		switch e.Owner.WhoseIn(c.network, object, c.unfinished) {
		case owner.Own, owner.Orphan:
		case owner.OtherOwner:
			return c.otherOwner(e, object)
		case owner.Foreign:
			foreign = append(foreign, e.Leaf.Describe(object))
		}
	}
	if len(foreign) > 0 {
		return c.foreignNetwork(ctx, e, foreign)
	}
	return nil
}

// checkLocked returns a step that checks under the lock that the pair is free. It waits until what others are deleting
// is gone.
func (s *Shortcut) checkLocked(spec Spec, lock *lock) func(context.Context) error {
	return func(ctx context.Context) error {
		if err := s.catchUpIfNeeded(ctx, spec.Create); err != nil {
			return err
		}
		check := func() error {
			n, err := s.find(ctx)
			if err != nil {
				return err
			}
			n.unfinished = lock.unfinished
			return s.checkFree(ctx, spec, n)
		}
		return checkUntilDeleted(ctx, check, anything, s.Ends()...)
	}
}

// checkUntilDeleted checks that something is free. Then it waits until what others are deleting at these ends is gone,
// and checks again, because somebody may have been faster.
func checkUntilDeleted(
	ctx context.Context, check func() error, concerns func(client.Object) bool, ends ...*end.End,
) error {
	if err := check(); err != nil {
		return err
	}
	deleted := parallel.Map(ends, func(e *end.End) error { return e.UntilDeleted(ctx, concerns) })
	if err := errors.Join(deleted...); err != nil {
		return err
	}
	return check()
}

// catchUpIfNeeded catches up before a create, and if the caches show a shortcut of another owner. That may have become
// complete or been removed just before this operation got the lock, and the caches may not show this yet. A cache whose
// watch was cut may show nothing at all.
func (s *Shortcut) catchUpIfNeeded(ctx context.Context, creates bool) error {
	n, err := s.find(ctx)
	if err != nil || !creates && !s.hasOtherOwner(n) {
		return err
	}
	return s.catchUp(ctx)
}

// otherOwner returns the problem that another resource instance owns an object of the network.
func (c contested) otherOwner(e *end.End, object client.Object) *trouble.Problem {
	own, other, origin := e.Owner.Resource, owner.ResourceOf(object), originOf(object, c.network)
	cause := &otherOwnerError{token: owner.TokenOf(object), origin: origin}
	problem := &trouble.Problem{
		ID: "owned-by-another-resource", Leaf: e.Leaf.Name, Refused: true, Err: cause,
		Summary: fmt.Sprintf("a %s for %s exists already", other, nameOther(e)),
		Evidence: []string{fmt.Sprintf("A %s owns %s, made by %s, so a %s can't manage it. A pair of leaves has either one "+
			"liqo_shortcut or, on each leaf, its own liqo_configuration, liqo_public_key, and liqo_gateway_server or "+
			"liqo_gateway_client.",
			other, e.Leaf.Describe(object), origin, own)},
	}
	if own == "" && other == "" {
		problem = &trouble.Problem{
			ID: "shortcut-exists", Leaf: e.Leaf.Name, Refused: true, Err: cause,
			Summary: fmt.Sprintf("a shortcut with %s exists already", nameOther(e)),
			Evidence: []string{fmt.Sprintf("Another liqo_shortcut owns it, made by %s. A pair of leaves can have only one "+
				"shortcut, in one direction.", origin)},
		}
	}
	problem.Advice = trouble.Paragraphs("If nobody needs it any longer, run `terraform destroy` there. " +
		c.takeOver(own, "To manage it here instead, first forget it there, with a `removed` block or `terraform state rm`. "+
			"Then, or if that state is lost, "))
	if own == other {
		problem.Advice = trouble.Paragraphs(problem.Advice, "If it is this resource under its former address, add a "+
			"`moved` block. If this apply replaces it with `create_before_destroy`, remove that setting.")
	}
	if own == "" && other != "" {
		problem.Err = nil // no other owner that may be about to go: resources on both leaves would have to
	}
	return problem
}

// originOf returns where an object of a network was made. Of the objects of a shortcut, only some record it.
func originOf(object client.Object, network []client.Object) owner.Origin {
	if owner.IsEndObject(object) {
		return owner.OriginOf(object)
	}
	return owner.OriginFor(network, owner.TokenOf(object))
}

// nameOther names the other cluster in messages. A resource for one end knows its ID, and no name.
func nameOther(e *end.End) string {
	if e.Owner.Resource != "" {
		return fmt.Sprintf("cluster %q", e.Remote.ID)
	}
	return fmt.Sprintf("%q", e.Remote.Name)
}

// foreignNetwork returns the problem that someone else has joined the two clusters with these objects. Liqo's record of
// the other cluster shows whether it was a peering.
func (c contested) foreignNetwork(ctx context.Context, e *end.End, objects []string) error {
	maker, remedy := "liqoctl or another program", "remove it first, for instance with `liqoctl network reset`"
	peering, err := e.Peering(ctx)
	if err != nil {
		return err
	}
	if peering != nil {
		maker, remedy = peering.String(), "end the peering first with `liqoctl unpeer`"
	}
	return &trouble.Problem{
		ID: "network-exists", Leaf: e.Leaf.Name, Refused: true,
		Summary: fmt.Sprintf("a network with %s exists already", nameOther(e)),
		Advice: trouble.Paragraphs(
			fmt.Sprintf("This provider did not make %s; %s did. ", strings.Join(objects, ", "), maker)+
				c.takeOver(e.Owner.Resource, "To manage it here, "),
			fmt.Sprintf("To begin anew, %s.", remedy)),
	}
}

// takeOver says how a resource of this type takes a network over, after these words, or that it can't.
func (c contested) takeOver(resource owner.Resource, words string) string {
	if c.importAdvice == "" {
		return fmt.Sprintf("There is no %s to import.", resource)
	}
	return words + strings.TrimSpace(c.importAdvice)
}

// untilReleased waits until the removal of the other owner's objects begins on this leaf.
func untilReleased(ctx context.Context, e *end.End, other *otherOwnerError) error {
	return e.Leaf.Until(ctx, string(e.Remote.ID), func(ctx context.Context) (bool, error) {
		objects, err := e.Find(ctx)
		if err != nil {
			return false, err
		}
		for _, object := range objects.Made() {
			if owner.TokenOf(object) == other.token && !end.Leaving(object) {
				return false, nil
			}
		}
		return true, nil
	},
		&networkingv1beta1.Configuration{}, &networkingv1beta1.PublicKey{},
		&networkingv1beta1.GatewayServer{}, &networkingv1beta1.GatewayClient{})
}
