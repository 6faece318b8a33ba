package connectivity

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// oneNode has the options of a lab with real packets, whose clusters have one node each and the same pod CIDR. So no
// other node shows that the gateway is all right.
var oneNode = []string{
	"--dataplane=real", "--cluster=rome=10.200.0.0/16", "--cluster=milan=10.200.0.0/16",
}

// ofOverlay are packets that a node or a gateway gets over the overlay.
var ofOverlay = []string{"--hook=ingress", "--in=liqo.*"}

// forgetNeighbours makes the node and the gateway of a leaf ask anew where their neighbours are.
func (p *tested) forgetNeighbours(leaf string) {
	p.T.Helper()
	for _, place := range []string{p.gatewayNode(leaf), p.gateway(leaf)} {
		p.lab.Output(p.T, "exec", place, "--", "ip", "neigh", "flush", "all")
	}
}

func TestAccPacketsOfNewPodsThatGoRoundTheOverlayDoNotHideItsFault(t *testing.T) {
	p := borrowTested(t, oneNode, acctest.OverNodePort)
	// Each direction and both, at either leaf, with fresh and with expired neighbour entries, and one direction with
	// earlier and later reports of pods. Until its kubelet reports a new pod, its answers go round the overlay. Fresh
	// entries let packets still go in the direction in which the overlay works.
	type fault struct {
		leaf                       string
		toNode, toGateway, expired bool
		reported                   time.Duration
	}
	const usual = 500 * time.Millisecond
	var faults []fault
	for _, leaf := range []string{"rome", "milan"} {
		for _, expired := range []bool{false, true} {
			faults = append(faults, fault{leaf, true, false, expired, usual}, fault{leaf, false, true, expired, usual},
				fault{leaf, true, true, expired, usual})
		}
		for _, reported := range []time.Duration{0, usual / 2, 2 * usual, 4 * usual, 30 * usual} {
			faults = append(faults, fault{leaf, true, false, false, reported})
		}
	}
	for _, fault := range acctest.SomeOf(faults, 3, acctest.NewDice(t)) {
		t.Run(fmt.Sprintf("%+v", fault), func(t *testing.T) {
			p.In(t)
			for _, leaf := range []string{"rome", "milan"} {
				p.lab.Set(t, leaf, fmt.Sprintf("pod-reported-after=%s", fault.reported))
				p.forgetNeighbours(leaf)
			}
			p.pair.ComesBack()
			// The overlay carries nothing. The neighbor entries are fresh, because packets have just passed.
			var mends []func()
			if fault.toNode {
				mends = append(mends, p.drops(p.gatewayNode(fault.leaf), ofOverlay...))
			}
			if fault.toGateway {
				mends = append(mends, p.drops(p.gateway(fault.leaf), ofOverlay...))
			}
			if fault.expired {
				p.forgetNeighbours(fault.leaf)
			}
			result := p.again()
			for _, mend := range mends {
				mend()
			}
			if len(result.Faults) != 1 || result.Faults[0].Hop != "Overlay" || result.Faults[0].Leaf != fault.leaf {
				t.Errorf("got %+v", result.Faults)
			}
			if result.PathMTU != 0 {
				t.Errorf("an MTU of %d bytes was not measured", result.PathMTU)
			}
			for _, path := range result.Paths {
				if path.LargestPacket != 0 {
					t.Errorf("packets of %d bytes pass: %+v", path.LargestPacket, path)
				}
			}
			p.noPods()
			p.pair.ComesBack()
		})
	}
	if result := p.passes(); result.PathMTU != 1340 {
		t.Errorf("after the faults: %+v", result)
	}
}

// A pod network that lets pods send only with their own addresses drops what goes round the overlay, and what a gateway
// itself says to a pod.
func TestAccPacketsOfNewPodsThatThePodNetworkDropsAreNotCounted(t *testing.T) {
	p := borrowTested(t, oneNode, acctest.OverNodePort)
	const otherLeaf, overlay = "10.71.0.0/16", "10.80.0.0/16"
	for _, leaf := range []string{"rome", "milan"} {
		p.drops(p.gatewayNode(leaf), "--hook=prerouting", "--in=pod*", "--from="+otherLeaf)
		p.drops(p.gatewayNode(leaf), "--hook=prerouting", "--in=pod*", "--from="+overlay)
		p.lab.Set(t, leaf, "pod-reported-after=2s")
	}
	result := p.passes()
	if result.PathMTU != 1340 {
		t.Errorf("got %+v", result)
	}
	for _, path := range result.Paths {
		if path.Answered != 10 {
			t.Errorf("%d of 10 pings are answered: %+v", path.Answered, path)
		}
	}

	t.Log("A broken overlay looks like a gateway that drops packets. So it is open, and the advice is right for both.")
	p.drops(p.gatewayNode("milan"), ofOverlay...)
	result = p.again()
	if len(result.Faults) != 1 || result.Faults[0].Hop != "Unknown" ||
		result.Faults[0].Summary != `Packets from "rome" to "milan" get lost between the nodes of the two leaves` ||
		!strings.Contains(result.Faults[0].Advice, "check the overlay of that leaf") {
		t.Errorf("got %+v", result.Faults)
	}
}
