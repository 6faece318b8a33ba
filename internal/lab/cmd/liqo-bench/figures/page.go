package figures

import (
	_ "embed"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/template"
	"time"
)

//go:embed page.md.tmpl
var pageText string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"asked":     func(r Request, shortcuts int) string { return r.of(shortcuts) },
	"columns":   func() []string { return columns },
	"date":      func(t time.Time) string { return t.Format("2 January 2006") },
	"fleets":    func() []string { return fleetColumns },
	"gantt":     gantt,
	"join":      strings.Join,
	"cells":     func(r FleetRun) []string { return r.cells() },
	"missed":    func(r *Report) []string { return r.Missed() },
	"row":       func(f Figure) []string { return f.row() },
	"shortcuts": shortcuts,
	"values":    values,
	"versions":  versions,
}).Parse(pageText))

// WritePage writes the report as a page of the documentation, in Markdown.
func (r *Report) WritePage(out io.Writer) error { return page.Execute(out, r) }

func gantt(trace *Trace) string {
	var text strings.Builder
	writeGantt(&text, trace)
	return text.String()
}

// shortcuts returns the numbers of shortcuts for which requests were counted.
func shortcuts(requests []Request) []int {
	numbers := map[int]bool{}
	for _, request := range requests {
		for n := range request.Counts {
			numbers[n] = true
		}
	}
	return slices.Sorted(maps.Keys(numbers))
}

func values(sample Sample) string {
	texts := make([]string, len(sample.Values))
	for i, value := range sample.Values {
		texts[i] = number(value)
	}
	return strings.Join(texts, ", ")
}

func versions(list []Version) string {
	texts := make([]string, len(list))
	for i, v := range list {
		texts[i] = fmt.Sprintf("%s %s", v.Program, v.Version)
	}
	return strings.Join(texts, ", ")
}
