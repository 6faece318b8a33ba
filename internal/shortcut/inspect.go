package shortcut

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// Inspection is everything that the two leaves show about their network.
type Inspection struct {
	State

	// Reversed means that the network has the opposite direction: the server dials, and ServerEndpoint is the client's.
	// All other fields use the roles of the request.
	Reversed bool
	MadeBy   Maker
	MTU      int // of the gateways, in bytes: the larger one if they differ, and 0 while there is none

	ClientEnd, ServerEnd EndStatus
}

// EndStatus is the status of a network as one end sees it.
type EndStatus struct {
	Status      Status
	Allow       *Allow        // what may cross as this end enforces it; nil if it has no rules, or if they are edited
	Latency     *liqo.Latency // nil if this end has measured none
	GatewayPods []liqo.GatewayPod
}

// Inspect reads the network of the two leaves, whoever created it and in whichever direction. It reads the leaves'
// caches, but the pods of the gateways live, everything at the same time.
func (s *Shortcut) Inspect(ctx context.Context) (Inspection, error) {
	n, err := s.observe(ctx)
	if err != nil {
		return Inspection{}, err
	}
	var inspection Inspection
	if !n.reversed() {
		inspection.State = s.state(n)
	} else {
		inspection.Reversed = true
		inspection.State = (&Shortcut{Client: s.Server, Server: s.Client}).state(n.reverse())
		inspection.Client, inspection.Server = inspection.Server, inspection.Client
		inspection.Allow = inspection.Allow.reverse()
	}
	inspection.MTU = max(n.client.TunnelSettings().MTU, n.server.TunnelSettings().MTU)
	peerings := make([]*end.Peering, len(s.Ends()))
	group, ctx := errgroup.WithContext(ctx)
	for i, e := range s.Ends() {
		group.Go(func() (err error) { peerings[i], err = e.Peering(ctx); return err })
	}
	group.Go(func() (err error) { inspection.ClientEnd, err = endStatus(ctx, s.Client, n.client); return err })
	group.Go(func() (err error) { inspection.ServerEnd, err = endStatus(ctx, s.Server, n.server); return err })
	if err := group.Wait(); err != nil {
		return Inspection{}, err
	}
	inspection.ClientEnd.Allow = allowAt(n.client.Limits(), true)
	inspection.ServerEnd.Allow = allowAt(n.server.Limits(), false)
	inspection.MadeBy = n.madeBy(peerings[0] != nil || peerings[1] != nil)
	return inspection, nil
}

// Reversed reports whether the network has the opposite direction: the server dials. A network without gateways has no
// direction. It reads the leaves' caches.
func (s *Shortcut) Reversed(ctx context.Context) (bool, error) {
	n, err := s.find(ctx)
	return n.reversed(), err
}

func endStatus(ctx context.Context, e *end.End, objects liqo.Objects) (EndStatus, error) {
	gateway := objects.Gateway
	if gateway == nil {
		return EndStatus{Status: Disconnected}, nil
	}
	pods, err := e.GatewayPods(ctx, gateway)
	if err != nil {
		return EndStatus{}, err
	}
	return EndStatus{Status: statusAt(objects), Latency: objects.Latency(), GatewayPods: pods}, nil
}
