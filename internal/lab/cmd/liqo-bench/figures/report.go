package figures

import (
	_ "embed"
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

//go:embed page.md.tmpl
var pageText string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"cells":   func(r FleetRun) []string { return r.cells() },
	"columns": func() []string { return columns },
	"date":    func(t time.Time) string { return t.Format("2 January 2006") },
	"fleets":  func() []string { return fleetColumns },
	"join":    strings.Join,
	"row":     func(f Figure) []string { return f.row() },
	"values":  func(s Sample) string { return s.list() },
}).Parse(pageText))

// WritePage writes the report as a page of the documentation, in Markdown.
func (r *Report) WritePage(out io.Writer) error { return page.Execute(out, r) }

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
