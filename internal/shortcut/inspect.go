package shortcut

import (
	"context"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
)

// Inspection is everything that the two leaves show about their network.
type Inspection struct {
	State

	// Reversed means that the network has the opposite direction: the server dials, and ServerEndpoint
	// is the client's. All other fields use the roles of the request.
	Reversed bool
	MadeBy   Maker

	ClientEnd, ServerEnd EndStatus
}

// EndStatus is the status of a network as one end sees it.
type EndStatus struct {
	Status      Status
	Latency     *end.Latency // nil if this end has measured none
	GatewayPods []end.GatewayPod
}

// Inspect reads the network of the two leaves, whoever created it and in whichever direction. It
// reads the leaves' caches, but the pods of the gateways live.
func (s *Shortcut) Inspect(ctx context.Context) (Inspection, error) {
	found, err := s.observe(ctx)
	if err != nil {
		return Inspection{}, err
	}
	var inspection Inspection
	if !found.reversed() {
		inspection.State = s.state(found, false)
	} else {
		inspection.Reversed = true
		inspection.State = (&Shortcut{Client: s.Server, Server: s.Client}).state(found.reverse(), false)
		inspection.Client, inspection.Server = inspection.Server, inspection.Client
	}
	peering, err := s.anyPeering(ctx)
	if err != nil {
		return Inspection{}, err
	}
	inspection.MadeBy = found.madeBy(peering)
	if inspection.ClientEnd, err = endStatus(ctx, s.Client, found.client); err != nil {
		return Inspection{}, err
	}
	inspection.ServerEnd, err = endStatus(ctx, s.Server, found.server)
	return inspection, err
}

// anyPeering reports whether one of the leaves has a peering with the other.
func (s *Shortcut) anyPeering(ctx context.Context) (bool, error) {
	for _, on := range s.ends() {
		if peering, err := on.Peering(ctx); err != nil || peering != "" {
			return peering != "", err
		}
	}
	return false, nil
}

func endStatus(ctx context.Context, at *end.End, found end.Objects) (EndStatus, error) {
	gateway := found.Gateway()
	if gateway == nil {
		return EndStatus{Status: Disconnected}, nil
	}
	pods, err := at.GatewayPods(ctx, gateway)
	if err != nil {
		return EndStatus{}, err
	}
	return EndStatus{Status: statusAt(found), Latency: found.Latency(), GatewayPods: pods}, nil
}
