package topology

import (
	"fmt"
	"strings"
	"unicode"
)

var dotColours = map[condition]string{coming: "orange", broken: "red", unclear: "gray"}

var dotShapes = map[shape]string{centre: "shape=circle", several: "peripheries=2"}

// DOT returns the graph in Graphviz's language.
func (g Graph) DOT(drawing Drawing) string {
	return g.pictures(drawing.MaxEdges)[0]().dot(drawing.Direction)
}

func (p picture) dot(direction Direction) string {
	var text strings.Builder
	fmt.Fprintf(&text, "digraph liqo {\n  rankdir=%s\n  node [shape=box]\n", direction)
	if len(p.note) > 0 {
		fmt.Fprintf(&text, "  label=%s\n", dotText(p.note...))
	}
	for i, frame := range p.frames {
		indent := "  "
		if frame.title != "" { // Graphviz draws a frame only if the name of the subgraph begins like this
			indent = "    "
			fmt.Fprintf(&text, "  subgraph cluster_%d {\n    label=%s\n", i, dotText(frame.title))
		}
		for _, box := range frame.boxes {
			fmt.Fprintf(&text, "%s%s [%s]\n", indent, box.id, strings.Join(box.dotAttributes(), ", "))
		}
		if frame.title != "" {
			text.WriteString("  }\n")
		}
	}
	for _, arrow := range p.arrows {
		fmt.Fprintf(&text, "  %s -> %s [%s]\n", arrow.from, arrow.to, strings.Join(arrow.dotAttributes(), ", "))
	}
	text.WriteString("}\n")
	return text.String()
}

func (b box) dotAttributes() []string {
	attributes := []string{"label=" + dotText(b.lines...)}
	if shape, ok := dotShapes[b.shape]; ok {
		attributes = append(attributes, shape)
	}
	if b.troubled {
		attributes = append(attributes, "color=red", "style=dashed")
	}
	return attributes
}

func (a arrow) dotAttributes() []string {
	attributes := []string{"label=" + dotText(a.lines...)}
	switch a.heads {
	case 0:
		attributes = append(attributes, "dir=none")
	case 2:
		attributes = append(attributes, "dir=both")
	}
	if a.thick {
		attributes = append(attributes, "penwidth=2")
	}
	if colour, ok := dotColours[a.condition]; ok {
		attributes = append(attributes, "color="+colour, "style=dashed")
	}
	return attributes
}

// dotEscapes escapes the characters with a special meaning in a quoted label. There, an ampersand starts an entity, as
// in HTML.
var dotEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, `&`, `&amp;`)

// dotText returns a quoted label with these lines.
func dotText(lines ...string) string {
	escaped := make([]string, len(lines))
	for i, line := range lines {
		escaped[i] = dotEscapes.Replace(strings.Map(func(char rune) rune {
			if unicode.IsControl(char) {
				return ' '
			}
			return char
		}, line))
	}
	return `"` + strings.Join(escaped, `\n`) + `"`
}
