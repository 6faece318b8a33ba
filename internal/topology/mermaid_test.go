package topology

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

var update = flag.Bool("update", false, "rewrite the expected pictures")

const special = `"quoted" \ [x] (y) {z} <b>bold</b> &amp; #35;`

// pictures returns graphs with everything that a picture can show.
func pictures() map[string]Graph {
	return map[string]Graph{
		"empty":     {},
		"selection": fleet(2).Select(Filter{EdgesOf: []string{"hub", "east-00"}}),
		"problems":  fleet(25).Select(Filter{ProblemsOnly: true}),
		"hub": {
			Nodes: []Node{ready("europe", true), ready("milan", false), ready("rome", false)},
			Edges: []Edge{
				{Kind: OfPeering, From: "europe", To: "milan", Status: shortcut.Connected, MadeBy: shortcut.ByPeering},
				{Kind: OfPeering, From: "europe", To: "rome", Status: shortcut.Connected, MadeBy: shortcut.ByPeering},
				{Kind: OfShortcut, From: "rome", To: "milan", Status: shortcut.Connected, MadeBy: shortcut.ByProvider},
			},
		},
		"pairs": {
			Nodes: []Node{ready("europe", true), ready("milan", false), ready("naples", false), ready("rome", false)},
			Edges: []Edge{
				{Kind: OfPeering, From: "europe", To: "naples", Status: shortcut.Error, MadeBy: shortcut.ByPeering},
				{Kind: OfShortcut, From: "rome", To: "milan", Status: shortcut.Connected, MadeBy: shortcut.ByProvider},
			},
			Pairs: []Pair{
				{Client: "milan", Server: "naples", Services: make([]PairService, 1)},
				{Client: "naples", Server: "rome", Services: make([]PairService, 12)},
				{Client: "rome", Server: "milan", Services: make([]PairService, 3), HasShortcut: true},
			},
		},
		"limited": {
			Nodes: []Node{ready("milan", false), ready("naples", false), ready("rome", false)},
			Edges: []Edge{
				{
					Kind: OfShortcut, From: "naples", To: "milan", Status: shortcut.Error, MadeBy: shortcut.ByProvider,
					LimitedAt: []string{"milan", "naples"},
				},
				{
					Kind: OfPeering, From: "naples", To: "rome", Status: shortcut.Connected, MadeBy: shortcut.ByOther,
					LimitedAt: []string{"rome"},
				},
				{
					Kind: OfShortcut, From: "rome", To: "milan", Status: shortcut.Connected, MadeBy: shortcut.ByProvider,
					LimitedAt: []string{"milan", "rome"},
				},
			},
		},
		"trouble": {
			Nodes: []Node{
				ready("europe", true), ready("florence", false), ready("milan", false),
				{Name: "naples", Status: Unreachable, Err: errors.New("no answer")},
				ready("rome", false),
				{Name: "turin", Status: Refused, Err: errors.New("no permission")},
				{Name: "venice", Status: NoLiqo, Err: errors.New("no Liqo")},
			},
			Edges: []Edge{
				{Kind: OfPeering, From: "europe", To: "florence", Status: NoNetwork},
				{
					Kind: OfPeering, From: "europe", To: "milan", BothWays: true,
					Status: shortcut.Disconnected, MadeBy: shortcut.ByPeering,
				},
				{Kind: OfPeering, From: "europe", To: "naples", Status: shortcut.Unknown, MadeBy: shortcut.ByPeering},
				{
					Kind: OfPeering, From: "europe", To: "rome", BothWays: true,
					Status: shortcut.Connected, MadeBy: shortcut.ByProvider,
				},
				{Kind: OfShortcut, From: "florence", To: "milan", Status: shortcut.Connecting, MadeBy: shortcut.ByProvider},
				{Kind: OfShortcut, From: "milan", To: "rome", Status: shortcut.Error, MadeBy: shortcut.ByProvider},
				{Kind: OfShortcut, From: "rome", To: "florence", Status: shortcut.Connected, MadeBy: shortcut.ByOther},
			},
		},
		"names": {
			Nodes: []Node{
				ready(special, true), ready("%%{init: {'theme':'forest'}}%%", false), ready("`**markdown**`", false),
				ready("a;b|c --> d:::e@{ shape: cyl }", false),
				ready("arn:aws:eks:eu-central-1:123456789012:cluster/rome", false), ready("end", false),
				ready("new\nline\ttab", false), ready("style:#quot;", false), ready("Zürich 東京 🗼 ﬂ°°34¶ß", false),
			},
			Edges: []Edge{
				{Kind: OfShortcut, From: "end", To: special, Status: shortcut.Connected, MadeBy: shortcut.ByProvider},
				{Kind: OfShortcut, From: "end", To: "new\nline\ttab", Status: shortcut.Error, MadeBy: shortcut.ByProvider},
			},
		},
	}
}

// fleet returns a graph of a hub and this number of leaves in each of four regions. Each region is a mesh. In each, the
// first leaf has a shortcut to those of the other regions. Some things do not work.
func fleet(each int) Graph {
	names := []string{"east", "north", "south", "west"}
	survey := shortcut.Survey{Leaves: leavesOf("hub")}
	name := func(region string, i int) string { return fmt.Sprintf("%s-%02d", region, i) }
	for _, region := range names {
		for i := range each {
			survey.Leaves = append(survey.Leaves, leavesOf(name(region, i))...)
			survey.Links = append(survey.Links, peering("hub", name(region, i)))
			for j := range i {
				survey.Links = append(survey.Links, link(name(region, i), name(region, j)))
			}
		}
	}
	for i, region := range names {
		for _, other := range names[:i] {
			survey.Links = append(survey.Links, link(name(region, 0), name(other, 0)))
		}
	}
	last := len(survey.Links) - 1
	// The first and the last network.
	survey.Links[2].Status, survey.Links[last].Status = shortcut.Error, shortcut.Connecting
	survey.Leaves[1].Err = errors.New("no answer")
	return New(survey, "hub")
}

func ready(name string, central bool) Node {
	return Node{Name: name, ClusterID: name, Central: central, Status: Ready}
}

// `make lint` parses the expected pictures with Mermaid's own parser. This test checks that the package draws exactly
// these pictures.
func TestPicturesAreAsTheyWereWhenSomebodyLookedAtThem(t *testing.T) {
	for name, graph := range pictures() {
		t.Run(name, func(t *testing.T) {
			got, golden := graph.Mermaid(), filepath.Join("testdata", name+".mmd")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if expected, err := os.ReadFile(golden); err != nil || got != string(expected) {
				t.Errorf("it is now:\n%s\nexpected:\n%s (%v)", got, expected, err)
			}
		})
	}
}

func TestAGraphIsDrawnOnlyIfMermaidDrawsIt(t *testing.T) {
	joining := func(links int) Graph {
		return New(shortcut.Survey{Links: slices.Repeat([]shortcut.Link{link("a", "b")}, links)}, "")
	}
	named := func(name string) Graph { return Graph{Nodes: []Node{ready(name, false)}} }
	room := mermaidMaxText - len(named("").Mermaid())
	for name, test := range map[string]struct {
		graph Graph
		drawn bool
	}{
		"as many edges as possible":       {joining(mermaidMaxEdges), true},
		"one edge more":                   {joining(mermaidMaxEdges + 1), false},
		"a text as long as possible":      {named(strings.Repeat("東", room)), true},
		"one character more":              {named(strings.Repeat("東", room+1)), false},
		"characters of two units each":    {named(strings.Repeat("𐐀", room/2)), true},
		"one character of two units more": {named(strings.Repeat("𐐀", room/2+1)), false},
	} {
		t.Run(name, func(t *testing.T) {
			if drawn := test.graph.Mermaid() != ""; drawn != test.drawn {
				t.Errorf("drawn: %t", drawn)
			}
		})
	}
}
