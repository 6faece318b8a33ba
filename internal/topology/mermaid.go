package topology

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// mermaidStyles has colours that are readable on light and on dark pages, because GitHub has both.
var mermaidStyles = []struct {
	of    condition
	style string
}{
	{coming, "stroke:orange"},
	{broken, "stroke:red,stroke-width:2px"},
	{unclear, "stroke:gray"},
}

// Mermaid returns the graph as a flowchart in Mermaid's language, which GitHub and others draw in
// Markdown.
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
		fmt.Fprintf(&text, "  %s %s|\"%s\"| %s\n",
			ids[edge.From], edge.mermaidArrow(), mermaidText(edge.label()), ids[edge.To])
		styled[edge.condition()] = append(styled[edge.condition()], strconv.Itoa(i))
	}
	for _, style := range mermaidStyles {
		if indices := styled[style.of]; len(indices) > 0 {
			fmt.Fprintf(&text, "  linkStyle %s %s\n", strings.Join(indices, ","), style.style)
		}
	}
	if len(troubled) > 0 {
		fmt.Fprintf(&text, "  classDef troubled stroke:red,stroke-width:2px,stroke-dasharray:5\n  class %s troubled\n",
			strings.Join(troubled, ","))
	}
	return text.String()
}

// mermaidArrow returns a thick arrow for a shortcut, and a dotted one for an edge that does not work.
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

// mermaidText escapes a text for use between quotes. Mermaid has no backslash escapes, only
// numbered entities. Every character becomes one unless it is a letter or known to be harmless,
// because quotes, backticks, hashes, percent signs and even colons have a special meaning.
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
	// A colon before a space has no special meaning, and is more readable.
	return strings.ReplaceAll(escaped.String(), "#58; ", ": ")
}
