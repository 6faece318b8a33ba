//go:build lab

package limits

import (
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// Addresses as their own leaf sees them, and Milan's as Rome sees them: Liqo on Rome remaps Milan's range.
const (
	romesPod, romesRange, romesNodes    = "10.202.1.9", "10.202.0.0/16", "10.70.0.0"
	milansPod, milansRange, milansNodes = "10.203.2.10", "10.203.0.0/16", "10.68.0.0"

	milansPodAtRome, milansRangeAtRome = "10.73.2.10", "10.73.0.0/16"
)

// The addresses of the gateways in their tunnel, and of each one at its node.
const romesEnd, milansEnd, atNode = "169.254.18.2", "169.254.18.1", "10.80.0.1"

// pair is a pod of Rome and one of Milan, with a gateway at each end, and what is around the gateways. The host of a
// pod is also the node of its leaf.
type pair struct {
	t                   *testing.T
	rome, milan, around *host
	atRome, atMilan     *gateway
}

func newPair(t *testing.T) *pair {
	t.Helper()
	p := &pair{
		t: t, rome: newHost(t, "rome"), milan: newHost(t, "milan"), around: newHost(t, "around"),
		atRome: newGateway(t, "gateway of rome"), atMilan: newGateway(t, "gateway of milan"),
	}
	join(p.atRome.host, tunnel, romesEnd+"/30", p.atMilan.host, tunnel, milansEnd+"/30")
	join(p.atRome.host, uplink, "172.18.0.1/32", p.around, "rome", "172.18.0.254/32")
	join(p.atMilan.host, uplink, "172.18.1.1/32", p.around, "milan", "172.18.1.254/32")
	for _, end := range []struct {
		pod, nodes, pods string
		*host
		at                   *gateway
		otherPods, otherNode string
	}{
		{romesPod, romesNodes, romesRange, p.rome, p.atRome, milansRange, milansNodes},
		{milansPod, milansNodes, milansRange, p.milan, p.atMilan, romesRange, romesNodes},
	} {
		join(end.host, uplink, end.pod+"/32", end.at.host, node, atNode+"/32")
		end.address(uplink, end.nodes+"/32")
		end.route("0.0.0.0/0", uplink)
		for cidr, device := range map[string]string{
			end.pods: node, end.nodes + "/32": node, end.otherPods: tunnel, end.otherNode + "/32": tunnel, "0.0.0.0/0": uplink,
		} {
			end.at.route(cidr, device)
		}
	}
	p.atRome.remap(milansRange, milansRangeAtRome)
	return p
}

// limit lets both gateways enforce rules.
func (p *pair) limit(toRome, toMilan []liqo.Rule) {
	p.t.Helper()
	p.atRome.limit(atRome(toRome, toMilan))
	p.atMilan.limit(atMilan(toRome, toMilan))
}

func atRome(toRome, toMilan []liqo.Rule) liqo.Limits {
	return liqo.Limits{
		In: toRome, Out: toMilan, Own: []string{romesRange}, Other: []string{milansRange}, Nodes: romesNodes,
	}
}

func atMilan(toRome, toMilan []liqo.Rule) liqo.Limits {
	return liqo.Limits{
		In: toMilan, Out: toRome, Own: []string{milansRange}, Other: []string{romesRange}, Nodes: milansNodes,
	}
}

// settle returns when every packet that was sent has arrived or was dropped.
func (p *pair) settle() {
	p.t.Helper()
	for range 2 { // one after the other on the links of a way, and on the way back
		p.rome.hears(atNode)
		p.atRome.hears(milansEnd)
		p.atMilan.hears(milansPod)
		p.milan.hears(atNode)
		p.atMilan.hears(romesEnd)
		p.atRome.hears(romesPod)
	}
}
