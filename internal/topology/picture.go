package topology

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// Drawing is how a graph is drawn.
type Drawing struct {
	Direction Direction
	MaxEdges  int // a graph with more edges is drawn as a summary
}

// picture is what Mermaid and Graphviz draw: boxes and arrows between them.
type picture struct {
	note   []string // lines that say what the picture leaves out; empty if it leaves out nothing
	frames []frame  // sorted by title
	arrows []arrow
}

// frame is drawn around the boxes of a group. Without a title, it is not drawn.
type frame struct {
	title string
	boxes []box
}

type box struct {
	id       string
	lines    []string
	shape    shape
	troubled bool
}

// shape is what a box stands for.
type shape int

const (
	leaf shape = iota
	centre
	several // clusters
)

// arrow is drawn from one box to another one.
type arrow struct {
	from, to  string // IDs of boxes
	lines     []string
	heads     int // 0: a line; 1: an arrow; 2: an arrow with two heads
	thick     bool
	condition condition
}

// pictures returns functions that draw the graph: the most detailed picture that is still readable, and then simpler
// ones, for a program that can't draw this one.
func (g Graph) pictures(maxEdges int) []func() picture {
	summaries := []func() picture{
		func() picture { return g.summary(true) },
		func() picture { return g.summary(false) },
	}
	if len(g.Edges) <= maxEdges {
		return append([]func() picture{g.complete}, summaries...)
	}
	return summaries
}

// complete returns a picture with every node and edge.
func (g Graph) complete() picture {
	drawn := picture{note: g.selectionNote()}
	ids, boxes := make(map[string]string, len(g.Nodes)), map[string][]box{}
	for i, node := range g.Nodes {
		ids[node.Name] = "n" + strconv.Itoa(i)
		boxes[node.Group] = append(boxes[node.Group], node.box(ids[node.Name]))
	}
	for _, group := range slices.Sorted(maps.Keys(boxes)) {
		drawn.frames = append(drawn.frames, frame{title: group, boxes: boxes[group]})
	}
	for _, edge := range g.Edges {
		drawn.arrows = append(drawn.arrows, edge.arrow(ids[edge.From], ids[edge.To]))
	}
	return drawn
}

func (n Node) box(id string) box {
	drawn := box{id: id, lines: n.lines(), troubled: n.Status != Ready}
	if n.Central {
		drawn.shape = centre
	}
	return drawn
}

func (e Edge) arrow(from, to string) arrow {
	drawn := arrow{
		from: from, to: to, lines: []string{e.label()}, heads: 1, thick: e.Kind == OfShortcut, condition: e.condition(),
	}
	if e.BothWays {
		drawn.heads = 2
	}
	return drawn
}

// selectionNote returns what the graph does not have because of a filter.
func (g Graph) selectionNote() []string {
	if g.Whole == nil {
		return nil
	}
	return []string{fmt.Sprintf("%d of %s, %d of %s", len(g.Nodes), cluster.Counted(g.Whole.Nodes, "cluster"),
		len(g.Edges), cluster.Counted(g.Whole.Edges, "connection"))}
}
