package acctest

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"text/tabwriter"
	"time"
)

// outage is the loss of traffic during an event.
type outage struct {
	name    string
	traffic ProbeResult
}

// outages are the measurements of this test run.
var outages struct {
	sync.Mutex
	list []outage
}

// A ping waits that long for its answer. During an outage, this is how exactly its length is known. Where nothing may
// be lost, an answer may take as long as a busy machine needs.
const (
	Briefly   = "--timeout=100ms"
	Patiently = "--timeout=5s"
)

// During pings the server's pod from Rome's every 20 ms during an event, and records how long no answer came.
func (p *PacketPair) During(name string, happens func()) {
	p.T.Helper()
	p.Measure(name, Briefly, happens)
}

// Measure does the same with pings that wait that long for their answer, and returns their result.
func (p *PacketPair) Measure(name, wait string, happens func()) ProbeResult {
	p.T.Helper()
	ping, answered := p.Lab.startPings(p.T, "rome", p.ServerAt, "--count=1000000", "--interval=20ms", wait)
	select {
	case <-answered: // otherwise, the event could be over before the first ping
	case <-time.After(TimeToHappen):
		p.T.Fatalf("%s: no ping is answered before", name)
	}
	happens()
	result := ping(os.Interrupt)
	if result.Received == 0 {
		p.T.Errorf("%s: no ping was answered", name)
	}
	p.T.Logf("%s: %d of %d pings lost, no answer for %.1f s", name, result.Lost, result.Sent, result.Silence/1000)
	outages.Lock()
	defer outages.Unlock()
	outages.list = append(outages.list, outage{name, result})
	return result
}

// showOutages prints a table of them, if there are any.
func showOutages() {
	outages.Lock()
	defer outages.Unlock()
	if len(outages.list) == 0 {
		return
	}
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "WHAT HAPPENED\tPINGS\tLOST\tNO ANSWER FOR")
	for _, o := range outages.list {
		fmt.Fprintf(w, "%s\t%d\t%d\t%.1f s\n", o.name, o.traffic.Sent, o.traffic.Lost, o.traffic.Silence/1000)
	}
	_ = w.Flush() // into memory
	fmt.Print(table.String())
}
