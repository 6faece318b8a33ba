package bench

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/relay"
)

// delays are those of the clusters, one way.
var delays = []time.Duration{0, 20 * time.Millisecond, 100 * time.Millisecond}

// BenchmarkFarAway measures by how many round trips to the leaves the duration of a command grows with their distance:
// the slope of the line through the durations at all delays. A relay delays all bytes. The handshakes of TCP and TLS
// count, each a round trip for each run of the provider. The goals are 5 for the plan of a new shortcut, 15 for an
// apply, 8 for a destroy, 4.5 for the data source liqo_shortcut, which asks for the pods of gateways that it knows from
// the caches, and 3.5 for all others.
//
// Terraform plans in one process, and changes in another one after it has planned again there. This is what an apply
// waits for, in order. On the same line is what is asked and written meanwhile.
//
//	process 1   1  TCP's handshake
//	            2  TLS's handshake
//	            3  the cluster's ID, the caches, the address ranges
//	            4  whether the plan is possible: namespace, template, ForeignCluster, version of Liqo, taken ranges
//	process 2   5  TCP's handshake
//	            6  TLS's handshake
//	            7  the cluster's ID, the caches, the address ranges
//	            8  whether the plan is possible, as 4: Terraform does not say that it plans for the second time
//	            9  the Lease; the namespace, if something is being deleted in its place
//	           10  what is there, read while it holds the Lease, because another operation may have ended just before;
//	               the templates
//	           11  the namespaces; a former gateway's keys
//	           12  the server's gateway; the Configurations
//	           13  the client's gateway, which needs the server's address
//	           14  the keys, each at the other end
//	           15  the end of the Lease; the record that the shortcut is complete
//
// A destroy has 1 to 3 in both processes, then the Lease, with a look at peerings and namespaces, then the namespaces,
// whose deletion takes longer than that of everything else. Nothing of this is written before it is known that the
// cluster is the right one and that no other operation works on the pair.
//
// The checks of a plan need the ID of the other cluster, so they come after the connection. To read their answers
// ahead, without the ID, takes a list of all namespaces. A new connection of TCP gets 14 kB at once, and a namespace
// has half a kilobyte or more. So with some thirty of them, the list costs the round trip that it saves.
func BenchmarkFarAway(b *testing.B) {
	on := startLeaves(b, 2)
	kubeconfig, relays := on.moveAway(b)
	commands := on.commands(b, kubeconfig)
	for _, c := range commands {
		c.run() // warms up
	}
	for round := range *rounds {
		took := make([]map[time.Duration]time.Duration, len(commands)) // of each command, by the delay
		for _, delay := range delays {
			for _, between := range relays {
				between.Set(relay.Conditions{Delay: delay})
			}
			for i, c := range commands {
				time.Sleep(c.pause)
				if took[i] == nil {
					took[i] = map[time.Duration]time.Duration{}
				}
				took[i][delay] = c.run()
			}
		}
		for i, c := range commands {
			b.Run(fmt.Sprintf("%s/round=%d/by=%s", c.name, round+1, c.by), func(b *testing.B) {
				b.ReportMetric(roundTrips(took[i]), "round-trips")
				b.ReportMetric(0, "ns/op") // which is left out
			})
		}
	}
	on.nothingIsLeft(b)
}

// command is what users do with a pair of distant leaves.
type command struct {
	name  string
	by    string // the program
	run   func() time.Duration
	pause time.Duration // before it, which does not count
}

// commands are in the order in which one needs the other. They leave nothing behind.
func (on *leaves) commands(b *testing.B, kubeconfig string) []command {
	b.Helper()
	p := pair{on.names[0], on.names[1]}
	ours, importing, viewing := newTerraform(b, kubeconfig), newTerraform(b, kubeconfig), newTerraform(b, kubeconfig)
	ours.choose(b, p)
	importing.choose(b, p)
	viewing.Set("TF_VAR_client", p.Client)
	viewing.Set("TF_VAR_server", p.Server)
	view := func(name string) command {
		return command{name: "plan-data-" + name, by: "provider", run: func() time.Duration {
			return viewing.run(b, "plan", "-var=view="+name)
		}}
	}
	return []command{
		{name: "plan-new", by: "provider", run: func() time.Duration { return ours.run(b, "plan") }},
		{name: "apply", by: "provider", run: func() time.Duration { return ours.apply(b) }},
		{name: "plan", by: "provider", run: func() time.Duration { return ours.emptyPlan(b) }},
		{name: "import", by: "provider", run: func() time.Duration {
			took := importing.run(b, "import", fmt.Sprintf("liqo_shortcut.mesh[%q]", p), p.Client+"/"+p.Server)
			if err := os.Remove(filepath.Join(importing.dir, "terraform.tfstate")); err != nil {
				b.Fatal(err)
			}
			return took
		}},
		view("cluster"), view("shortcut"), view("shortcuts"), view("topology"),
		// Kubernetes empties a tenant namespace 5 s after the last change of one of its name. So a pause lets every destroy
		// wait for the same time. liqoctl's reset waits for nothing, and keeps the namespaces.
		{name: "destroy", by: "provider", pause: 6 * time.Second, run: func() time.Duration { return ours.destroy(b) }},
		{name: "apply", by: "liqoctl", run: func() time.Duration { return connect(b, kubeconfig, 1, p) }},
		{name: "destroy", by: "liqoctl", run: func() time.Duration {
			defer on.clear(b)
			return reset(b, kubeconfig, p)
		}},
	}
}

// roundTrips returns the slope of the line with the least squared errors through durations by their delay, one way.
// There are at least two delays.
func roundTrips(took map[time.Duration]time.Duration) float64 {
	var n, sumX, sumY, sumXX, sumXY float64
	for delay, duration := range took {
		x, y := 2*delay.Seconds(), duration.Seconds()
		n, sumX, sumY, sumXX, sumXY = n+1, sumX+x, sumY+y, sumXX+x*x, sumXY+x*y
	}
	return (n*sumXY - sumX*sumY) / (n*sumXX - sumX*sumX)
}

func TestASlopeIsTheNumberOfRoundTrips(t *testing.T) {
	got := roundTrips(map[time.Duration]time.Duration{
		0: time.Second, 20 * time.Millisecond: 1200 * time.Millisecond, 100 * time.Millisecond: 2 * time.Second,
	})
	if math.Abs(got-5) > 1e-9 {
		t.Errorf("the slope is %v, and not 5", got)
	}
}
