package topology

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

func joined(name string) shortcut.Cluster { return shortcut.Cluster{Name: name, ID: "id-" + name} }

func link(client, server string) shortcut.Link {
	return shortcut.Link{
		Client: joined(client), Server: joined(server), Status: shortcut.Connected, MadeBy: shortcut.ByProvider,
	}
}

// peering returns a link of two clusters that have no network.
func peering(consumer, provider string) shortcut.Link {
	return shortcut.Link{
		Client: joined(consumer), Server: joined(provider),
		Peering: &shortcut.Peering{Consumer: consumer, Provider: provider},
	}
}

func leavesOf(names ...string) []shortcut.Leaf {
	all := make([]shortcut.Leaf, len(names))
	for i, name := range names {
		all[i] = shortcut.Leaf{Name: name, ClusterID: "id-" + name}
	}
	return all
}

func TestAPeeringAndItsNetworkAreOneEdge(t *testing.T) {
	made := link("rome", "europe")
	made.Status, made.MadeBy, made.Latency = shortcut.Connecting, shortcut.ByPeering, new(liqo.Latency)
	made.Peering = peering("europe", "rome").Peering
	direct := link("rome", "milan")
	direct.Latency = new(liqo.Latency)
	both := peering("europe", "milan")
	both.Peering.BothWays = true
	links := []shortcut.Link{made, direct, both}
	graph := New(shortcut.Survey{Leaves: leavesOf("rome", "milan", "europe"), Links: links}, "")
	expected := []Edge{
		{Kind: OfPeering, From: "europe", To: "milan", BothWays: true, Status: NoNetwork},
		{Kind: OfPeering, From: "europe", To: "rome", Status: shortcut.Connecting, MadeBy: shortcut.ByPeering,
			Latency: made.Latency},
		{Kind: OfShortcut, From: "rome", To: "milan", Status: shortcut.Connected, MadeBy: shortcut.ByProvider,
			Latency: direct.Latency},
	}
	if !reflect.DeepEqual(graph.Edges, expected) {
		t.Errorf("got %+v", graph.Edges)
	}
	for i, name := range []string{"europe", "milan", "rome"} {
		node := Node{Name: name, ClusterID: "id-" + name, Status: Ready, Central: name == "europe"}
		if graph.Nodes[i] != node {
			t.Errorf("got %+v", graph.Nodes)
		}
	}
}

func TestTheCentralClusterIsTheOneThatMostOthersArePeeredWith(t *testing.T) {
	both := peering("berlin", "athens")
	both.Peering.BothWays = true
	leaves := leavesOf("hub", "a", "b", "c", "athens", "berlin", "zurich")
	two := []shortcut.Link{peering("hub", "a"), peering("hub", "b")}
	hub := []shortcut.Link{peering("hub", "a"), peering("b", "hub"), peering("a", "b"), peering("hub", "c")}
	for name, test := range map[string]struct {
		peerings []shortcut.Link
		asked    string
		expected []string
	}{
		"one hub":                          {hub, "", []string{"hub"}},
		"as asked for":                     {two, "a", []string{"a"}},
		"of two, the consumer":             {[]shortcut.Link{peering("zurich", "athens")}, "", []string{"zurich"}},
		"of two equals, the first by name": {[]shortcut.Link{both}, "", []string{"athens"}},
		"none without a peering":           {nil, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			graph := New(shortcut.Survey{Leaves: leaves, Links: test.peerings}, test.asked)
			var central []string
			for _, node := range graph.Nodes {
				if node.Central {
					central = append(central, node.Name)
				}
			}
			if !slices.Equal(central, test.expected) {
				t.Errorf("%q, expected %q", central, test.expected)
			}
		})
	}
}

func TestANodeTellsWhyItsClusterCouldNotBeRead(t *testing.T) {
	for expected, err := range map[NodeStatus]error{
		Ready:       nil,
		Unreachable: fmt.Errorf("waiting: %w", context.DeadlineExceeded),
		Refused:     errors.New("no permission"),
	} {
		t.Run(string(expected), func(t *testing.T) {
			graph := New(shortcut.Survey{Leaves: []shortcut.Leaf{{Name: "rome", Err: err}}}, "")
			if node := graph.Nodes[0]; node.Status != expected || !errors.Is(node.Err, err) {
				t.Errorf("%v: %+v", err, node)
			}
		})
	}
}
