package main

import (
	"fmt"
	"io"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/inspect"
)

// link is one request of a chain.
type link struct {
	inspect.Arrival
	after float64 // round trips since the link before, or since the command began
	more  int     // requests that arrived with it, so that none of them waited for another
}

// chainOf returns the longest chain of requests of which each can have waited for the answer to the one
// before: back from the last request, always the latest one that arrived at least a round trip earlier.
// The requests are those to distant leaves by a command that began at a time, in their order.
func chainOf(requests []inspect.Arrival, began time.Time, roundTrip time.Duration) []link {
	const (
		early    = 10 // an API server takes different times, so a tenth of a round trip may be missing
		together = 4
	)
	var chain []link
	for i := len(requests) - 1; i >= 0; {
		one := link{Arrival: requests[i]}
		before := i - 1
		for ; before >= 0; before-- {
			earlier := one.At.Sub(requests[before].At)
			if earlier >= roundTrip-roundTrip/early {
				break
			}
			if earlier < roundTrip/together {
				one.more++
			}
		}
		since := began
		if before >= 0 {
			since = requests[before].At
		}
		one.after = float64(one.At.Sub(since)) / float64(roundTrip)
		chain = append([]link{one}, chain...)
		i = before
	}
	return chain
}

// writeChain writes a line for each link. What comes more than a round trip after the link before has waited
// for something else, too: for the connection, for Liqo, or for Terraform.
func writeChain(out io.Writer, name string, chain []link) {
	fmt.Fprintf(out, "%s: which request waited for which, in round trips after the one before\n", name)
	for _, one := range chain {
		fmt.Fprintf(out, "  %+5.1f  %s: %s %s", one.after, one.Cluster, one.Verb, one.Resource)
		if one.more > 0 {
			fmt.Fprintf(out, ", and %d more", one.more)
		}
		fmt.Fprintln(out)
	}
}
