package topology

import (
	"cmp"
	"slices"

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
