package topology

import "slices"

// Filter selects edges. The zero value selects all of them.
type Filter struct {
	EdgesOf      []string // names of nodes: only their edges; nil for those of all nodes
	ProblemsOnly bool     // only edges whose network does not work, or whose status is not known
}

// Select returns a graph with only the selected edges and the nodes at their ends. The nodes of EdgesOf stay in any
// case. Without EdgesOf, a node that is not ready is a problem too. A pair without a shortcut is not.
func (g Graph) Select(filter Filter) Graph {
	if filter.EdgesOf == nil && !filter.ProblemsOnly {
		return g
	}
	stay := map[string]bool{}
	for _, name := range filter.EdgesOf {
		stay[name] = true
	}
	selected := Graph{Whole: &Size{Nodes: len(g.Nodes), Edges: len(g.Edges)}}
	for _, edge := range g.Edges {
		if filter.selects(edge.From, edge.To, edge.condition() != working) {
			stay[edge.From], stay[edge.To] = true, true
			selected.Edges = append(selected.Edges, edge)
		}
	}
	for _, pair := range g.unjoined() {
		if filter.selects(pair.Client, pair.Server, false) {
			stay[pair.Client], stay[pair.Server] = true, true
			selected.Pairs = append(selected.Pairs, pair)
		}
	}
	for _, node := range g.Nodes {
		if stay[node.Name] || filter.EdgesOf == nil && node.Status != Ready {
			selected.Nodes = append(selected.Nodes, node)
		}
	}
	return selected
}

// selects reports whether the filter selects what is between two nodes, be it a problem or not.
func (f Filter) selects(from, to string, problem bool) bool {
	atNode := f.EdgesOf == nil || slices.Contains(f.EdgesOf, from) || slices.Contains(f.EdgesOf, to)
	return atNode && (problem || !f.ProblemsOnly)
}
