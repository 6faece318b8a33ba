package topology

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// Graph is how a number of clusters are joined. It says the same of the same clusters, in the same order, however often it is made.
type Graph struct {
	Nodes []Node // sorted by name
	Edges []Edge // sorted by From and To; at most one for two clusters
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
	NoLiqo      NodeStatus = "NoLiqo"      // it answers, and Liqo is not there
	Refused     NodeStatus = "Error"       // it answers, and does not let itself be read
)

// Edge joins two clusters.
type Edge struct {
	Kind     Kind
	From, To string          // names: the consumer and the provider of a peering, the client and the server of a shortcut
	BothWays bool            // of a peering: each is the other's consumer, or it is not known yet who is
	Status   shortcut.Status // of the network between the two; NoNetwork for a peering without one
	MadeBy   shortcut.Maker  // of that network; empty where there is none
}

// Kind is what joins two clusters.
type Kind string

// The values of [Kind]. Two clusters that are peered have one edge for the peering and its network, whoever made that.
const (
	OfPeering  Kind = "peering"
	OfShortcut Kind = "shortcut"
)

// NoNetwork is the status of a peering whose clusters are not joined by a network.
const NoNetwork shortcut.Status = "NoNetwork"

// New makes a graph of what a survey has found. Without the name of a central cluster, it is the one that most others are peered with, if there is one.
func New(survey shortcut.Survey, central string) Graph {
	var graph Graph
	networks := map[pair]shortcut.Link{}
	for _, link := range survey.Networks {
		networks[pairOf(link.Client, link.Server)] = link
	}
	for _, peering := range survey.Peerings {
		between := pairOf(peering.Consumer, peering.Provider)
		edge := Edge{
			Kind: OfPeering, From: peering.Consumer.Name, To: peering.Provider.Name, BothWays: peering.BothWays, Status: NoNetwork,
		}
		if link, ok := networks[between]; ok {
			edge.Status, edge.MadeBy = link.Status, link.MadeBy
			delete(networks, between)
		}
		graph.Edges = append(graph.Edges, edge)
	}
	for _, link := range networks {
		graph.Edges = append(graph.Edges, Edge{
			Kind: OfShortcut, From: link.Client.Name, To: link.Server.Name, Status: link.Status, MadeBy: link.MadeBy,
		})
	}
	slices.SortFunc(graph.Edges, func(a, b Edge) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	central = cmp.Or(central, mostPeered(survey.Peerings))
	for _, member := range survey.Leaves {
		graph.Nodes = append(graph.Nodes, Node{
			Name: member.Name, ClusterID: member.ClusterID, Central: member.Name == central, Status: statusOf(member.Err), Err: member.Err,
		})
	}
	slices.SortFunc(graph.Nodes, func(a, b Node) int { return cmp.Compare(a.Name, b.Name) })
	return graph
}

// pair is two names, sorted.
type pair [2]string

func pairOf(a, b shortcut.Cluster) pair { return pair{min(a.Name, b.Name), max(a.Name, b.Name)} }

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

// mostPeered is the name of the cluster with the most peerings. Of several, the one that is the consumer in more of them, then the first by name; none where
// there is no peering.
func mostPeered(peerings []shortcut.Peering) string {
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
	for _, peering := range peerings {
		add(peering.Consumer.Name, true)
		add(peering.Provider.Name, peering.BothWays)
	}
	var best score
	for _, s := range scores {
		if cmp.Or(cmp.Compare(s.peerings, best.peerings), cmp.Compare(s.asConsumer, best.asConsumer), cmp.Compare(best.name, s.name)) > 0 {
			best = s
		}
	}
	return best.name
}
