package topology

import (
	"fmt"
	"strings"
	"testing"
)

// has checks that a picture contains all of these texts.
func has(t *testing.T, picture string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(picture, text) {
			t.Errorf("%q is missing in:\n%.2000s", text, picture)
		}
	}
}

func TestAPictureIsASummaryOnlyAboveItsMaximumOfEdges(t *testing.T) {
	graph := fleet(2)
	complete, summary := Drawing{LeftToRight, len(graph.Edges)}, Drawing{LeftToRight, len(graph.Edges) - 1}
	for _, picture := range []string{graph.Mermaid(complete), graph.DOT(complete)} {
		if strings.Contains(picture, "Summary") {
			t.Errorf("a summary of a small graph:\n%s", picture)
		}
		has(t, picture, "west-01")
	}
	for _, picture := range []string{graph.Mermaid(summary), graph.DOT(summary)} {
		has(t, picture, "Summary of 9 clusters, 18 connections", "8 clusters, ✗ 1 not ready")
		if strings.Contains(picture, "west-01") {
			t.Errorf("not a summary:\n%s", picture)
		}
	}
}

func TestASummaryCountsTheLimitedEdges(t *testing.T) {
	graph := fleet(2)
	for i := range graph.Edges {
		if graph.Edges[i].Kind == OfShortcut {
			graph.Edges[i].LimitedAt = []string{graph.Edges[i].From}
			break
		}
	}
	for _, picture := range []string{graph.Mermaid(Drawing{LeftToRight, 1}), graph.DOT(Drawing{LeftToRight, 1})} {
		has(t, picture, ", 1 limited")
	}
}

func TestMermaidNeverGetsMoreThanItDraws(t *testing.T) {
	long := strings.Repeat("東", mermaidMaxText)
	large := New(surveyOf(100, 1000), "")
	many := New(surveyOf(100, 1000), "")
	groups := Groups{}
	for _, node := range many.Nodes {
		groups[node.Name] = "of " + node.Name
	}
	many.AddGroups(groups)
	wordy := New(surveyOf(3, 1), "")
	wordy.AddGroups(Groups{"*": long})
	astral := Graph{Nodes: []Node{ready(strings.Repeat("𐐀", mermaidMaxText/2), false)}} // each has two UTF-16 code units
	for name, test := range map[string]struct {
		graph Graph
		notes []string
	}{
		"too many edges":             {large, []string{"100 clusters, 1079 connections"}},
		"too many groups":            {many, []string{"100 clusters, 1079 connections", "without 100 groups"}},
		"too long a text":            {wordy, []string{"Summary of 3 clusters, 2 connections", "without 1 group"}},
		"too many UTF-16 code units": {astral, []string{"Summary of 1 cluster, 0 connections"}},
	} {
		t.Run(name, func(t *testing.T) {
			picture := test.graph.Mermaid(Drawing{LeftToRight, 100_000})
			has(t, picture, test.notes...)
			if lines := strings.Count(picture, "\n"); lines > mermaidMaxEdges {
				t.Errorf("%d lines", lines)
			}
		})
	}
	if picture := large.DOT(Drawing{LeftToRight, 100_000}); strings.Count(picture, " -> ") != len(large.Edges) {
		t.Errorf("Graphviz has no such limit, but got:\n%.2000s", picture)
	}
}

func TestASummaryCountsEveryNodeAndEdgeOnce(t *testing.T) {
	graph := fleet(25)
	graph.AddGroups(Groups{"north-*": "North", "hub": "North", "east-*": "East"})
	drawn := graph.summary(true)
	var clusters, edges int
	count := func(lines []string) {
		for _, line := range lines {
			for part := range strings.SplitSeq(line, ", ") {
				var number int
				var thing string
				if _, err := fmt.Sscanf(part, "%d %s", &number, &thing); err != nil {
					continue
				}
				switch strings.TrimSuffix(thing, "s") {
				case "cluster":
					clusters += number
				case "shortcut", "peering":
					edges += number
				}
			}
		}
	}
	for _, box := range drawn.frames[0].boxes {
		count(box.lines)
	}
	for _, arrow := range drawn.arrows {
		count(arrow.lines)
	}
	if clusters != len(graph.Nodes)-1 || edges != len(graph.Edges) {
		t.Errorf("it counts %d clusters beside the central one, and %d edges, of %d and %d",
			clusters, edges, len(graph.Nodes)-1, len(graph.Edges))
	}
	has(t, drawn.mermaid(LeftToRight), `centre(("hub"))`, "without a group<br/>50 clusters<br/>", "North<br/>25 clusters")
}
