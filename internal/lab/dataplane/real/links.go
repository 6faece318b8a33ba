package real

import (
	"errors"
	"fmt"
	"net"
	"net/netip"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/sandbox"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/underlay"
)

// uplink is the name of a node's device to the underlay, and of a pod's device to its node. Liqo
// expects this name in a pod.
const uplink = "eth0"

// nodeSide is the address of every pod's gateway, its node. No device has this address. Each pod has
// a permanent neighbour entry for it, with the hardware address of the node's device.
var nodeSide = netip.AddrFrom4([4]byte{169, 254, 1, 1})

// plug joins a node to the underlay. The node gets the address of a leaf, and a default route.
func plug(node *sandbox.Sandbox, network *underlay.Network, address netip.Addr, leaf string) (*underlay.Port, error) {
	var port *underlay.Port
	err := node.Do(func() error {
		device, err := underlay.OpenTUN(uplink)
		if err != nil {
			return err
		}
		port = network.Attach(device)
		return nil
	})
	if err != nil {
		return nil, err
	}
	link, err := addressed(node.Net, uplink, address)
	if err == nil {
		err = node.Net.RouteAdd(&netlink.Route{
			LinkIndex: link.Attrs().Index,
			Dst:       everything,
			Scope:     unix.RT_SCOPE_LINK,
		})
	}
	if err != nil {
		return nil, errors.Join(err, port.Close())
	}
	port.AddAddress(address, leaf)
	return port, nil
}

var everything = &net.IPNet{IP: net.IPv4zero.To4(), Mask: net.CIDRMask(0, 32)}

// host is the network of one address.
func host(address netip.Addr) *net.IPNet { return netlink.NewIPNet(address.AsSlice()) }

// addressed gives a device an address, sets it up, and returns it.
func addressed(in *netlink.Handle, name string, address netip.Addr) (netlink.Link, error) {
	link, err := in.LinkByName(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := in.AddrReplace(link, &netlink.Addr{IPNet: host(address)}); err != nil {
		return nil, fmt.Errorf("%s %s: %w", name, address, err)
	}
	if err := in.LinkSetUp(link); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return link, nil
}

// addPair creates a pair of devices, one in a node and one in a pod. Mtu is in bytes. Zero stands for
// the default, 1500.
func addPair(node, pod *sandbox.Sandbox, nodeEnd, podEnd string, mtu int) error {
	veth := netlink.NewLinkAttrs()
	veth.Name, veth.MTU = nodeEnd, mtu
	err := node.Net.LinkAdd(&netlink.Veth{LinkAttrs: veth, PeerName: podEnd, PeerNamespace: netlink.NsFd(pod.Namespace)})
	if err != nil {
		return fmt.Errorf("%s: %w", nodeEnd, err)
	}
	link, err := pod.Net.LinkByName(podEnd)
	if err != nil {
		return fmt.Errorf("%s: %w", podEnd, err)
	}
	if mtu > 0 {
		return pod.Net.LinkSetMTU(link, mtu)
	}
	return nil
}

// rename gives a device that is down another name.
func rename(in *netlink.Handle, from, to string) error {
	link, err := in.LinkByName(from)
	if err == nil {
		err = in.LinkSetName(link, to)
	}
	if err != nil {
		return fmt.Errorf("%s, the new %s: %w", from, to, err)
	}
	return nil
}

// removeDevice removes the device of a node, and with it the other end. It does nothing if there is no
// such device.
func removeDevice(node *sandbox.Sandbox, name string) {
	if link, err := node.Net.LinkByName(name); err == nil {
		_ = node.Net.LinkDel(link) // an error means that it is already gone, with its other end
	}
}

// joinPod makes a pod reachable from its node at its address, and everything else reachable from the
// pod. Both ends have permanent neighbour entries, so neither sends ARP requests.
func joinPod(node, pod *sandbox.Sandbox, nodeEnd string, address netip.Addr) error {
	if err := addPair(node, pod, nodeEnd, uplink, 0); err != nil {
		return err
	}
	inPod, err := addressed(pod.Net, uplink, address)
	if err != nil {
		return err
	}
	inNode, err := node.Net.LinkByName(nodeEnd)
	if err != nil {
		return err
	}
	if err := node.Net.LinkSetUp(inNode); err != nil {
		return err
	}
	if err := lead(node.Net, inNode, address, inPod); err != nil {
		return err
	}
	if err := lead(pod.Net, inPod, nodeSide, inNode); err != nil {
		return err
	}
	err = pod.Net.RouteAdd(&netlink.Route{LinkIndex: inPod.Attrs().Index, Dst: everything, Gw: nodeSide.AsSlice()})
	if err != nil {
		return fmt.Errorf("route from %s to everything: %w", address, err)
	}
	return nil
}

// lead leads packets to an address to a device. It is at the other device, as a permanent neighbour entry says.
func lead(in *netlink.Handle, at netlink.Link, address netip.Addr, other netlink.Link) error {
	err := in.NeighSet(&netlink.Neigh{
		LinkIndex:    at.Attrs().Index,
		IP:           address.AsSlice(),
		HardwareAddr: other.Attrs().HardwareAddr,
		State:        netlink.NUD_PERMANENT,
	})
	if err != nil {
		return fmt.Errorf("neighbour %s: %w", address, err)
	}
	route := &netlink.Route{LinkIndex: at.Attrs().Index, Dst: host(address), Scope: unix.RT_SCOPE_LINK}
	if err := in.RouteReplace(route); err != nil {
		return fmt.Errorf("route to %s: %w", address, err)
	}
	return nil
}
