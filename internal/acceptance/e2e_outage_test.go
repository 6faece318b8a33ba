package acceptance

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
	traffic probeResult
}

// outages are the measurements of this test run.
var outages struct {
	sync.Mutex
	list []outage
}

// A ping waits that long for its answer. During an outage, this is how exactly its length is known. Where nothing may
// be lost, an answer may take as long as a busy machine needs.
const (
	briefly   = "--timeout=100ms"
	patiently = "--timeout=5s"
)

// during pings the server's pod from Rome's every 20 ms during an event, and records how long no answer came.
func (p *packetPair) during(name string, happens func()) {
	p.t.Helper()
	p.measure(name, briefly, happens)
}

// measure does the same with pings that wait that long for their answer, and returns their result.
func (p *packetPair) measure(name, wait string, happens func()) probeResult {
	p.t.Helper()
	ping, answered := p.lab.startPings(p.t, "rome", p.serverAt, "--count=1000000", "--interval=20ms", wait)
	select {
	case <-answered: // otherwise, the event could be over before the first ping
	case <-time.After(timeToHappen):
		p.t.Fatalf("%s: no ping is answered before", name)
	}
	happens()
	result := ping(os.Interrupt)
	if result.Received == 0 {
		p.t.Errorf("%s: no ping was answered", name)
	}
	p.t.Logf("%s: %d of %d pings lost, no answer for %.1f s", name, result.Lost, result.Sent, result.Silence/1000)
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
