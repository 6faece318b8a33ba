package shortcut

import (
	"context"
	"errors"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// Connect makes the shortcut as spec says, from whatever there is of it already. It can be interrupted and repeated at any time. The error is a
// [Failure].
//
// The two leaves are worked on at the same time. Read the list from top to bottom: each step names, after what it does, the steps that it
// really depends on.
func (s *Shortcut) Connect(ctx context.Context, spec Spec) error {
	r := newRun(ctx)
	cl, srv := s.client, s.server

	clNetworks := start(r, cl, "read its address ranges", cl.announce(spec.ClientEnd))
	srvNetworks := start(r, srv, "read its address ranges", srv.announce(spec.ServerEnd))
	allowed := s.startChecks(r, spec, clNetworks, srvNetworks)
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

	change := start(r, srv, "compare the gateways that exist", func(ctx context.Context) (bool, error) {
		return s.gatewaysDiffer(ctx, spec, clNamespace.get(), srvNamespace.get())
	}, clNamespace, srvNamespace)
	ready := []dependency{change}
	if spec.ForbidRemapping {
		ready = append(ready, clRemapping, srvRemapping)
	}
	clRoom := start(r, cl, "remove a gateway that is to change", cl.removeGatewayIf(change), ready...)
	srvRoom := start(r, srv, "remove a gateway that is to change", srv.removeGatewayIf(change), ready...)

	// The server's gateway needs no Configuration to get an address, and the client's needs nothing but that address.
	srvGateway := start(r, srv, "GatewayServer", func(ctx context.Context) (client.Object, error) {
		return srv.expose(ctx, srvNamespace.get(), spec)
	}, srvRoom)
	endpoint := start(r, srv, "address of the gateway", srv.waitForEndpoint, srvGateway)
	clGateway := start(r, cl, "GatewayClient", func(ctx context.Context) (client.Object, error) {
		return cl.dial(ctx, clNamespace.get(), endpoint.get(), spec)
	}, clRoom, endpoint)
	if spec.KeysByOthers {
		return s.undoForbidden(ctx, r.wait())
	}

	// Liqo makes a gateway's keys before its pod, so the exchange does not wait for pods.
	srvKey := start(r, srv, "key of the gateway", srv.waitForKey, srvGateway)
	clKey := start(r, cl, "key of the gateway", cl.waitForKey, clGateway)
	clTrust := start(r, cl, "PublicKey of the server", func(ctx context.Context) (none, error) {
		return none{}, cl.trust(ctx, srvKey.get(), clGateway.get())
	}, srvKey, clGateway)
	srvTrust := start(r, srv, "PublicKey of the client", func(ctx context.Context) (none, error) {
		return none{}, srv.trust(ctx, clKey.get(), srvGateway.get())
	}, clKey, srvGateway)

	if spec.WaitForConnection {
		start(r, cl, "connection", cl.waitForConnection, clTrust, srvTrust)
		start(r, srv, "connection", srv.waitForConnection, clTrust, srvTrust)
	}
	return s.undoForbidden(ctx, r.wait())
}

// undoForbidden removes the Configurations again when Liqo has remapped what it must not, unless gateways work with them already.
func (s *Shortcut) undoForbidden(ctx context.Context, failure error) error {
	if !errors.Is(failure, errRemapped) {
		return failure
	}
	for _, on := range s.sides() {
		if found, err := on.find(ctx); err != nil || found.gateway() != nil {
			return errors.Join(failure, err)
		}
	}
	return errors.Join(failure, s.Disconnect(ctx, Removal{}))
}

// startChecks starts what must succeed before anything is written: the pair must be free, or its network adopted; and where remapping is forbidden, none may be
// expected.
func (s *Shortcut) startChecks(r *run, spec Spec, clNetworks, srvNetworks *step[cluster.Networks]) []dependency {
	cl, srv := s.client, s.server
	checks := []dependency{
		start(r, cl, "check that the pair is free", cl.checkFree(asClient, spec.Adopt)),
		start(r, srv, "check that the pair is free", srv.checkFree(asServer, spec.Adopt)),
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
	if spec.Adopt {
		checks = []dependency{
			start(r, cl, "adopt what is there", cl.adopt, checks...),
			start(r, srv, "adopt what is there", srv.adopt, checks...),
		}
	}
	return checks
}

// none is the result of a step that has none.
type none struct{}
