package topology

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// The colours are readable on a light and on a dark page: GitHub has both.
var mermaidStyles = []struct {
	of    condition
	style string
}{
	{coming, "stroke:orange"},
	{broken, "stroke:red,stroke-width:2px"},
	{unclear, "stroke:gray"},
}

// Mermaid is the graph as a flowchart in Mermaid's language, which GitHub, among others, draws in Markdown.
func (g Graph) Mermaid(direction Direction) string {
	var text strings.Builder
	fmt.Fprintf(&text, "flowchart %s\n", direction)
	ids := make(map[string]string, len(g.Nodes))
	var troubled []string
	for i, node := range g.Nodes {
		id := "n" + strconv.Itoa(i)
		ids[node.Name] = id
		opening, closing := `["`, `"]`
		if node.Central {
			opening, closing = `(("`, `"))`
		}
		lines := node.lines()
		for i := range lines {
			lines[i] = mermaidText(lines[i])
		}
		fmt.Fprintf(&text, "  %s%s%s%s\n", id, opening, strings.Join(lines, "<br/>"), closing)
		if node.Status != Ready {
			troubled = append(troubled, id)
		}
	}
	styled := map[condition][]string{}
	for i, edge := range g.Edges {
		fmt.Fprintf(&text, "  %s %s|\"%s\"| %s\n", ids[edge.From], edge.mermaidArrow(), mermaidText(edge.label()), ids[edge.To])
		styled[edge.condition()] = append(styled[edge.condition()], strconv.Itoa(i))
	}
	for _, style := range mermaidStyles {
		if indices := styled[style.of]; len(indices) > 0 {
			fmt.Fprintf(&text, "  linkStyle %s %s\n", strings.Join(indices, ","), style.style)
		}
	}
	if len(troubled) > 0 {
		fmt.Fprintf(&text, "  classDef troubled stroke:red,stroke-width:2px,stroke-dasharray:5\n  class %s troubled\n", strings.Join(troubled, ","))
	}
	return text.String()
}

// mermaidArrow is thick for a shortcut and dotted for what does not work.
func (e Edge) mermaidArrow() string {
	arrow := "-->"
	switch {
	case e.condition() != working:
		arrow = "-.->"
	case e.Kind == OfShortcut:
		arrow = "==>"
	}
	if e.BothWays {
		return "<" + arrow
	}
	return arrow
}

// mermaidText writes a text so that it can stand between quotes. Mermaid knows no backslash, only numbered entities; all that is neither a letter nor harmless
// becomes one, because quotes, backticks, hashes, percent signs and even colons have a meaning there.
func mermaidText(text string) string {
	var escaped strings.Builder
	for _, char := range text {
		switch {
		case unicode.IsLetter(char), unicode.IsMark(char), unicode.IsDigit(char), strings.ContainsRune(" -_./@()'?✗…", char):
			escaped.WriteRune(char)
		case unicode.IsControl(char):
			escaped.WriteByte(' ')
		default:
			fmt.Fprintf(&escaped, "#%d;", char)
		}
	}
	return strings.ReplaceAll(escaped.String(), "#58; ", ": ") // before a space it has no meaning, and is more readable
}
