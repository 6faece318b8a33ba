package figures

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/cmd/liqo-bench/steplog"
)

// writeGantt draws the steps as a Mermaid diagram with a section for each leaf, and the floor as a
// bar below them. Time is in milliseconds since the first step.
func writeGantt(out io.Writer, trace *Trace) {
	fmt.Fprintf(out, "gantt\n    title %s dials %s: milliseconds since the first step\n", trace.Client, trace.Server)
	fmt.Fprint(out, "    dateFormat x\n    axisFormat %S.%L\n")
	for _, leaf := range leaves(trace.Steps) {
		fmt.Fprintf(out, "    section %s\n", leaf)
		for _, step := range trace.Steps {
			if step.Leaf != leaf {
				continue
			}
			critical := ""
			if step.Critical {
				critical = "crit, "
			}
			bar(out, step.Name, critical, step.Start, step.End())
		}
	}
	fmt.Fprintf(out, "    section floor\n")
	bar(out, "the same objects by hand", "", 0, time.Duration(trace.Floor.Median*float64(time.Second)))
}

// bar is at least a millisecond long, because Mermaid draws no shorter one. A colon would end its
// name.
func bar(out io.Writer, name, critical string, start, end time.Duration) {
	from := start.Milliseconds()
	to := max(end.Milliseconds(), from+1)
	fmt.Fprintf(out, "    %s :%s%d, %d\n", strings.ReplaceAll(name, ":", " "), critical, from, to)
}

// leaves returns the leaves of the steps, each once.
func leaves(steps []steplog.Step) []string {
	var names []string
	for _, step := range steps {
		if !slices.Contains(names, step.Leaf) {
			names = append(names, step.Leaf)
		}
	}
	slices.Sort(names)
	return names
}
