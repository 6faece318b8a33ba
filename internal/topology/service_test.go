package topology

import (
	"fmt"
	"slices"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/direct"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

func TestAnEdgeHasTheServicesThatUseItFromEitherEnd(t *testing.T) {
	graph := New(shortcut.Survey{
		Leaves: leavesOf("europe", "milan", "naples", "rome"),
		Links:  []shortcut.Link{link("rome", "milan"), link("rome", "naples"), link("europe", "venice")},
	}, "")
	web := direct.Use{Centre: "id-europe", Namespace: "shop", Name: "web", Remote: "id-milan"}
	back, other := web, web
	back.Remote, other.Name = "id-rome", "db"
	graph.AddServices(map[string][]direct.Use{"rome": {web, other}, "milan": {back, {
		Centre: "id-asia", Namespace: "shop", Name: "web", Remote: "id-rome",
	}}})
	expected := map[string][]Service{
		"milan":  {{"europe", "shop", "db"}, {"europe", "shop", "web"}, {"id-asia", "shop", "web"}},
		"naples": {}, "venice": nil,
	}
	for _, edge := range graph.Edges {
		services := expected[edge.To]
		if !slices.Equal(edge.Services, services) || (edge.Services == nil) != (services == nil) {
			t.Errorf("%s to %s: got %+v", edge.From, edge.To, edge.Services)
		}
	}
	if len(graph.Edges) != 3 {
		t.Errorf("got %+v", graph.Edges)
	}
}

// usesOf returns two Services of the hub that use each edge of a graph, from both ends.
func usesOf(graph Graph) map[string][]direct.Use {
	uses := map[string][]direct.Use{}
	for _, edge := range graph.Edges {
		for _, way := range [][2]string{{edge.From, edge.To}, {edge.To, edge.From}} {
			for _, name := range []string{"db", "web"} {
				uses[way[0]] = append(uses[way[0]], direct.Use{
					Centre: "id-hub", Namespace: "shop", Name: name, Remote: "id-" + way[1],
				})
			}
		}
	}
	return uses
}

func BenchmarkServices(b *testing.B) {
	for _, leaves := range []int{100, 200, 400} {
		b.Run(fmt.Sprintf("leaves=%d", leaves), func(b *testing.B) {
			graph := fleet(leaves / 4)
			uses := usesOf(graph)
			b.ReportAllocs()
			for b.Loop() {
				with := Graph{Nodes: graph.Nodes, Edges: slices.Clone(graph.Edges)}
				with.AddServices(uses)
				if len(with.Edges[0].Services) != 2 {
					b.Fatalf("got %+v", with.Edges[0])
				}
			}
		})
	}
}
