package real

import (
	"fmt"
	"net/netip"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// toNodes is how the names of a node's devices to the other nodes of its leaf begin.
const toNodes = "node"

// device returns the name that the device to this node has in each other node.
func (n *node) device() string { return fmt.Sprintf("%s%d", toNodes, n.number) }

// joinNodes joins two nodes of a leaf with a pair of devices, past the underlay. The nodes then reach each other, and
// their pods by the routes of routePod, as with a CNI that has no overlay. The underlay can't carry these packets: it
// would have to know the addresses of pods, and two leaves may have the same ones.
func joinNodes(a, b *node) error {
	if err := addPair(a.Sandbox, b.Sandbox, b.device(), a.device(), 0); err != nil {
		return err
	}
	// The address is the source of what the node itself sends, and of what it masquerades.
	inA, err := addressed(a.Net, b.device(), a.IP)
	if err != nil {
		return err
	}
	inB, err := addressed(b.Net, a.device(), b.IP)
	if err != nil {
		return err
	}
	if err := a.routeNode(inA, b.IP, inB); err != nil {
		return err
	}
	return b.routeNode(inB, a.IP, inA)
}

// routeNode routes the address of another node to a device. Other is the other node's end of it.
func (n *node) routeNode(device netlink.Link, address netip.Addr, other netlink.Link) error {
	if err := neighbour(n.Net, device, address, other); err != nil {
		return err
	}
	route := &netlink.Route{LinkIndex: device.Attrs().Index, Dst: host(address), Scope: unix.RT_SCOPE_LINK}
	if err := n.Net.RouteReplace(route); err != nil {
		return fmt.Errorf("route to %s: %w", address, err)
	}
	return nil
}

// routePod makes a pod of this node reachable from all other nodes of the leaf.
func (n *node) routePod(address netip.Addr) error {
	return n.eachPeer(func(peer *node, route *netlink.Route) error {
		route.Dst = host(address)
		if err := peer.Net.RouteReplace(route); err != nil {
			return fmt.Errorf("route from %s to %s: %w", peer.Name, address, err)
		}
		return nil
	})
}

// unroutePod is the opposite of routePod.
func (n *node) unroutePod(address netip.Addr) {
	_ = n.eachPeer(func(peer *node, route *netlink.Route) error {
		route.Dst = host(address)
		_ = peer.Net.RouteDel(route) // an error means that there is none
		return nil
	})
}

// eachPeer calls a function with each other node of the leaf, and the way from there to this node.
func (n *node) eachPeer(do func(peer *node, route *netlink.Route) error) error {
	for _, peer := range n.nodes {
		if peer == n {
			continue
		}
		device, err := peer.Net.LinkByName(n.device())
		if err != nil {
			return fmt.Errorf("%s in %s: %w", n.device(), peer.Name, err)
		}
		if err := do(peer, &netlink.Route{LinkIndex: device.Attrs().Index, Gw: n.IP.AsSlice()}); err != nil {
			return err
		}
	}
	return nil
}
