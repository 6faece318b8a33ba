package acctest

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// PacketPair is a shortcut from Rome to another cluster of a lab with real packets, and the addresses at which it makes
// the pods reachable.
type PacketPair struct {
	*Project
	Lab      *RealLab
	Server   string
	Provider string // its block, or empty for one with the contexts of the lab
	// The server's pods reach Rome's at romeAt. Rome's reach the server's at serverAt.
	RomeAt, ServerAt string
}

// Join applies a shortcut from Rome to a server, and destroys it when the test ends.
func (l *RealLab) Join(t *testing.T, server, settings string) *PacketPair {
	t.Helper()
	p := &PacketPair{Project: l.emptyIn(t, "project"), Lab: l, Server: server}
	p.Configure(settings)
	p.Run("init")
	p.Update()
	return p
}

// JoinTwoNodes applies a shortcut from Rome to Milan, which have two nodes each. The pods that send are on the first
// ones, to which the load balancer leads, too. No other test gets the lab afterwards.
func JoinTwoNodes(t *testing.T, settings string) *PacketPair {
	t.Helper()
	return WithPods(t, UseUp(t, TwoNodes)).Join(t, "milan", settings)
}

// Configure writes a shortcut with these settings. Its outputs are the addresses of the pods.
func (p *PacketPair) Configure(settings string) {
	p.T.Helper()
	addresses := p.Lab.Addresses(RomeMilan, p.Server)
	if p.Provider == "" {
		p.Write("main.tf", p.Lab.Between(p.Server, settings)+addresses)
		return
	}
	p.Project.Configure(p.Provider + FromTo("rome_milan", "rome", p.Server, settings) + addresses)
}

// Addresses returns the outputs of a shortcut from Rome to a server with the addresses at which it makes the pods
// reachable: rome_at and server_at.
func (l *RealLab) Addresses(shortcut, server string) string {
	var outputs strings.Builder
	for end, pod := range map[string]struct{ network, address string }{
		"rome": {"client_network", l.Pods["rome"]}, "server": {"server_network", l.Pods[server]},
	} {
		fmt.Fprintf(&outputs, `
			output "%[1]s_at" {
			  value = provider::liqo::remap_ip(%[4]q,
			    one(%[2]s.%[3]s.pod_cidrs), one(%[2]s.%[3]s.remapped_pod_cidrs))
			}`, end, shortcut, pod.network, pod.address)
	}
	return outputs.String()
}

// Update applies the configuration.
func (p *PacketPair) Update() {
	p.T.Helper()
	p.Run("apply", "-auto-approve")
	p.RomeAt, p.ServerAt = p.Run("output", "-raw", "rome_at"), p.Run("output", "-raw", "server_at")
}

// Works fails the test unless the pods of both clusters reach and see each other at the addresses of the shortcut. It
// waits for the nodes first: an apply ends when both gateways report the tunnel. Liqo's fabric on each node, which
// leads packets to a gateway that has restarted, reports nothing. It needs a moment more where it gets little CPU time.
func (p *PacketPair) Works() {
	p.T.Helper()
	p.ComesBack()
	p.Lab.Reaches(p.T, "rome", p.ServerAt)
	p.Lab.Reaches(p.T, p.Server, p.RomeAt)
	p.Lab.Answers(p.T, "rome", p.ServerAt, p.Server, p.RomeAt)
	p.Lab.Answers(p.T, p.Server, p.RomeAt, "rome", p.ServerAt)
}

// Parted fails the test if the pod of one cluster reaches that of the other one.
func (p *PacketPair) Parted() {
	p.T.Helper()
	p.Lab.ReachesNot(p.T, "rome", p.ServerAt)
	p.Lab.ReachesNot(p.T, p.Server, p.RomeAt)
}

// ComesBack returns when pods of both clusters reach each other again, and fails the test if they do not before long.
func (p *PacketPair) ComesBack() {
	p.T.Helper()
	p.Lab.ReachesSoon(p.T, "rome", p.ServerAt)
	p.Lab.ReachesSoon(p.T, p.Server, p.RomeAt)
}

// A ping waits that long for its answer. During an outage, this is how exactly its length is known. Where nothing may
// be lost, an answer may take as long as a busy machine needs.
const (
	Briefly   = "--timeout=100ms"
	Patiently = "--timeout=5s"
)

// During pings the server's pod from Rome's every 20 ms during an event, and logs how long no answer came.
func (p *PacketPair) During(name string, happens func()) {
	p.T.Helper()
	p.Measure(name, Briefly, happens)
}

// Measure does the same with pings that wait that long for their answer, and returns their result.
func (p *PacketPair) Measure(name, wait string, happens func()) ProbeResult {
	p.T.Helper()
	ping := p.Lab.startAnswered(p.T, "ping", "rome", p.ServerAt, "--announce", "--count=1000000", "--interval=20ms", wait)
	happens() // after the first answer, or it could be over before
	result := ping(os.Interrupt)
	if result.Received == 0 {
		p.T.Errorf("%s: no ping was answered", name)
	}
	p.T.Logf("%s: %d of %d pings lost, no answer for %.1f s", name, result.Lost, result.Sent, result.Silence/1000)
	return result
}
