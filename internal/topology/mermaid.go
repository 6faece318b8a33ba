package topology

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// Limits of Mermaid's defaults, which GitHub has, too. Only the page that draws a picture can raise them, not the
// picture. Instead of a larger picture, the page shows an error. See maxEdges, maxTextSize and secure in
// https://mermaid.js.org/config/schema-docs/config.html.
const (
	mermaidMaxEdges = 500
	mermaidMaxText  = 50_000 // UTF-16 code units
)

// Mermaid returns the graph as a flowchart in Mermaid's language, which GitHub and others draw in Markdown. It returns
// an empty text if the flowchart would be larger than what Mermaid draws.
func (g Graph) Mermaid() string {
	if g.Lines() > mermaidMaxEdges {
		return ""
	}
	text := g.flowchart()
	if len(utf16.Encode([]rune(text))) > mermaidMaxText {
		return ""
	}
	return text
}

// Lines is the number of lines in a picture of the graph.
func (g Graph) Lines() int { return len(g.Edges) + len(g.unjoined()) }

func (g Graph) flowchart() string {
	var text strings.Builder
	text.WriteString("flowchart LR\n")
	ids := make(map[string]string, len(g.Nodes))
	for i, node := range g.Nodes {
		ids[node.Name] = "n" + strconv.Itoa(i)
		fmt.Fprintf(&text, "  %s%s\n", ids[node.Name], node.box())
	}
	if g.Whole != nil {
		fmt.Fprintf(&text, "  note[%s]\n", quoted(fmt.Sprintf("%d of %s, %d of %s", len(g.Nodes),
			trouble.Counted(g.Whole.Nodes, "cluster"), len(g.Edges), trouble.Counted(g.Whole.Edges, "connection"))))
	}
	for _, edge := range g.Edges {
		fmt.Fprintf(&text, "  %s %s|%s| %s\n", ids[edge.From], edge.arrow(), quoted(edge.label()), ids[edge.To])
	}
	for _, pair := range g.unjoined() {
		fmt.Fprintf(&text, "  %s -.-|%s| %s\n", ids[pair.Client], quoted(pair.label()), ids[pair.Server])
	}
	g.writeStyles(&text, ids)
	return text.String()
}

// box returns a circle for the central cluster, and a rectangle for each other one. If something is wrong with a
// cluster, its box says so.
func (n Node) box() string {
	lines := []string{n.Name}
	switch n.Status {
	case Ready:
	case Unreachable:
		lines = append(lines, "✗ unreachable")
	case NoLiqo:
		lines = append(lines, "✗ no Liqo")
	case Refused:
		lines = append(lines, "✗ error")
	}
	if n.Central {
		return "((" + quoted(lines...) + "))"
	}
	return "[" + quoted(lines...) + "]"
}

// arrow returns a thick arrow for shortcuts, and a dotted one for what does not work.
func (e Edge) arrow() string {
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

// label returns the text of an edge. It omits values that change all the time, such as the latency.
func (e Edge) label() string {
	text := string(e.Kind)
	if e.Kind == OfShortcut && e.MadeBy != shortcut.ByProvider {
		text += " (not Terraform's)"
	}
	switch len(e.LimitedAt) {
	case 0:
	case 1:
		text += ", limited at " + e.LimitedAt[0]
	default:
		text += ", limited"
	}
	switch e.condition() {
	case broken:
		return "✗ " + text + ": " + string(e.Status)
	case coming:
		return "… " + text + ": " + string(e.Status)
	case unclear:
		return "? " + text + ": " + string(e.Status)
	}
	if e.Status == NoNetwork {
		text += " without a network"
	}
	return text
}

// edgeStyles has colors that are readable on light and on dark pages, because GitHub has both.
var edgeStyles = []struct {
	condition condition
	style     string
}{
	{coming, "stroke:orange"},
	{broken, "stroke:red,stroke-width:2px"},
	{unclear, "stroke:gray"},
}

// writeStyles writes the colors of edges and nodes, and of the note. Mermaid knows edges by their index.
func (g Graph) writeStyles(text *strings.Builder, ids map[string]string) {
	styled := map[condition][]string{}
	for i, edge := range g.Edges {
		styled[edge.condition()] = append(styled[edge.condition()], strconv.Itoa(i))
	}
	for _, style := range edgeStyles {
		if indices := styled[style.condition]; len(indices) > 0 {
			fmt.Fprintf(text, "  linkStyle %s %s\n", strings.Join(indices, ","), style.style)
		}
	}
	var troubled []string
	for _, node := range g.Nodes {
		if node.Status != Ready {
			troubled = append(troubled, ids[node.Name])
		}
	}
	if len(troubled) > 0 {
		fmt.Fprintf(text, "  classDef troubled stroke:red,stroke-width:2px,stroke-dasharray:5\n  class %s troubled\n",
			strings.Join(troubled, ","))
	}
	if g.Whole != nil {
		text.WriteString("  style note fill:none,stroke:none\n")
	}
}

// quoted returns lines as one text between quotes. Mermaid has no backslash escapes, only numbered entities. Every
// character becomes one unless it is a letter or known to be harmless, because quotes, backticks, hashes, percent signs
// and even colons have a special meaning.
func quoted(lines ...string) string {
	escaped := make([]string, len(lines))
	for i, line := range lines {
		escaped[i] = escape(line)
	}
	return `"` + strings.Join(escaped, "<br/>") + `"`
}

func escape(text string) string {
	var escaped strings.Builder
	for _, char := range text {
		switch {
		case unicode.IsLetter(char), unicode.IsMark(char), unicode.IsDigit(char), strings.ContainsRune(" -_./,@()'?✗…", char):
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
