package shortcut

import (
	"context"
	"errors"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/steps"
)

// patience limits how long [Shortcut.Connect] waits until another owner gives up its shortcut, if both
// may be in the same Terraform state. When a resource gets a new address, Terraform creates the new
// one and destroys the old one in no particular order.
const patience = 30 * time.Second

// Connect creates the shortcut as spec says, or changes what exists of it. It can be interrupted and
// repeated at any time. If it is refused, it changes nothing. If an adoption fails, it gives the
// objects back. The error is a [steps.Failure].
func (s *Shortcut) Connect(ctx context.Context, spec Spec) error {
	spec = spec.ofBoth()
	return patiently(ctx, s.first(), func() error { return s.connect(cluster.WithFence(ctx), spec) })
}

// patiently tries something a second time if a rival, which may be in the same state, gives up what it owns at this
// end.
func patiently(ctx context.Context, at *end.End, try func() error) error {
	err := try()
	rival, ok := errors.AsType[*rivalError](err)
	if !ok || !at.Owner.Origin.MayShareState(rival.origin) {
		return err
	}
	patient, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if untilGivenUp(patient, at, rival) != nil {
		return err
	}
	return try()
}

// connect works on the two leaves at the same time. Read the list from top to bottom. The last
// arguments of a step are the steps that it depends on.
func (s *Shortcut) connect(ctx context.Context, spec Spec) error {
	r := steps.New(ctx)
	cl, srv := s.Client, s.Server
	onClient, onServer := cl.Leaf.Name, srv.Leaf.Name

	turn := s.pairTurn(spec.Create)
	begin := steps.Act(r, s.first().Leaf.Name, "wait for other operations on the pair", turn.take(r))
	clNetworks := steps.Do(r, onClient, "read its address ranges", s.announce(cl, spec.ClientEnd))
	srvNetworks := steps.Do(r, onServer, "read its address ranges", s.announce(srv, spec.ServerEnd))
	allowed := s.startChecks(r, spec, turn, begin, clNetworks, srvNetworks)
	clNamespace := startNamespace(r, cl, spec.ClientEnd, allowed)
	srvNamespace := startNamespace(r, srv, spec.ServerEnd, allowed)
	clKeys := steps.Do(r, onClient, "keys of a former gateway",
		untilFormerKeysGone(cl, spec, spec.ClientEnd), allowed...)
	srvKeys := steps.Do(r, onServer, "keys of a former gateway",
		untilFormerKeysGone(srv, spec, spec.ServerEnd), allowed...)

	// A gateway is replaced only if it can't be changed in place.
	clReplaces := steps.With(r, onClient, "compare the gateway if there is one", clNamespace, s.compareClient(spec))
	srvReplaces := steps.With(r, onServer, "compare the gateway if there is one", srvNamespace, s.compareServer(spec))

	// Each leaf gets the other's address ranges, and Liqo on it decides how to remap them.
	clConfiguration := steps.ActWith2(r, onClient, "Configuration", clNamespace, srvNetworks, cl.EnsureConfiguration)
	srvConfiguration := steps.ActWith2(r, onServer, "Configuration", srvNamespace, clNetworks, srv.EnsureConfiguration)
	clRemapping := steps.Act(r, onClient, "remapping by Liqo", waitForRemapping(cl, spec), clConfiguration)
	srvRemapping := steps.Act(r, onServer, "remapping by Liqo", waitForRemapping(srv, spec), srvConfiguration)

	var ready []steps.Before
	if spec.ForbidRemapping {
		ready = append(ready, clRemapping, srvRemapping)
	}
	clRoom := steps.ActWith(r, onClient, "remove a gateway that can't change in place", clReplaces,
		makeRoom(cl, spec.ClientEnd.FormerKeySecret), ready...)
	srvRoom := steps.ActWith(r, onServer, "remove a gateway that can't change in place", srvReplaces,
		makeRoom(srv, spec.ServerEnd.FormerKeySecret), ready...)

	// The server's gateway needs no Configuration to get an address. The client's gateway needs only
	// that address.
	srvGateway := steps.With2(r, onServer, "GatewayServer", srvNamespace, srvKeys, ensureServer(srv, spec), srvRoom)
	endpoint := steps.With(r, onServer, "address of the gateway", srvGateway, srv.WaitForEndpoint)
	clGateway := steps.With3(r, onClient, "GatewayClient", clNamespace, endpoint, clKeys, ensureClient(cl, spec), clRoom)
	made := []steps.Before{clRemapping, srvRemapping, clGateway, endpoint}
	if !spec.KeysByOthers {
		made = append(made, s.startSharing(r, spec, clGateway, srvGateway)...)
	}
	made = append(made, s.startRollouts(r, spec, clGateway, srvGateway)...)

	// Either is enough for others to know that the create was not killed.
	steps.Act(r, onClient, "record that it is complete", complete(cl, spec), made...)
	steps.Act(r, onServer, "record that it is complete", complete(srv, spec), made...)
	steps.Act(r, s.first().Leaf.Name, "let others work on the pair", turn.giveUp, made...)
	return s.undo(ctx, spec, turn.endAfter(ctx, r))
}

// startSharing starts the steps that give each gateway the other's key and wait for the tunnel.
func (s *Shortcut) startSharing(
	r *steps.Run, spec Spec, clGateway, srvGateway *steps.Step[end.EnsuredGateway],
) []steps.Before {
	cl, srv := s.Client, s.Server
	onClient, onServer := cl.Leaf.Name, srv.Leaf.Name
	// Liqo creates a gateway's keys before its pod, so the exchange does not wait for pods.
	srvKey := steps.Do(r, onServer, "key of the gateway", srv.WaitForKey, srvGateway)
	clKey := steps.Do(r, onClient, "key of the gateway", cl.WaitForKey, clGateway)
	clTrust := steps.With2(r, onClient, "PublicKey of the server", srvKey, clGateway, cl.EnsurePublicKey)
	srvTrust := steps.With2(r, onServer, "PublicKey of the client", clKey, srvGateway, srv.EnsurePublicKey)
	if !spec.waits() {
		return []steps.Before{clTrust, srvTrust}
	}
	handshake := steps.With3(r, onClient, "another handshake if the server's gateway has lost the last one",
		clGateway, srvGateway, srvTrust, s.repeatHandshake, clTrust)
	// Packets let the client's gateway begin a handshake. WireGuard ignores a second one within 20 ms, and the
	// client's would try again only after 5 seconds.
	return []steps.Before{
		steps.ActWith(r, onClient, "routes to a gateway that restarts", clGateway, cl.RenewRoutes, handshake),
		steps.ActWith(r, onServer, "routes to a gateway that restarts", srvGateway, srv.RenewRoutes, srvTrust),
		steps.Act(r, onClient, "connection", cl.WaitForConnection, handshake),
		steps.Act(r, onServer, "connection", srv.WaitForConnection, handshake),
	}
}

// startRollouts starts the steps that wait until gateways have restarted, unless others wait for the tunnel. A tunnel
// that comes up shows it, too.
func (s *Shortcut) startRollouts(
	r *steps.Run, spec Spec, clGateway, srvGateway *steps.Step[end.EnsuredGateway],
) []steps.Before {
	if spec.waits() {
		return nil
	}
	cl, srv := s.Client, s.Server
	return []steps.Before{
		steps.ActWith(r, cl.Leaf.Name, "rollout of the gateway", clGateway, cl.WaitForRollout),
		steps.ActWith(r, srv.Leaf.Name, "rollout of the gateway", srvGateway, srv.WaitForRollout),
	}
}

// undo cleans up after a failure. It gives back the objects of a failed adoption. If Liqo has remapped
// a range although this is forbidden, it removes the Configurations again, unless gateways already
// use them.
func (s *Shortcut) undo(ctx context.Context, spec Spec, failure error) error {
	if failure == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeToUndo)
	defer cancel()
	if adopting, err := s.adopting(ctx); err != nil || adopting {
		return besides(failure, err, s.Disconnect(ctx, spec.removal()))
	}
	if !errors.Is(failure, end.ErrRemapped) {
		return failure
	}
	found, err := s.look(ctx)
	if err != nil || found.client.Gateway() != nil || found.server.Gateway() != nil {
		return besides(failure, err)
	}
	return besides(failure, s.Disconnect(ctx, spec.removal()))
}

// besides adds the errors of the cleanup. Without any, it returns the failure unchanged, because the
// failure says how far the steps got.
func besides(failure error, others ...error) error {
	if err := errors.Join(others...); err != nil {
		return errors.Join(failure, err)
	}
	return failure
}

// timeToUndo limits the cleanup, which happens after the time for the work itself may have run out.
const timeToUndo = 30 * time.Second

// startChecks starts the steps that must succeed before anything is written: the pair must be free;
// both leaves must have ranges that Liqo can join; and if remapping is forbidden, none must be needed.
// Then the existing objects of the network become the owner's.
func (s *Shortcut) startChecks(
	r *steps.Run, spec Spec, turn *turn, begin steps.Before, clNetworks, srvNetworks *steps.Step[liqo.Ranges],
) []steps.Before {
	cl, srv := s.Client, s.Server
	onClient, onServer := cl.Leaf.Name, srv.Leaf.Name
	free := func(ctx context.Context) error {
		if err := s.catchUp(ctx, spec.Create); err != nil {
			return err
		}
		found, err := s.look(ctx)
		if err != nil {
			return err
		}
		found.unfinished = turn.unfinished
		return s.checkFree(ctx, spec, found)
	}
	checks := []steps.Before{
		clNetworks, srvNetworks, steps.Act(r, s.first().Leaf.Name, "check that the pair is free", free, begin),
	}
	if spec.ForbidRemapping {
		checks = append(checks,
			steps.ActWith(r, onClient, "check that nothing overlaps", srvNetworks, cl.CheckOverlaps),
			steps.ActWith(r, onServer, "check that nothing overlaps", clNetworks, srv.CheckOverlaps))
	}
	return []steps.Before{
		steps.Act(r, onClient, "take over what is there", s.takeAt(cl, spec, turn), checks...),
		steps.Act(r, onServer, "take over what is there", s.takeAt(srv, spec, turn), checks...),
	}
}

// startNamespace starts the steps that find or make the namespace at one end. The look for it does not wait for
// other operations on the pair. So its answer may be out of date: it only saves a round trip if there was none.
func startNamespace(r *steps.Run, on *end.End, spec EndSpec, allowed []steps.Before) *steps.Step[string] {
	missing := steps.Do(r, on.Leaf.Name, "look for the namespace", func(ctx context.Context) (bool, error) {
		if spec.Namespace != "" {
			return false, nil
		}
		existing, err := on.TenantNamespace(ctx)
		return existing == nil, err
	})
	return steps.With(r, on.Leaf.Name, "namespace", missing, func(ctx context.Context, missing bool) (string, error) {
		if missing {
			return on.EnsureMissingNamespace(ctx)
		}
		return on.EnsureNamespace(ctx, spec.Namespace)
	}, allowed...)
}
