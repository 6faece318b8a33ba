package topology

import (
	"slices"
	"strings"
	"testing"
)

// named returns the names of the nodes, and the ends of the edges.
func named(graph Graph) (nodes, edges []string) {
	for _, node := range graph.Nodes {
		nodes = append(nodes, node.Name)
	}
	for _, edge := range graph.Edges {
		edges = append(edges, edge.From+">"+edge.To)
	}
	return nodes, edges
}

func TestAFilterKeepsItsEdgesAndTheirEnds(t *testing.T) {
	graph := fleet(2)
	graph.Nodes = append(graph.Nodes, Node{Name: "zurich", Status: Unreachable})
	for name, test := range map[string]struct {
		filter       Filter
		nodes, edges []string
	}{
		"the edges of a leaf": {
			Filter{EdgesOf: []string{"north-01"}},
			[]string{"hub", "north-00", "north-01"}, []string{"hub>north-01", "north-01>north-00"},
		},
		"the edges of two leaves, once each": {
			Filter{EdgesOf: []string{"north-01", "hub"}},
			strings.Fields("east-00 east-01 hub north-00 north-01 south-00 south-01 west-00 west-01"),
			strings.Fields("hub>east-00 hub>east-01 hub>north-00 hub>north-01 hub>south-00 hub>south-01 hub>west-00 " +
				"hub>west-01 north-01>north-00"),
		},
		"a leaf without an edge": {Filter{EdgesOf: []string{"zurich"}}, []string{"zurich"}, nil},
		"problems, also of clusters": {
			Filter{ProblemsOnly: true}, []string{"east-00", "east-01", "south-00", "west-00", "zurich"},
			[]string{"east-01>east-00", "west-00>south-00"},
		},
		"problems of a leaf": {
			Filter{EdgesOf: []string{"south-00"}, ProblemsOnly: true}, []string{"south-00", "west-00"},
			[]string{"west-00>south-00"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			selected := graph.Select(test.filter)
			nodes, edges := named(selected)
			if !slices.Equal(nodes, test.nodes) || !slices.Equal(edges, test.edges) {
				t.Errorf("%s:\ngot      %q %q\nexpected %q %q", name, nodes, edges, test.nodes, test.edges)
			}
			if whole := selected.Whole; whole == nil || whole.Nodes != 10 || whole.Edges != len(graph.Edges) {
				t.Errorf("the whole graph has size %+v", whole)
			}
		})
	}
}

func TestASelectionHasThePairsOfItsClustersWithoutAShortcut(t *testing.T) {
	graph := Graph{
		Nodes: []Node{ready("milan", false), ready("naples", false), ready("rome", false), ready("turin", false)},
		Pairs: []Pair{{Client: "milan", Server: "rome"}, {Client: "naples", Server: "turin"},
			{Client: "rome", Server: "turin", HasShortcut: true}},
	}
	for name, test := range map[string]struct {
		filter       Filter
		pairs, nodes int
	}{
		"everything":    {Filter{}, 2, 4},
		"of Rome":       {Filter{EdgesOf: []string{"rome"}}, 1, 2},
		"problems only": {Filter{ProblemsOnly: true}, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			selected := graph.Select(test.filter)
			if all := name == "everything"; selected.Lines() != test.pairs || len(selected.Nodes) != test.nodes ||
				all != (selected.Whole == nil) {
				t.Errorf("%+v", selected)
			}
		})
	}
}
