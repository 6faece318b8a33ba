package topology

import (
	"cmp"
	"slices"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// Edge connects two clusters.
type Edge struct {
	Kind     Kind
	From, To string          // names: consumer and provider of a peering, client and server of a shortcut
	BothWays bool            // of a peering: each cluster consumes the other, or the consumer is not known yet
	Status   shortcut.Status // of the network between the two; NoNetwork for a peering without a network
	MadeBy   shortcut.Maker  // of this network; empty if there is none
	Latency  *liqo.Latency   // of this network; nil if there is no measurement
	Dialed   string          // name of the cluster that the other one dials; empty while there is no gateway

	// LimitedAt are the clusters whose gateways limit what may cross this network, sorted.
	LimitedAt []string

	// Services use this network directly, sorted. It is nil if neither cluster could be asked.
	Services []Service
}

// Kind is the kind of an edge.
type Kind string

// The values of [Kind]. Two peered clusters have one edge for the peering and its network, whoever made the network.
const (
	OfPeering  Kind = "peering"
	OfShortcut Kind = "shortcut"
)

// NoNetwork is the status of a peering without a network.
const NoNetwork shortcut.Status = "NoNetwork"

// edgeOf returns the edge of a link. A peering and its network are one edge.
func edgeOf(link shortcut.Link) Edge {
	edge := Edge{
		Kind: OfShortcut, From: link.Client.Name, To: link.Server.Name,
		Status: cmp.Or(link.Status, NoNetwork), MadeBy: link.MadeBy, Latency: link.Latency,
		LimitedAt: slices.Sorted(slices.Values(link.LimitedAt)),
	}
	if link.MTU != 0 {
		edge.Dialed = link.Server.Name
	}
	if peering := link.Peering; peering != nil {
		edge.Kind, edge.From, edge.To, edge.BothWays = OfPeering, peering.Consumer, peering.Provider, peering.BothWays
	}
	return edge
}

// condition is the part of a status that a filter selects and a picture shows.
type condition int

const (
	working condition = iota
	coming            // may work soon
	broken
	unclear // can't be determined from here
)

func (e Edge) condition() condition {
	switch e.Status {
	case shortcut.Connected, NoNetwork:
		return working
	case shortcut.Connecting:
		return coming
	case shortcut.Unknown:
		return unclear
	default:
		return broken
	}
}
