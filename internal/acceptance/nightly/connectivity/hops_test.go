package connectivity

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// hop is a part of the way on which packets get lost, at one leaf and in one direction.
type hop struct {
	name string
	at   func(p *tested, leaf string) string // the place
	drop string                              // a command of the lab
	// want is the hop, its leaf and its node. All is the node of a leaf that has only one.
	want string
	says string // part of what the fault says
	// open are parts of headlines that are true, too. They will do where nodes are slow.
	open []string
}

// anywhere is the headline of a fault that may be anywhere between the nodes.
const anywhere = "get lost between the nodes of the two leaves"

// hops are all of them. Both leaves reach the other one at 10.71.0.0/16.
var hops = []hop{
	// A gateway on this node may send into its tunnel.
	{"what pods send", (*tested).lastNode, "drop --hook=prerouting --in=pod* --protocol=icmp",
		"Pod <here> <node>", "pod network", nil},
	{"what pods get", (*tested).lastNode, "drop --hook=postrouting --out=pod* --protocol=icmp --from=10.71.0.0/16",
		"Pod <here> <node>", "pod network", nil},
	{"what pods send, at a node without a route", (*tested).lastNode, "unroute 10.71.0.0/16",
		"Node <here> <node>", "node-gw", nil},
	{"what pods send, at a node that does not forward", (*tested).lastNode,
		"drop --hook=forward --in=pod* --to=10.71.0.0/16", "Node <here> <node>", "node-gw", nil},
	{"what pods get, at a node that does not forward", (*tested).lastNode, "drop --hook=forward --in=liqo.* --out=pod*",
		"Pod <here> <node>", "pod network", nil},
	// A device that is down would come up whenever Liqo's fabric looks at it.
	{"the overlay to the gateway", (*tested).gateway, "drop --hook=ingress --in=liqo.*",
		"Overlay <here> <all>", "Geneve", nil},
	{"the overlay to a node", (*tested).lastNode, "drop --hook=ingress --in=liqo.*",
		"Overlay <here> <node>", "spec.nodeName",
		[]string{`get lost between the gateway of "<here>" and the pods on node "<node>"`, anywhere}},
	{"what a gateway sends into the tunnel", (*tested).gateway, "drop --hook=forward --out=liqo-tunnel", "Gateway  ",
		`Packets from "<here>" to "<there>" get lost in one of the two gateways`, []string{anywhere}},
	{"what a gateway gets from the tunnel", (*tested).gateway, "drop --hook=forward --in=liqo-tunnel", "Gateway  ",
		`Packets from "<there>" to "<here>" get lost in one of the two gateways`, []string{anywhere}},
	{"the tunnel to a leaf", (*tested).gatewayNode, "drop --hook=prerouting --in=eth0 --protocol=udp", "Tunnel  ",
		"Connection", nil},
}

// lastNode is the place of a cluster's node without the gateway, or of its only node.
func (p *tested) lastNode(cluster string) string {
	p.T.Helper()
	if !p.several {
		return p.gatewayNode(cluster)
	}
	return p.otherNode(cluster)
}

// brokenHop is a hop of one leaf.
type brokenHop struct {
	hop

	here, there string
}

// allHops are the hops of both leaves.
func allHops() []brokenHop {
	var all []brokenHop
	for _, hop := range hops {
		all = append(all, brokenHop{hop, "rome", "milan"}, brokenHop{hop, "milan", "rome"})
	}
	return all
}

// isNamed breaks a hop, and fails the test if a connectivity test does not name it.
func (p *tested) isNamed(broken brokenHop) {
	p.T.Helper()
	place := broken.at(p, broken.here)
	p.lab.Command(p.T, slices.Insert(strings.Fields(broken.drop), 1, place)...)
	result := p.again()
	p.lab.Command(p.T, "mend", place)
	p.T.Logf("%s of %s: %+v", broken.name, broken.here, result.Faults)
	node := strings.TrimPrefix(p.lastNode(broken.here), broken.here+"/")
	all := node
	if p.several {
		all = ""
	}
	names := strings.NewReplacer("<here>", broken.here, "<there>", broken.there, "<node>", node, "<all>", all)
	if len(result.Faults) != 1 {
		p.T.Errorf("it has %d faults: %+v", len(result.Faults), result.Faults)
		return
	}
	found := result.Faults[0]
	got := fmt.Sprintf("%s %s %s", found.Hop, found.Leaf, found.Node)
	isOpen := p.slow && found.Hop == "Unknown" && slices.ContainsFunc(broken.open, func(part string) bool {
		return strings.Contains(found.Summary, names.Replace(part))
	})
	if !isOpen && (got != names.Replace(broken.want) ||
		!strings.Contains(found.Summary+found.Evidence+found.Advice, names.Replace(broken.says))) {
		p.T.Errorf("got %s: %s\n%s\n%s", got, found.Summary, found.Evidence, found.Advice)
	}
	p.noPods()
	p.pair.ComesBack()
}

func TestAccPacketsThatGetLostHaveTheHopNamed(t *testing.T) {
	p := borrowTested(t, twoNodes, acctest.OverNodePort)
	for _, broken := range acctest.SomeOf(allHops(), 3, acctest.NewDice(t)) {
		t.Run(broken.name+" of "+broken.here, func(t *testing.T) {
			p.In(t)
			p.isNamed(broken)
			p.passes() // after the fault
		})
	}
}

// Pods start late here, those of one leaf later than those of the other one, and are reported late.
func TestAccPacketsThatGetLostOnSlowNodesHaveTheHopNamed(t *testing.T) {
	for name, options := range map[string][]string{"one node": oneNode, "two nodes": twoNodes} {
		t.Run(name, func(t *testing.T) {
			p := borrowTested(t, options, acctest.OverNodePort)
			p.slow = true
			p.lab.Set(t, "rome", "pod-started-after=30s", "pod-reported-after=2s")
			p.lab.Set(t, "milan", "pod-started-after=5s", "pod-reported-after=15s")
			if result := p.passes(); result.PathMTU != 1340 {
				t.Errorf("before the faults: %+v", result)
			}
			for _, broken := range acctest.SomeOf(allHops(), 2, acctest.NewDice(t)) {
				t.Run(broken.name+" of "+broken.here, func(t *testing.T) {
					p.In(t)
					p.isNamed(broken)
				})
			}
		})
	}
}
