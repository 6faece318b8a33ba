package real

import (
	"errors"
	"fmt"
	"net/netip"

	"github.com/vishvananda/netlink"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/sandbox"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/underlay"
)

// natIP is the address that the nodes see when a client reaches them through the NAT, and otherNATIP is the one that it
// has after it has got another one.
var (
	natIP      = netip.AddrFrom4([4]byte{172, 18, 254, 1})
	otherNATIP = netip.AddrFrom4([4]byte{172, 18, 254, 254})
)

// nat is a NAT in front of all nodes. Each node has another address there, with the same ports, and
// sees the NAT's address instead of its clients'.
type nat struct {
	*sandbox.Sandbox
	port    *underlay.Port
	address netip.Addr
	rules   []translation
}

func newNAT(helper string, network *underlay.Network) (*nat, error) {
	held, err := sandbox.Start(helper, sandbox.Spec{Name: "nat", Sysctls: forwarding()})
	if err != nil {
		return nil, err
	}
	port, err := plug(held, network, natIP, "")
	if err != nil {
		held.Stop()
		return nil, err
	}
	return &nat{Sandbox: held, port: port, address: natIP}, nil
}

// add gives a node of a leaf another address.
func (n *nat) add(leaf string, outside, node netip.Addr) error {
	n.rules = append(n.rules, translation{From: netip.AddrPortFrom(outside, 0), To: netip.AddrPortFrom(node, 0)})
	n.port.AddAddress(outside, leaf)
	return writeRules(n.Sandbox, n.rules)
}

// renew gives the NAT its other address, as a router gets one when it dials in again. It forgets its connections,
// because the nodes see them come from elsewhere. The addresses of the nodes stay.
func (n *nat) renew() error {
	before, after := n.address, otherNATIP
	if before == otherNATIP {
		after = natIP
	}
	link, err := addressed(n.Net, uplink, after) // the routes go with the last address of a device
	if err != nil {
		return err
	}
	if err := n.Net.AddrDel(link, &netlink.Addr{IPNet: host(before)}); err != nil {
		return fmt.Errorf("%s: %w", before, err)
	}
	n.port.AddAddress(after, "")
	n.port.RemoveAddress(before)
	n.address = after
	return n.Net.ConntrackTableFlush(netlink.ConntrackTable)
}

// RenewNAT gives the NAT another address, and returns it.
func (r *Real) RenewNAT() (netip.Addr, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.nat == nil {
		return netip.Addr{}, errors.New("there is no NAT before the first cluster")
	}
	err := r.nat.renew()
	return r.nat.address, err
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
