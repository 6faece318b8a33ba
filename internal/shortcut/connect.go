package shortcut

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/steps"
)

// timeToRelease limits how long [Shortcut.Connect] waits until another owner gives up its shortcut, if both may be in
// the same Terraform state. When a resource gets a new address, Terraform creates the new one and destroys the old one
// in no particular order.
const timeToRelease = 30 * time.Second

// Connect creates the shortcut as spec says, or changes what exists of it. It can be interrupted and repeated at any
// time. If it is refused, it changes nothing. The error is a [steps.Failure].
func (s *Shortcut) Connect(ctx context.Context, spec Spec) error {
	spec = spec.shareSettings()
	return retryOnceReleased(ctx, s.first(), func() error { return s.connect(cluster.WithFence(ctx), spec) })
}

// retryOnceReleased tries something a second time if another owner, which may be in the same state, gives up what it
// owns at this end.
func retryOnceReleased(ctx context.Context, e *end.End, try func() error) error {
	err := try()
	other, ok := errors.AsType[*otherOwnerError](err)
	if !ok || !e.Owner.Origin.MayShareState(other.origin) {
		return err
	}
	patient, cancel := context.WithTimeout(ctx, timeToRelease)
	defer cancel()
	if untilReleased(patient, e, other) != nil {
		return err
	}
	return try()
}

// connect works on the two leaves at the same time. Each line starts steps, which begin when those before them that
// they depend on are done.
func (s *Shortcut) connect(ctx context.Context, spec Spec) error {
	r, lock := steps.New(ctx, LogSubsystem), s.pairLock(spec.Create)
	client, server := s.begin(r, lock, spec)

	// Each leaf gets the other's address ranges, and Liqo on it decides how to remap them.
	atClient, atServer := client.configure(server.ranges, spec.ForbidRemapping),
		server.configure(client.ranges, spec.ForbidRemapping)
	var decided []steps.Before
	if spec.ForbidRemapping {
		decided = append(decided, atClient, atServer)
	}

	// The server's gateway needs no Configuration to get an address. The client's gateway needs only that address.
	server.limit(server.limitsOf(spec.Allow, client, false),
		server.removeReplaced(s.replaces(spec.Server), decided...))
	client.limit(client.limitsOf(spec.Allow, server, true),
		client.removeReplaced(s.replaces(spec.Client), decided...))
	endpoint := server.serve(spec.Server)
	client.dial(spec.Client, endpoint)
	server.enforce(spec.Limited)
	client.enforce(spec.Limited)

	s.shareKeys(client, server, spec.WaitForConnection)
	s.finish(r, lock, spec, client, server)
	return s.undo(ctx, spec, lock.judged(lock.releaseAfter(ctx, r)))
}

// shareKeys gives each gateway the other's key. It waits for the tunnel if connects says so.
func (s *Shortcut) shareKeys(client, server *endSteps, connects bool) {
	clientKey, serverKey := client.key(), server.key()
	atClient, atServer := client.trust(serverKey), server.trust(clientKey)
	if !connects {
		client.rollOut()
		server.rollOut()
		return
	}
	handshake := steps.With3(client.run, client.Leaf.Name,
		"another handshake if the server's gateway has lost the last one",
		client.gateway, server.gateway, atServer, s.repeatHandshake, atClient)
	// Packets let the client's gateway begin a handshake. WireGuard ignores a second one within 20 ms, and the client's
	// would try again only after 5 seconds. So the routes of the client come after the handshake.
	client.connect(handshake, handshake)
	server.connect(atServer, handshake)
}

// finish starts the steps that come when everything is done. One record is enough for others to know that the create
// was not killed.
func (s *Shortcut) finish(r *steps.Run, lock *lock, spec Spec, ends ...*endSteps) {
	var done []steps.Before
	for _, e := range ends {
		done = append(done, e.done...)
	}
	for _, e := range ends {
		steps.Act(r, e.Leaf.Name, "record that it is complete",
			func(ctx context.Context) error { return e.RecordComplete(ctx, spec.WaitForConnection) }, done...)
	}
	steps.Act(r, lock.end.Leaf.Name, "let others work on the pair", lock.release, done...)
}

// undo cleans up after a create that failed. If Liqo has remapped a range although this is forbidden, it removes the
// Configurations again, unless gateways already use them.
func (s *Shortcut) undo(ctx context.Context, spec Spec, failure error) error {
	if !spec.Create || !errors.Is(failure, end.ErrRemapped) {
		return failure
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeToUndo)
	defer cancel()
	n, err := s.find(ctx)
	if err != nil || n.client.Gateway != nil || n.server.Gateway != nil {
		return joinErrors(failure, err)
	}
	return joinErrors(failure, s.Disconnect(ctx, spec.removal()))
}

// joinErrors adds the errors of the cleanup. Without any, it returns the failure unchanged, because the failure says
// how far the steps got.
func joinErrors(failure error, others ...error) error {
	if err := errors.Join(others...); err != nil {
		return errors.Join(failure, err)
	}
	return failure
}

// timeToUndo limits the cleanup, which happens after the time for the work itself may have run out.
const timeToUndo = 30 * time.Second

// begin starts the steps that come before anything else is written. Once all checks have succeeded, the existing
// objects of the network become the owner's. Then each end gets its namespace, and what is left of a former gateway
// goes.
func (s *Shortcut) begin(r *steps.Run, lock *lock, spec Spec) (client, server *endSteps) {
	client = &endSteps{End: s.Client, run: r, spec: spec.ClientEnd}
	server = &endSteps{End: s.Server, run: r, spec: spec.ServerEnd}
	checked := s.check(r, lock, spec, client, server)
	var taken []steps.Before
	for _, e := range []*endSteps{client, server} {
		taken = append(taken, steps.Act(r, e.Leaf.Name, "take over what is there", func(ctx context.Context) error {
			lock.wrote.Store(true)
			return s.take(ctx, e.End, lock.unfinished)
		}, checked...))
	}
	for _, e := range []*endSteps{client, server} {
		e.makeNamespace(taken...)
		e.clear(lock, spec.Create, taken...)
	}
	return client, server
}

// check starts the steps that must succeed first: the pair must be free, and what someone else is deleting gone; both
// leaves must have ranges that Liqo can join; if remapping is forbidden, none must be needed; and both gateways must be
// able to follow a change of either one.
func (s *Shortcut) check(r *steps.Run, lock *lock, spec Spec, client, server *endSteps) []steps.Before {
	keeper := lock.end.Leaf.Name
	locked := steps.Act(r, keeper, "wait for other operations on the pair", lock.acquire(r))
	checks := []steps.Before{steps.Act(r, keeper, "check that the pair is free", s.checkLocked(spec, lock), locked)}
	for _, e := range []*endSteps{client, server} {
		e.ranges = steps.Do(r, e.Leaf.Name, "read its address ranges", func(ctx context.Context) (liqo.Ranges, error) {
			return s.Announce(ctx, e.End, e.spec.Announcement)
		})
		checks = append(checks, e.ranges, e.awaitNamespace())
	}
	if spec.ForbidRemapping {
		checks = append(checks,
			steps.ActWith(r, client.Leaf.Name, "check that nothing overlaps", server.ranges, client.CheckOverlaps),
			steps.ActWith(r, server.Leaf.Name, "check that nothing overlaps", client.ranges, server.CheckOverlaps))
	}
	changes := steps.Do(r, keeper, "compare both gateways",
		func(ctx context.Context) (bool, error) { return s.ChangesGateways(ctx, spec) }, locked)
	return append(checks, client.checkGateway(changes, spec.Client), server.checkGateway(changes, spec.Server))
}

// take makes the objects of the network at one end the owner's: those that nobody owns and, after an import, all that
// the owner claims.
func (s *Shortcut) take(ctx context.Context, e *end.End, unfinished owner.Unfinished) error {
	n, err := s.find(ctx)
	if err != nil {
		return err
	}
	objects, err := e.Find(ctx)
	if err != nil {
		return err
	}
	all := objects.Made()
	if e.Owner.Claims { // otherwise, EnsureNamespace takes the namespace
		if all, err = e.Markable(ctx); err != nil {
			return err
		}
	}
	for _, object := range slices.DeleteFunc(all, e.Owner.Marked) {
		if whose := e.Owner.WhoseIn(n.written(), object, unfinished); whose != owner.Own && whose != owner.Orphan {
			continue
		}
		if err := e.Take(ctx, object); err != nil {
			return err
		}
	}
	return nil
}
