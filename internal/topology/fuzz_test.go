package topology

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// FuzzPictures draws two clusters with any names, and reads the picture again. It has two boxes and one arrow, with
// these texts and no others.
func FuzzPictures(f *testing.F) {
	f.Add("rome", "milan", true)
	f.Add(special, "\"]\n  click n0 call alert()", false)
	f.Add("end", "%%{init: {}}%%", true)
	f.Add("\\", "`**bold**`\u202e\u2028", true)
	f.Add("<img src=x>", "#quot;#34;&quot;&#34;", false)
	f.Fuzz(func(t *testing.T, from, to string, central bool) {
		if from == to || !utf8.ValidString(from+to) {
			return // an edge joins two clusters, and Terraform's texts are valid
		}
		graph := Graph{Nodes: []Node{ready(from, central), ready(to, false)}, Edges: []Edge{{
			Kind: OfShortcut, From: from, To: to, Status: shortcut.Connected, MadeBy: shortcut.ByProvider,
		}}}
		got, want := textsOf(t, graph.flowchart()), []string{shown(from), shown(to), "shortcut"}
		if !slices.Equal(got, want) {
			t.Errorf("it shows %q, not %q", got, want)
		}
	})
}

// shown returns a text as a reader sees it.
func shown(text string) string {
	return strings.Map(func(char rune) rune {
		if unicode.IsControl(char) {
			return ' '
		}
		return char
	}, text)
}

// mermaidLines are all lines that a picture of two boxes and an arrow has. The texts have no character with a meaning
// in Mermaid's language, except for entities.
var mermaidLines = func() []*regexp.Regexp {
	const text = `((?:[\p{L}\p{M}\p{Nd} \-_./,@()'?✗…]|: |#\d+;)*)`
	var lines []*regexp.Regexp
	for _, line := range []string{
		`flowchart LR`, ` +n\d+\["` + text + `"\]`, ` +n\d+\(\("` + text + `"\)\)`,
		`  n\d+ ==>\|"` + text + `"\| n\d+`,
	} {
		lines = append(lines, regexp.MustCompile(`^`+line+`$`))
	}
	return lines
}()

var entity = regexp.MustCompile(`#(\d+);`)

// textsOf returns the texts of a picture of two boxes and an arrow.
func textsOf(t *testing.T, text string) []string {
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
