package shortcut

import (
	"cmp"
	"context"
	"slices"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
)

// activeLabel marks, of a gateway's replicas, the one that holds the tunnel. Liqo has it in pkg/gateway/concurrent, which would bring the whole of
// controller-runtime's manager along.
const activeLabel = "networking.liqo.io/active"

// Inspection is all that the two leaves show of their network.
type Inspection struct {
	State

	// Reversed means that the network was made in the opposite direction: the server dials, and ServerEndpoint is the client's. All else keeps to the names that
	// were asked for.
	Reversed bool
	MadeBy   Maker

	ClientEnd, ServerEnd EndStatus
}

// EndStatus is how one end of a network is, as this end sees it.
type EndStatus struct {
	Status      Status
	Latency     *Latency // nil where this end has measured none
	GatewayPods []GatewayPod
}

// GatewayPod is one of the pods that a gateway runs in.
type GatewayPod struct {
	Name, Namespace string
	Node            string // empty until it is scheduled
	Active          bool   // of several replicas, the one that holds the tunnel
}

// Inspect tells how the network of the two leaves is, whoever made it and in whichever direction. It reads the leaves' caches, except for the pods of the
// gateways.
func (s *Shortcut) Inspect(ctx context.Context) (Inspection, error) {
	client, err := s.client.find(ctx)
	if err != nil {
		return Inspection{}, err
	}
	server, err := s.server.find(ctx)
	if err != nil {
		return Inspection{}, err
	}
	var inspection Inspection
	if client.dials(server) {
		inspection.State = s.state(client, server, false)
	} else {
		inspection.Reversed = true
		inspection.State = (&Shortcut{client: s.server, server: s.client}).state(server, client, false)
		inspection.Client, inspection.Server = inspection.Server, inspection.Client
	}
	peering, err := s.anyPeering(ctx)
	if err != nil {
		return Inspection{}, err
	}
	inspection.MadeBy = makerOf(client, server, peering)
	if inspection.ClientEnd, err = s.client.endStatus(ctx, client); err != nil {
		return Inspection{}, err
	}
	inspection.ServerEnd, err = s.server.endStatus(ctx, server)
	return inspection, err
}

// anyPeering reports whether one of the leaves has a peering with the other.
func (s *Shortcut) anyPeering(ctx context.Context) (bool, error) {
	for _, on := range s.sides() {
		if peering, err := on.peering(ctx); err != nil || peering != "" {
			return peering != "", err
		}
	}
	return false, nil
}

func (s *side) endStatus(ctx context.Context, found objects) (EndStatus, error) {
	gateway := found.gateway()
	if gateway == nil {
		return EndStatus{Status: Disconnected}, nil
	}
	pods, err := s.leaf.GatewayPods(ctx, gateway)
	if err != nil {
		return EndStatus{}, err
	}
	end := EndStatus{Status: Connecting, Latency: found.latency()}
	switch found.connected(gateway) {
	case networkingv1beta1.Connected:
		end.Status = Connected
	case networkingv1beta1.ConnectionError:
		end.Status = Error
	}
	for i := range pods {
		end.GatewayPods = append(end.GatewayPods, GatewayPod{
			Name: pods[i].Name, Namespace: pods[i].Namespace, Node: pods[i].Spec.NodeName,
			Active: pods[i].Labels[activeLabel] == "true",
		})
	}
	slices.SortFunc(end.GatewayPods, func(a, b GatewayPod) int { return cmp.Compare(a.Name, b.Name) })
	return end, nil
}
