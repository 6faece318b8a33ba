package topology

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

var dotColours = map[condition]string{coming: "orange", broken: "red", unclear: "gray"}

// DOT returns the graph in Graphviz's language.
func (g Graph) DOT(direction Direction) string {
	var text strings.Builder
	fmt.Fprintf(&text, "digraph liqo {\n  rankdir=%s\n  node [shape=box]\n", direction)
	ids := make(map[string]string, len(g.Nodes))
	for i, node := range g.Nodes {
		id := "n" + strconv.Itoa(i)
		ids[node.Name] = id
		attributes := []string{"label=" + dotText(node.lines()...)}
		if node.Central {
			attributes = append(attributes, "shape=circle")
		}
		if node.Status != Ready {
			attributes = append(attributes, "color=red", "style=dashed")
		}
		fmt.Fprintf(&text, "  %s [%s]\n", id, strings.Join(attributes, ", "))
	}
	for _, edge := range g.Edges {
		fmt.Fprintf(&text, "  %s -> %s [%s]\n", ids[edge.From], ids[edge.To], strings.Join(edge.dotAttributes(), ", "))
	}
	text.WriteString("}\n")
	return text.String()
}

func (e Edge) dotAttributes() []string {
	attributes := []string{"label=" + dotText(e.label())}
	if e.BothWays {
		attributes = append(attributes, "dir=both")
	}
	if e.Kind == OfShortcut {
		attributes = append(attributes, "penwidth=2")
	}
	if colour, ok := dotColours[e.condition()]; ok {
		attributes = append(attributes, "color="+colour, "style=dashed")
	}
	return attributes
}

// dotEscapes escapes the characters with a special meaning in a quoted label. There, an ampersand
// starts an entity, as in HTML.
var dotEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, `&`, `&amp;`)

// dotText returns a quoted label with these lines.
func dotText(lines ...string) string {
	for i, line := range lines {
		lines[i] = dotEscapes.Replace(strings.Map(func(char rune) rune {
			if unicode.IsControl(char) {
				return ' '
			}
			return char
		}, line))
	}
	return `"` + strings.Join(lines, `\n`) + `"`
}
