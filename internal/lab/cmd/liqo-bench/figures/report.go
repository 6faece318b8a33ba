package figures

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/cmd/liqo-bench/steplog"
)

// Report is all results of one run.
type Report struct {
	Date     time.Time `json:"date"`
	Machine  Machine   `json:"machine"`
	Versions []Version `json:"versions"`
	// Command is the command to repeat it.
	Command  string    `json:"command"`
	Figures  []Figure  `json:"figures"`
	Requests []Request `json:"requests,omitempty"`
	Fleets   FleetRuns `json:"fleets,omitempty"`
	Trace    *Trace    `json:"trace,omitempty"`
}

// Version is the version of one of the programs that took part.
type Version struct {
	Program string `json:"program"`
	Version string `json:"version"`
}

// Request is the maximum number of requests of one refresh to a cluster.
type Request struct {
	Verb     string `json:"verb"`
	Resource string `json:"resource"`
	// Counts has the number of requests for each number of shortcuts.
	Counts map[int]int `json:"counts"`
	// Served has, likewise, the increase of the API server's metric apiserver_request_total during
	// the refresh, which counts all clients. It does not include watches, which count when they
	// end, and requests for no resource.
	Served map[int]int `json:"served,omitempty"`
}

// of returns the count for a number of shortcuts, and the count of all clients during that time, if
// it is known.
func (r Request) of(shortcuts int) string {
	if served, known := r.Served[shortcuts]; known {
		return fmt.Sprintf("%d of %d", r.Counts[shortcuts], served)
	}
	return strconv.Itoa(r.Counts[shortcuts])
}

// Trace is one create, step by step.
type Trace struct {
	Client string         `json:"client"`
	Server string         `json:"server"`
	Steps  []steplog.Step `json:"steps"`
	// Floor is the time to write the same objects by hand, in seconds.
	Floor Sample `json:"floor"`
}

// WriteJSON writes the report for programs.
func (r *Report) WriteJSON(out io.Writer) error {
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(r)
}

// WriteTable writes the figures for a terminal.
func (r *Report) WriteTable(out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, strings.Join(columns, "\t"))
	for i := range r.Figures {
		fmt.Fprintln(table, strings.Join(r.Figures[i].row(), "\t"))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	return r.Fleets.writeTable(out)
}

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
