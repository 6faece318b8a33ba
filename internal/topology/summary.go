package topology

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// tally counts nodes and edges.
type tally struct {
	nodes, notReady int
	limited         int // edges
	kinds           map[Kind]int
	conditions      map[condition]int
}

func (t *tally) addNode(node Node) {
	t.nodes++
	if node.Status != Ready {
		t.notReady++
	}
}

func (t *tally) addEdge(edge Edge) {
	t.kinds[edge.Kind]++
	t.conditions[edge.condition()]++
	if len(edge.LimitedAt) > 0 {
		t.limited++
	}
}

// edgeLines returns how many edges there are, and how many of them are limited or do not work.
func (t *tally) edgeLines() []string {
	var edges, problems, lines []string
	for _, kind := range []Kind{OfShortcut, OfPeering} {
		if number := t.kinds[kind]; number > 0 {
			edges = append(edges, cluster.Counted(number, string(kind)))
		}
	}
	if t.limited > 0 {
		edges = append(edges, fmt.Sprintf("%d limited", t.limited))
	}
	for _, problem := range []struct {
		condition condition
		text      string
	}{{broken, "✗ %d broken"}, {coming, "… %d connecting"}, {unclear, "? %d unknown"}} {
		if number := t.conditions[problem.condition]; number > 0 {
			problems = append(problems, fmt.Sprintf(problem.text, number))
		}
	}
	for _, line := range [][]string{edges, problems} {
		if len(line) > 0 {
			lines = append(lines, strings.Join(line, ", "))
		}
	}
	return lines
}

// worst returns the condition of the edge with the worst problem.
func (t *tally) worst() condition {
	for _, condition := range []condition{broken, unclear, coming} {
		if t.conditions[condition] > 0 {
			return condition
		}
	}
	return working
}

// box returns the box of a group with these nodes, and with these edges between them.
func (t *tally) box(id string, title ...string) box {
	clusters := cluster.Counted(t.nodes, "cluster")
	if t.notReady > 0 {
		clusters += fmt.Sprintf(", ✗ %d not ready", t.notReady)
	}
	return box{
		id: id, lines: slices.Concat(title, []string{clusters}, t.edgeLines()), shape: several,
		troubled: t.notReady > 0 || t.worst() == broken,
	}
}

func (t *tally) arrow(from, to string) arrow {
	return arrow{from: from, to: to, lines: t.edgeLines(), thick: t.kinds[OfShortcut] > 0, condition: t.worst()}
}

// summary returns a picture with one box for each group or, without groups, for all clusters. The central cluster has a
// box of its own. The texts count the nodes and edges that they stand for.
func (g Graph) summary(byGroup bool) picture {
	ids, groups := g.summaryIDs(byGroup)
	tallies := map[[2]string]*tally{} // two equal IDs are one group
	between := func(one, other string) *tally {
		ends := [2]string{min(one, other), max(one, other)}
		if tallies[ends] == nil {
			tallies[ends] = &tally{kinds: map[Kind]int{}, conditions: map[condition]int{}}
		}
		return tallies[ends]
	}
	boxes := []box{}
	for _, node := range g.Nodes {
		between(ids[node.Name], ids[node.Name]).addNode(node)
		if node.Central {
			boxes = append(boxes, node.box(centreID))
		}
	}
	for _, edge := range g.Edges {
		between(ids[edge.From], ids[edge.To]).addEdge(edge)
	}
	for i, group := range groups {
		boxes = append(boxes, between(groupID(i), groupID(i)).box(groupID(i), groupTitle(group, groups)...))
	}
	drawn := picture{note: append(g.selectionNote(), g.summaryNote(byGroup)...), frames: []frame{{boxes: boxes}}}
	for _, ends := range slices.SortedFunc(maps.Keys(tallies), compareEnds) {
		if ends[0] != ends[1] {
			drawn.arrows = append(drawn.arrows, tallies[ends].arrow(ends[0], ends[1]))
		}
	}
	return drawn
}

const centreID = "centre"

func groupID(i int) string { return "g" + strconv.Itoa(i) }

// summaryIDs returns the ID of the box of each node, and the groups, sorted. The ID of a group has its index. Nodes
// without a group are a group without a name.
func (g Graph) summaryIDs(byGroup bool) (ids map[string]string, groups []string) {
	groupOf := func(node Node) string {
		if byGroup {
			return node.Group
		}
		return ""
	}
	indices := map[string]int{}
	for _, node := range g.Nodes {
		if !node.Central {
			indices[groupOf(node)] = 0
		}
	}
	groups = slices.Sorted(maps.Keys(indices))
	for i, group := range groups {
		indices[group] = i
	}
	ids = make(map[string]string, len(g.Nodes))
	for _, node := range g.Nodes {
		ids[node.Name] = groupID(indices[groupOf(node)])
		if node.Central {
			ids[node.Name] = centreID
		}
	}
	return ids, groups
}

// groupTitle returns the first line of the box of a group, if it has one.
func groupTitle(group string, groups []string) []string {
	switch {
	case group != "":
		return []string{group}
	case len(groups) > 1:
		return []string{"without a group"}
	default:
		return nil
	}
}

func compareEnds(one, other [2]string) int {
	return cmp.Or(cmp.Compare(one[0], other[0]), cmp.Compare(one[1], other[1]))
}

// summaryNote says that the picture is a summary, and whether it leaves out the groups.
func (g Graph) summaryNote(byGroup bool) []string {
	note := []string{
		fmt.Sprintf("Summary of %s, %s",
			cluster.Counted(len(g.Nodes), "cluster"), cluster.Counted(len(g.Edges), "connection")),
	}
	groups := map[string]bool{}
	for _, node := range g.Nodes {
		if node.Group != "" {
			groups[node.Group] = true
		}
	}
	if !byGroup && len(groups) > 0 {
		note = append(note, "without "+cluster.Counted(len(groups), "group"))
	}
	return note
}
