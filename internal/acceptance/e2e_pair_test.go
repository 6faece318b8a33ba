package acceptance

import (
	"fmt"
	"testing"
)

// packetPair is a shortcut from Rome to another cluster of a lab with real packets, and the addresses at which it makes
// the pods reachable.
type packetPair struct {
	*project
	lab      *realLab
	server   string
	provider string // its block, or empty for one with the contexts of the lab
	// The server's pods reach Rome's at romeAt. Rome's reach the server's at serverAt.
	romeAt, serverAt string
}

// join applies a shortcut from Rome to a server, and destroys it when the test ends.
func (l *realLab) join(t *testing.T, server, settings string) *packetPair {
	t.Helper()
	p := &packetPair{project: l.newProject(t, t.TempDir()), lab: l, server: server}
	destroyAtLast(p.project)
	p.configure(settings)
	p.run("init")
	p.update()
	return p
}

// configure writes a shortcut with these settings. Its outputs are the addresses of the pods.
func (p *packetPair) configure(settings string) {
	p.t.Helper()
	addresses := p.lab.addresses(romeMilan, p.server)
	if p.provider == "" {
		p.write("main.tf", p.lab.between(p.server, settings)+addresses)
		return
	}
	p.project.configure(p.provider + fromRome(p.server, settings) + addresses)
}

// addresses returns the outputs of a shortcut from Rome to a server with the addresses at which it makes the pods
// reachable: rome_at and server_at.
func (l *realLab) addresses(shortcut, server string) string {
	var outputs string
	for end, pod := range map[string]struct{ network, address string }{
		"rome": {"client_network", l.pods["rome"]}, "server": {"server_network", l.pods[server]},
	} {
		outputs += fmt.Sprintf(`
			output "%[1]s_at" {
			  value = provider::liqo::remap_ip(%[4]q,
			    one(%[2]s.%[3]s.pod_cidrs), one(%[2]s.%[3]s.remapped_pod_cidrs))
			}`, end, shortcut, pod.network, pod.address)
	}
	return outputs
}

// update applies the configuration.
func (p *packetPair) update() {
	p.t.Helper()
	p.run("apply", "-auto-approve")
	p.romeAt, p.serverAt = p.run("output", "-raw", "rome_at"), p.run("output", "-raw", "server_at")
}

// works fails the test unless the pods of both clusters reach and see each other at the addresses of the shortcut. It
// waits for the nodes first: an apply ends when both gateways report the tunnel. Liqo's fabric on each node, which
// leads packets to a gateway that has restarted, reports nothing. It needs a moment more where it gets little CPU time.
func (p *packetPair) works() {
	p.t.Helper()
	p.comesBack()
	p.lab.reaches(p.t, "rome", p.serverAt)
	p.lab.reaches(p.t, p.server, p.romeAt)
	p.lab.answers(p.t, "rome", p.serverAt, p.server, p.romeAt)
	p.lab.answers(p.t, p.server, p.romeAt, "rome", p.serverAt)
}

// parted fails the test if the pod of one cluster reaches that of the other one.
func (p *packetPair) parted() {
	p.t.Helper()
	p.lab.reachesNot(p.t, "rome", p.serverAt)
	p.lab.reachesNot(p.t, p.server, p.romeAt)
}

// comesBack returns when pods of both clusters reach each other again, and fails the test if they do not before long.
func (p *packetPair) comesBack() {
	p.t.Helper()
	p.lab.reachesSoon(p.t, "rome", p.serverAt)
	p.lab.reachesSoon(p.t, p.server, p.romeAt)
}
