package topology

import (
	"cmp"
	"slices"

	"github.com/leafmesh/terraform-provider-liqo/internal/direct"
)

// AddServices adds to each edge the Services whose pods meet over its network. uses has what each cluster shows, by the
// name of its node. A cluster that could not be asked is not in it.
func (g *Graph) AddServices(uses map[string][]direct.Use) {
	names, ids := map[string]string{}, map[string]string{}
	for _, node := range g.Nodes {
		if node.ClusterID != "" {
			names[node.ClusterID], ids[node.Name] = node.Name, node.ClusterID
		}
	}
	for i := range g.Edges {
		edge := &g.Edges[i]
		for _, way := range [][2]string{{edge.From, edge.To}, {edge.To, edge.From}} {
			found, asked := uses[way[0]]
			if asked && edge.Services == nil {
				edge.Services = []Service{}
			}
			for _, use := range found {
				if use.Remote == ids[way[1]] {
					edge.Services = append(edge.Services, Service{
						Cluster: cmp.Or(names[use.Centre], use.Centre), Namespace: use.Namespace, Name: use.Name,
					})
				}
			}
		}
		slices.SortFunc(edge.Services, Service.compare)
		edge.Services = slices.Compact(edge.Services)
	}
}

func (s Service) compare(other Service) int {
	return cmp.Or(cmp.Compare(s.Cluster, other.Cluster), cmp.Compare(s.Namespace, other.Namespace),
		cmp.Compare(s.Name, other.Name))
}
