package packets

import (
	"fmt"
	"strings"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// eviction is longer than Kubernetes takes to move the pod of a lost node, by default: 50 s until it notices, and 300 s
// more. The grace of flows is longer than TCP waits after such a time before it sends a lost packet again.
const (
	eviction      = 8 * time.Minute
	failoverGrace = "150s"
)

// shows lets something happen, and waits until packets cross again. If figures are wanted, it adds the longest time
// without an answer, of new pings and of flows that began before.
func (f *failover) shows(event string, happens func()) {
	f.T.Helper()
	f.ComesBack()
	if !acctest.Measures() {
		happens()
		f.ComesBack()
		return
	}
	var pings acctest.ProbeResult
	flows := flowsThrough(f.PacketPair, failoverGrace, func() {
		pings = f.Measure(f.end+", "+event, acctest.Briefly, func() {
			happens()
			f.settle()
			f.Lab.Probe(f.T, "ping", "rome", f.ServerAt, "--until-answer",
				fmt.Sprintf("--count=%.0f", eviction.Seconds()), "--interval=1s", "--timeout=1s")
		})
	})
	line := fmt.Sprintf("BenchmarkFailover/%s/event=%s 1", f.failoverCase, event)
	silent := func(milliseconds float64, unit string) { line += fmt.Sprintf(" %.1f %s-sec", milliseconds/1000, unit) }
	silent(pings.Silence, "new")
	for _, protocol := range []string{"icmp", "udp", "tcp"} {
		longest, broken := 0.0, false
		for flow, result := range flows {
			if strings.HasPrefix(flow, protocol) {
				longest, broken = max(longest, result.Silence), broken || result.Broken
			}
		}
		switch {
		case !broken:
			silent(longest, protocol)
		case f.replicas > 1 || event != "node-lost": // no flow lives for the minutes until Kubernetes moves a single pod
			f.T.Errorf("%s, %s: a flow of %s stays broken: %+v", f.end, event, protocol, flows)
		}
	}
	f.Lab.Record(f.T, line)
	f.ComesBack() // a single packet may still be lost, when a former pod's WireGuard dials again
}

// settle waits until each container that waits in vain was restarted, unless packets only have to come back.
func (f *failover) settle() {
	f.T.Helper()
	switch {
	case acctest.Measures() && f.replicas > 1:
		f.pingFor(40)
	case acctest.Measures():
		f.pingFor(10)
	}
}

// pingFor pings for some seconds.
func (f *failover) pingFor(seconds int) {
	f.T.Helper()
	f.Lab.Probe(f.T, "ping", "rome", f.ServerAt, fmt.Sprintf("--count=%d", seconds), "--interval=1s", "--timeout=1s")
}
