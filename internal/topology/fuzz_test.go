package topology

import (
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"gonum.org/v1/gonum/graph/formats/dot"
	"gonum.org/v1/gonum/graph/formats/dot/ast"

	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// FuzzPictures draws two clusters with any names in any group, and reads the pictures again. They have two boxes and
// one arrow, with these texts and no others.
func FuzzPictures(f *testing.F) {
	f.Add("rome", "milan", "north", "shop", true)
	f.Add(special, "\"]\n  click n0 call alert()", "end", "%%{init: {}}%%", false)
	f.Add("\"]; node [label=\"x", "\\", "\\\"", "}\ndigraph x {", true)
	f.Add("<img src=x>", "#quot;#34;&quot;&#34;", "\u202e\u2028", "`**bold**`", false)
	f.Fuzz(func(t *testing.T, from, to, group, service string, central bool) {
		if from == to { // an edge joins two clusters
			return
		}
		if strings.ContainsRune(strings.Join([]string{from, to, group, service}, "\n"), utf8.RuneError) {
			return // Terraform's texts are valid, and the parser of DOT takes this character for an invalid one
		}
		nodes := []Node{ready(from, central), ready(to, false)}
		nodes[0].Group, nodes[1].Group = group, group
		graph := Graph{Nodes: nodes, Edges: []Edge{{
			Kind: OfShortcut, From: from, To: to, Status: shortcut.Connected, MadeBy: shortcut.ByProvider,
			Services: []Service{{Cluster: from, Namespace: service, Name: to}},
		}}}
		drawn := graph.complete()
		want := []string{shown(drawn.arrows[0].lines)}
		for _, frame := range drawn.frames {
			if frame.title != "" {
				want = append(want, shown([]string{frame.title}))
			}
			for _, box := range frame.boxes {
				want = append(want, shown(box.lines))
			}
		}
		slices.Sort(want)
		for language, got := range map[string][]string{
			"Graphviz": textsOfDOT(t, graph.DOT(Drawing{LeftToRight, 100})),
			"Mermaid":  textsOfMermaid(t, graph.Mermaid(Drawing{LeftToRight, 100})),
		} {
			if slices.Sort(got); !slices.Equal(got, want) {
				t.Errorf("%s shows %q, not %q", language, got, want)
			}
		}
	})
}

// shown returns the lines of a label as a reader sees them.
func shown(lines []string) string {
	var seen []string
	for _, line := range lines {
		seen = append(seen, strings.Map(func(char rune) rune {
			if unicode.IsControl(char) {
				return ' '
			}
			return char
		}, line))
	}
	return strings.Join(seen, "\n")
}

// textsOfDOT returns the labels of a picture of two boxes and an arrow.
func textsOfDOT(t *testing.T, text string) []string {
	t.Helper()
	parsed, err := dot.ParseString(text)
	if err != nil || len(parsed.Graphs) != 1 {
		t.Fatalf("%v:\n%s", err, text)
	}
	var labels []string
	var nodes, edges int
	label := func(attributes ...*ast.Attr) {
		for _, attribute := range attributes {
			if attribute.Key == "label" {
				labels = append(labels, unquoted(attribute.Val))
			}
		}
	}
	var visit func([]ast.Stmt)
	visit = func(statements []ast.Stmt) {
		for _, statement := range statements {
			switch statement := statement.(type) {
			case *ast.NodeStmt:
				nodes++
				label(statement.Attrs...)
			case *ast.EdgeStmt:
				edges++
				label(statement.Attrs...)
			case *ast.Attr:
				label(statement)
			case *ast.Subgraph:
				visit(statement.Stmts)
			case *ast.AttrStmt:
			default:
				t.Fatalf("%T:\n%s", statement, text)
			}
		}
	}
	visit(parsed.Graphs[0].Stmts)
	if nodes != 2 || edges != 1 {
		t.Fatalf("%d boxes and %d arrows:\n%s", nodes, edges, text)
	}
	return labels
}

// unquoted returns what Graphviz draws for a quoted label.
func unquoted(label string) string {
	label = strings.TrimSuffix(strings.TrimPrefix(label, `"`), `"`)
	return html.UnescapeString(strings.NewReplacer(`\"`, `"`, `\\`, `\`, `\n`, "\n").Replace(label))
}

// mermaidLines are all lines that a picture of two boxes and an arrow has. The texts have no character with a meaning
// in Mermaid's language, except for entities and for the breaks of lines.
var mermaidLines = func() []*regexp.Regexp {
	const text = `((?:[\p{L}\p{M}\p{Nd} \-_./,@()'?✗…]|: |<br/>|#\d+;)*)`
	var lines []*regexp.Regexp
	for _, line := range []string{
		`flowchart LR`, ` +n\d+\["` + text + `"\]`, ` +n\d+\(\("` + text + `"\)\)`,
		`  subgraph f\d+ \["` + text + `"\]`, `  end`, `  n\d+ ==>\|"` + text + `"\| n\d+`,
	} {
		lines = append(lines, regexp.MustCompile(`^`+line+`$`))
	}
	return lines
}()

var entity = regexp.MustCompile(`#(\d+);`)

// textsOfMermaid returns the texts of a picture of two boxes and an arrow.
func textsOfMermaid(t *testing.T, text string) []string {
	t.Helper()
	var texts []string
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		var parts []string
		for _, known := range mermaidLines {
			if parts = known.FindStringSubmatch(line); parts != nil {
				break
			}
		}
		if parts == nil {
			t.Fatalf("%q:\n%s", line, text)
		}
		for _, part := range parts[1:] {
			part = strings.ReplaceAll(part, "<br/>", "\n")
			texts = append(texts, entity.ReplaceAllStringFunc(part, func(number string) string {
				code, err := strconv.ParseInt(number[1:len(number)-1], 10, 32)
				if err != nil {
					t.Fatal(err)
				}
				return string(rune(code))
			}))
		}
	}
	return texts
}
