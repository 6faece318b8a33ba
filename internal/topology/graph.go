package topology

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// Graph describes how a set of clusters is connected. The same clusters always give the same graph, in the same order.
type Graph struct {
	Nodes []Node // sorted by name
	Edges []Edge // sorted by From and To; at most one for two clusters

	// Pairs are the pairs of leaves that [Graph.AddPairs] has added, sorted by Client and Server. It is nil without that.
	Pairs []Pair

	// Whole is the size of the graph from which [Graph.Select] has selected this one, or nil.
	Whole *Size
}

// Size is the size of a graph.
type Size struct{ Nodes, Edges int }

// New returns a graph of the results of a survey. If central is empty, the cluster with the most peerings is the
// central cluster, if there is one.
func New(survey shortcut.Survey, central string) Graph {
	var graph Graph
	for _, link := range survey.Links {
		graph.Edges = append(graph.Edges, edgeOf(link))
	}
	slices.SortFunc(graph.Edges, func(a, b Edge) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	central = cmp.Or(central, mostPeered(graph.Edges))
	for _, leaf := range survey.Leaves {
		graph.Nodes = append(graph.Nodes, Node{
			Name: leaf.Name, ClusterID: leaf.ClusterID, Central: leaf.Name == central,
			Status: statusOf(leaf.Err), Err: leaf.Err,
		})
	}
	slices.SortFunc(graph.Nodes, func(a, b Node) int { return cmp.Compare(a.Name, b.Name) })
	return graph
}

// mostPeered returns the name of the cluster with the most peerings, or an empty name if there is no peering. If
// several have the same number, the consumer in more of them wins, then the first by name.
func mostPeered(edges []Edge) string {
	type score struct {
		name                 string
		peerings, asConsumer int
	}
	scores := map[string]score{}
	add := func(name string, consumes bool) {
		s := scores[name]
		s.name, s.peerings = name, s.peerings+1
		if consumes {
			s.asConsumer++
		}
		scores[name] = s
	}
	for _, edge := range edges {
		if edge.Kind == OfPeering {
			add(edge.From, true)
			add(edge.To, edge.BothWays)
		}
	}
	var best score
	for _, s := range scores {
		order := cmp.Or(cmp.Compare(s.peerings, best.peerings), cmp.Compare(s.asConsumer, best.asConsumer),
			cmp.Compare(best.name, s.name))
		if order > 0 {
			best = s
		}
	}
	return best.name
}

// Node is a cluster.
type Node struct {
	Name      string // the user's
	ClusterID string // Liqo's; empty unless Status is Ready
	Central   bool
	Status    NodeStatus
	Err       error // why Status is not Ready; nil if it is
}

// NodeStatus reports whether a cluster could be read.
type NodeStatus string

// The values of [NodeStatus].
const (
	Ready       NodeStatus = "Ready"
	Unreachable NodeStatus = "Unreachable" // its API server does not answer
	NoLiqo      NodeStatus = "NoLiqo"      // it answers, but has no Liqo
	Refused     NodeStatus = "Error"       // it can't be read for another reason
)

func statusOf(err error) NodeStatus {
	switch {
	case err == nil:
		return Ready
	case cluster.NoLiqo(err):
		return NoLiqo
	case cluster.Unreachable(err), errors.Is(err, context.DeadlineExceeded):
		return Unreachable
	default:
		return Refused
	}
}

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
