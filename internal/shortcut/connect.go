package shortcut

import (
	"context"
	"errors"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// patience is how long [Shortcut.Connect] waits for a shortcut of another owner to be given up, if that one may be of the same Terraform state: a resource under a new
// address is made, and the same under its former address destroyed, in no particular order.
const patience = 30 * time.Second

// Connect makes the shortcut as spec says, from whatever there is of it already. It can be interrupted and repeated at any time. What it was refused it does not touch,
// and what it fails to adopt it gives back. The error is a [Failure].
func (s *Shortcut) Connect(ctx context.Context, spec Spec) error {
	err := s.connect(ctx, spec)
	rival, ok := errors.AsType[*rivalError](err)
	if !ok || !s.client.owner.Origin.mayShareState(rival.origin) {
		return err
	}
	patient, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if s.untilGivenUp(patient, rival) != nil {
		return err
	}
	return s.connect(ctx, spec)
}

// connect works on the two leaves at the same time. Read the list from top to bottom: each step names, after what it does, the steps that it really depends on.
func (s *Shortcut) connect(ctx context.Context, spec Spec) error {
	r := newRun(ctx)
	cl, srv := s.client, s.server

	turn := &turn{}
	begin := start(r, s.first(), "wait for other operations on the pair", turn.take(r, s.first()))
	clNetworks := start(r, cl, "read its address ranges", cl.announce(spec.ClientEnd))
	srvNetworks := start(r, srv, "read its address ranges", srv.announce(spec.ServerEnd))
	allowed := s.startChecks(r, spec, begin, clNetworks, srvNetworks)
	clNamespace := start(r, cl, "namespace", cl.ensureNamespace(spec.ClientEnd.Namespace), allowed...)
	srvNamespace := start(r, srv, "namespace", srv.ensureNamespace(spec.ServerEnd.Namespace), allowed...)

	// Each leaf learns the other's address ranges, and Liqo there decides how to remap them.
	clConfiguration := start(r, cl, "Configuration", func(ctx context.Context) (none, error) {
		return none{}, cl.configure(ctx, clNamespace.get(), srvNetworks.get())
	}, clNamespace, srvNetworks)
	srvConfiguration := start(r, srv, "Configuration", func(ctx context.Context) (none, error) {
		return none{}, srv.configure(ctx, srvNamespace.get(), clNetworks.get())
	}, srvNamespace, clNetworks)
	clRemapping := start(r, cl, "remapping by Liqo", cl.waitForRemapping(spec.ForbidRemapping), clConfiguration)
	srvRemapping := start(r, srv, "remapping by Liqo", srv.waitForRemapping(spec.ForbidRemapping), srvConfiguration)

	replace := start(r, srv, "compare the server's gateway if there is one", func(ctx context.Context) (bool, error) {
		return s.replacesServer(ctx, spec, srvNamespace.get())
	}, clNamespace, srvNamespace)
	ready := []dependency{replace}
	if spec.ForbidRemapping {
		ready = append(ready, clRemapping, srvRemapping)
	}
	clRoom := start(r, cl, "remove a gateway that goes with the server's", cl.makeRoom(replace, spec.ClientEnd.FormerKeySecret), ready...)
	srvRoom := start(r, srv, "remove a gateway that is to change", srv.makeRoom(replace, spec.ServerEnd.FormerKeySecret), ready...)

	// The server's gateway needs no Configuration to get an address, and the client's needs nothing but that address.
	srvGateway := start(r, srv, "GatewayServer", func(ctx context.Context) (client.Object, error) {
		return srv.expose(ctx, srvNamespace.get(), spec)
	}, srvRoom)
	endpoint := start(r, srv, "address of the gateway", srv.waitForEndpoint, srvGateway)
	clFree := start(r, cl, "remove a gateway that is to dial otherwise", func(ctx context.Context) (none, error) {
		return none{}, cl.hangUp(ctx, clNamespace.get(), endpoint.get(), spec)
	}, clRoom, endpoint)
	clGateway := start(r, cl, "GatewayClient", func(ctx context.Context) (client.Object, error) {
		return cl.dial(ctx, clNamespace.get(), endpoint.get(), spec)
	}, clFree)
	made := []dependency{clRemapping, srvRemapping, clGateway, endpoint}
	if !spec.KeysByOthers {
		made = append(made, s.startSharing(r, spec, clGateway, srvGateway)...)
	}

	// The last writes, at the same time: if only one of them happens, there is nobody at work, and the shortcut is complete or it is not.
	start(r, cl, "record that it is complete", cl.complete(spec.waits()), made...)
	start(r, srv, "record that it is complete", srv.complete(spec.waits()), made...)
	start(r, s.first(), "let others work on the pair", turn.giveUp, made...)
	return s.undo(ctx, spec, turn.endAfter(ctx, r))
}

// startSharing starts what tells each gateway the other's key, and waits for the tunnel.
func (s *Shortcut) startSharing(r *run, spec Spec, clGateway, srvGateway *step[client.Object]) []dependency {
	cl, srv := s.client, s.server
	// Liqo makes a gateway's keys before its pod, so the exchange does not wait for pods.
	srvKey := start(r, srv, "key of the gateway", srv.waitForKey, srvGateway)
	clKey := start(r, cl, "key of the gateway", cl.waitForKey, clGateway)
	clTrust := start(r, cl, "PublicKey of the server", func(ctx context.Context) (none, error) {
		return none{}, cl.trust(ctx, srvKey.get(), clGateway.get())
	}, srvKey, clGateway)
	srvTrust := start(r, srv, "PublicKey of the client", func(ctx context.Context) (none, error) {
		return none{}, srv.trust(ctx, clKey.get(), srvGateway.get())
	}, clKey, srvGateway)
	if !spec.waits() {
		return []dependency{clTrust, srvTrust}
	}
	return []dependency{
		start(r, cl, "connection", cl.waitForConnection, clTrust, srvTrust),
		start(r, srv, "connection", srv.waitForConnection, clTrust, srvTrust),
	}
}

// undo gives back what was taken over from others when that did not come to a good end, and removes the Configurations again when Liqo has remapped what it must
// not, unless gateways work with them already.
func (s *Shortcut) undo(ctx context.Context, spec Spec, failure error) error {
	if failure == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeToUndo)
	defer cancel()
	if adopting, err := s.adopting(ctx); err != nil || adopting {
		return errors.Join(failure, err, s.Disconnect(ctx, spec.removal()))
	}
	if !errors.Is(failure, errRemapped) {
		return failure
	}
	found, err := s.look(ctx)
	if err != nil || found.client.gateway() != nil || found.server.gateway() != nil {
		return errors.Join(failure, err)
	}
	return errors.Join(failure, s.Disconnect(ctx, spec.removal()))
}

// timeToUndo is for cleaning up after the time for the work itself has run out.
const timeToUndo = 30 * time.Second

// startChecks starts what must succeed before anything is written: the pair must be free; and where remapping is forbidden, none may be expected. Then what there is
// of the network becomes the owner's.
func (s *Shortcut) startChecks(r *run, spec Spec, begin dependency, clNetworks, srvNetworks *step[cluster.Networks]) []dependency {
	cl, srv := s.client, s.server
	checks := []dependency{
		start(r, s.first(), "check that the pair is free", func(ctx context.Context) (none, error) {
			return none{}, s.CheckFree(ctx, spec)
		}, begin),
	}
	if spec.ForbidRemapping {
		checks = append(checks,
			start(r, cl, "check that nothing overlaps", func(ctx context.Context) (none, error) {
				return none{}, cl.checkOverlaps(ctx, srvNetworks.get())
			}, srvNetworks),
			start(r, srv, "check that nothing overlaps", func(ctx context.Context) (none, error) {
				return none{}, srv.checkOverlaps(ctx, clNetworks.get())
			}, clNetworks))
	}
	own := func(on *side) func(context.Context) (none, error) {
		return func(ctx context.Context) (none, error) { return none{}, on.take(ctx, s, spec) }
	}
	return []dependency{
		start(r, cl, "take over what is there", own(cl), checks...),
		start(r, srv, "take over what is there", own(srv), checks...),
	}
}

// none is the result of a step that has none.
type none struct{}
