package torture

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// tally counts what one torture has tried and survived.
type tally struct {
	seed     int64
	faults   map[string]*struct{ tried, survived int } // keyed by the fault
	leftOver int                                       // objects on the leaves after a destroy
	slowest  time.Duration                             // from an interruption to the end of Terraform
}

func newTally(seed int64) tally {
	return tally{seed: seed, faults: map[string]*struct{ tried, survived int }{}}
}

func (c *tally) tried(fault string) {
	if c.faults[fault] == nil {
		c.faults[fault] = &struct{ tried, survived int }{}
	}
	c.faults[fault].tried++
}

func (c *tally) survived(fault string) { c.faults[fault].survived++ }

func (c *tally) interrupted(took time.Duration) { c.slowest = max(c.slowest, took) }

// tallies are those of this test run.
var tallies []tally

// showTallies prints a table for each of them.
func showTallies() {
	for _, one := range tallies {
		var table strings.Builder
		w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "WHAT WENT WRONG\tTRIED\tSURVIVED")
		tried, survived := 0, 0
		for _, fault := range slices.Sorted(maps.Keys(one.faults)) {
			count := one.faults[fault]
			fmt.Fprintf(w, "%s\t%d\t%d\n", fault, count.tried, count.survived)
			tried, survived = tried+count.tried, survived+count.survived
		}
		fmt.Fprintf(w, "all, with %s=%d\t%d\t%d\n", acctest.TortureSeed, one.seed, tried, survived)
		_ = w.Flush() // into memory
		fmt.Printf("%sObjects left over: %d. Longest time from SIGINT to the end of Terraform: %.1f s.\n",
			table.String(), one.leftOver, one.slowest.Seconds())
	}
}
