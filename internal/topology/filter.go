package topology

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
	chosen, stay := map[string]bool{}, map[string]bool{}
	for _, name := range filter.EdgesOf {
		chosen[name], stay[name] = true, true
	}
	selected := Graph{Whole: &Size{Nodes: len(g.Nodes), Edges: len(g.Edges)}}
	other := func(from, to string) bool { return filter.EdgesOf != nil && !chosen[from] && !chosen[to] }
	for _, edge := range g.Edges {
		if other(edge.From, edge.To) || filter.ProblemsOnly && edge.condition() == working {
			continue
		}
		stay[edge.From], stay[edge.To] = true, true
		selected.Edges = append(selected.Edges, edge)
	}
	for _, pair := range g.unjoined() {
		if filter.ProblemsOnly || other(pair.Client, pair.Server) {
			continue
		}
		stay[pair.Client], stay[pair.Server] = true, true
		selected.Pairs = append(selected.Pairs, pair)
	}
	for _, node := range g.Nodes {
		if stay[node.Name] || filter.EdgesOf == nil && node.Status != Ready {
			selected.Nodes = append(selected.Nodes, node)
		}
	}
	return selected
}
