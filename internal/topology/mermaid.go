package topology

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
)

// Limits of Mermaid's defaults. Only the page that draws a diagram can raise them, not the diagram. Mermaid's parser
// fails at one more edge, and instead of a longer text it draws an error. See maxEdges, maxTextSize and secure in
// https://mermaid.js.org/config/schema-docs/config.html.
const (
	mermaidMaxEdges = 500
	mermaidMaxText  = 50_000 // UTF-16 code units
)

// mermaidStyles has colours that are readable on light and on dark pages, because GitHub has both.
var mermaidStyles = []struct {
	condition condition
	style     string
}{
	{coming, "stroke:orange"},
	{broken, "stroke:red,stroke-width:2px"},
	{unclear, "stroke:gray"},
}

// mermaidShapes has what is before and after the text of a box.
var mermaidShapes = map[shape][2]string{
	leaf: {`["`, `"]`}, centre: {`(("`, `"))`}, several: {`[["`, `"]]`},
}

// Mermaid returns the graph as a flowchart in Mermaid's language, which GitHub and others draw in Markdown. A graph
// that Mermaid can't draw is drawn as a summary, too.
func (g Graph) Mermaid(drawing Drawing) string {
	var text string
	for _, draw := range g.pictures(drawing.MaxEdges) {
		drawn := draw()
		if len(drawn.arrows) > mermaidMaxEdges {
			continue
		}
		text = drawn.mermaid(drawing.Direction)
		if len(utf16.Encode([]rune(text))) <= mermaidMaxText {
			break
		}
	}
	return text
}

func (p picture) mermaid(direction Direction) string {
	var text strings.Builder
	fmt.Fprintf(&text, "flowchart %s\n", direction)
	var troubled []string
	for i, frame := range p.frames {
		indent := "  "
		if frame.title != "" {
			indent = "    "
			fmt.Fprintf(&text, "  subgraph f%d [\"%s\"]\n", i, mermaidText(frame.title))
		}
		for _, box := range frame.boxes {
			sides := mermaidShapes[box.shape]
			fmt.Fprintf(&text, "%s%s%s%s%s\n", indent, box.id, sides[0], mermaidText(box.lines...), sides[1])
			if box.troubled {
				troubled = append(troubled, box.id)
			}
		}
		if frame.title != "" {
			text.WriteString("  end\n")
		}
	}
	if len(p.note) > 0 {
		fmt.Fprintf(&text, "  note[\"%s\"]\n", mermaidText(p.note...))
	}
	for _, arrow := range p.arrows {
		fmt.Fprintf(&text, "  %s %s|\"%s\"| %s\n", arrow.from, arrow.mermaid(), mermaidText(arrow.lines...), arrow.to)
	}
	p.writeMermaidStyles(&text, troubled)
	return text.String()
}

// writeMermaidStyles writes the colours of arrows, of these boxes and of the note. Mermaid knows arrows by their index.
func (p picture) writeMermaidStyles(text *strings.Builder, troubled []string) {
	styled := map[condition][]string{}
	for i, arrow := range p.arrows {
		styled[arrow.condition] = append(styled[arrow.condition], strconv.Itoa(i))
	}
	for _, style := range mermaidStyles {
		if indices := styled[style.condition]; len(indices) > 0 {
			fmt.Fprintf(text, "  linkStyle %s %s\n", strings.Join(indices, ","), style.style)
		}
	}
	if len(troubled) > 0 {
		fmt.Fprintf(text, "  classDef troubled stroke:red,stroke-width:2px,stroke-dasharray:5\n  class %s troubled\n",
			strings.Join(troubled, ","))
	}
	if len(p.note) > 0 {
		text.WriteString("  style note fill:none,stroke:none\n")
	}
}

// mermaid returns a thick arrow for shortcuts, and a dotted one for what does not work.
func (a arrow) mermaid() string {
	switch {
	case a.condition != working:
		return []string{"-.-", "-.->", "<-.->"}[a.heads]
	case a.thick:
		return []string{"===", "==>", "<==>"}[a.heads]
	default:
		return []string{"---", "-->", "<-->"}[a.heads]
	}
}

// mermaidText escapes lines for use between quotes. Mermaid has no backslash escapes, only numbered entities. Every
// character becomes one unless it is a letter or known to be harmless, because quotes, backticks, hashes, percent signs
// and even colons have a special meaning.
func mermaidText(lines ...string) string {
	escaped := make([]string, len(lines))
	for i, line := range lines {
		escaped[i] = mermaidLine(line)
	}
	return strings.Join(escaped, "<br/>")
}

func mermaidLine(text string) string {
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
