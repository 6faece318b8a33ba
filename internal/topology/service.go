package topology

import (
	"cmp"
	"slices"

	"github.com/leafmesh/terraform-provider-liqo/internal/direct"
)

// Service is a Service of a central cluster.
type Service struct {
	Cluster         string // name of the central cluster; its cluster ID if it is no node of the graph
	Namespace, Name string
}

// AddServices adds to each edge the Services whose pods meet over its network. uses has what each cluster shows, by the
// name of its node. A cluster that could not be asked is not in it.
func (g *Graph) AddServices(uses map[string][]direct.Use) {
	names, ids := map[string]string{}, map[string]string{}
	for _, node := range g.Nodes {
		if node.ClusterID != "" {
			names[node.ClusterID], ids[node.Name] = node.Name, node.ClusterID
		}
	}
	// way is a node, and the cluster ID of another one that its pods reach.
	type way struct{ node, remote string }
	ways := map[way][]Service{}
	for node, uses := range uses {
		for _, use := range uses {
			used := way{node, use.Remote}
			ways[used] = append(ways[used], Service{
				Cluster: cmp.Or(names[use.Centre], use.Centre), Namespace: use.Namespace, Name: use.Name,
			})
		}
	}
	for i := range g.Edges {
		edge := &g.Edges[i]
		_, fromAsked := uses[edge.From]
		_, toAsked := uses[edge.To]
		if !fromAsked && !toAsked {
			continue
		}
		edge.Services = append([]Service{}, ways[way{edge.From, ids[edge.To]}]...)
		edge.Services = append(edge.Services, ways[way{edge.To, ids[edge.From]}]...)
		slices.SortFunc(edge.Services, Service.compare)
		edge.Services = slices.Compact(edge.Services)
	}
}

func (s Service) compare(other Service) int {
	return cmp.Or(cmp.Compare(s.Cluster, other.Cluster), cmp.Compare(s.Namespace, other.Namespace),
		cmp.Compare(s.Name, other.Name))
}
