package real

import (
	"net/netip"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/sandbox"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/underlay"
)

// natIP is the address that the nodes see when a client reaches them through the NAT.
var natIP = netip.AddrFrom4([4]byte{172, 18, 254, 1})

// nat is a NAT in front of all nodes. Each node has another address there, with the same ports, and
// sees the NAT's address instead of its clients'.
type nat struct {
	*sandbox.Sandbox
	port  *underlay.Port
	rules []translation
}

func newNAT(helper []string, network *underlay.Network) (*nat, error) {
	held, err := sandbox.Start(helper, sandbox.Spec{Name: "nat", Sysctls: forwarding()})
	if err != nil {
		return nil, err
	}
	port, err := plug(held, network, natIP, "")
	if err != nil {
		held.Stop()
		return nil, err
	}
	return &nat{Sandbox: held, port: port}, nil
}

// add gives a node of a leaf another address.
func (n *nat) add(leaf string, outside, node netip.Addr) error {
	n.rules = append(n.rules, translation{From: netip.AddrPortFrom(outside, 0), To: netip.AddrPortFrom(node, 0)})
	n.port.AddAddress(outside, leaf)
	return writeRules(n.Sandbox, n.rules)
}

func (n *nat) close() {
	_ = n.port.Close()
	n.Stop()
}

// forwarding are the settings of a node's network. The node forwards packets, whatever device they
// come from.
func forwarding() map[string]string {
	return map[string]string{
		"ipv4/ip_forward":                  "1",
		"ipv4/conf/all/rp_filter":          "0",
		"ipv4/conf/default/rp_filter":      "0",
		"ipv4/conf/all/send_redirects":     "0",
		"ipv4/conf/default/send_redirects": "0",
	}
}
