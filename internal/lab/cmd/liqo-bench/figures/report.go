package figures

import (
	"embed"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"text/template"
	"time"
)

// Report is all results of one run.
type Report struct {
	Date     time.Time
	Machine  string
	Versions []string // of the programs that took part
	// Command is the command to repeat it.
	Command string
	Figures []Figure
	Fleets  FleetRuns
}

// WriteTable writes the figures for a terminal.
func (r *Report) WriteTable(out io.Writer) error {
	rows := make([][]string, len(r.Figures))
	for i := range r.Figures {
		rows[i] = r.Figures[i].row()
	}
	if err := writeTable(out, columns, rows); err != nil || len(r.Fleets) == 0 {
		return err
	}
	rows = make([][]string, len(r.Fleets))
	for i, run := range r.Fleets {
		rows[i] = run.cells()
	}
	fmt.Fprintln(out)
	return writeTable(out, fleetColumns, rows)
}

func writeTable(out io.Writer, columns []string, rows [][]string) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{columns}, rows...) {
		fmt.Fprintln(table, strings.Join(row, "\t"))
	}
	return table.Flush()
}

//go:embed *.md.tmpl
var texts embed.FS

var pages = template.Must(template.New("").Funcs(template.FuncMap{
	"cells":   func(r FleetRun) []string { return r.cells() },
	"columns": func() []string { return columns },
	"date":    func(t time.Time) string { return t.Format("2 January 2006") },
	"fleets":  func() []string { return fleetColumns },
	"join":    strings.Join,
	"row":     func(f Figure) []string { return f.row() },
	"userRow": func(f Figure) []string { return f.userRow() },
	"values":  func(s Sample) string { return s.list() },
}).ParseFS(texts, "*.md.tmpl"))

// WriteDetails writes every figure, its goal and how it was measured, in Markdown.
func (r *Report) WriteDetails(out io.Writer) error {
	return pages.ExecuteTemplate(out, "details.md.tmpl", r)
}

// WritePage writes the figures for users as a page of the documentation, in Markdown.
func (r *Report) WritePage(out io.Writer) error { return pages.ExecuteTemplate(out, "page.md.tmpl", r) }

// Missed returns the names of the figures that did not reach their goals.
func (r *Report) Missed() []string {
	var names []string
	for i := range r.Figures {
		if !r.Figures[i].Met() {
			names = append(names, r.Figures[i].Name)
		}
	}
	return names
}
