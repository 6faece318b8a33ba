package topology

import (
	"slices"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/direct"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

func TestAnEdgeHasTheServicesThatUseItFromEitherEnd(t *testing.T) {
	graph := New(shortcut.Survey{
		Leaves:   leavesOf("europe", "milan", "naples", "rome"),
		Networks: []shortcut.Link{link("rome", "milan"), link("rome", "naples"), link("europe", "venice")},
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
