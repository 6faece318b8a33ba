package real

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"

	"github.com/google/nftables"
	"github.com/vishvananda/netlink"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/binaries"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/dataplane"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/fault"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/process"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/relay"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/sandbox"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/underlay"
)

// node is a node of a leaf, in which the leaf's fabric runs.
type node struct {
	leaf    *leaf
	spec    dataplane.Node
	sandbox *sandbox.Sandbox // its network and files
	number  int              // in the leaf, from 1 on
	port    *underlay.Port
	relay   *relay.Relay
	fabric  *process.Process
	faults  *fault.Faults
	lost    bool

	links map[client.ObjectKey]link // by InternalFabric
	rules []translation             // for Services
	jobs  jobs
	tell  func(client.ObjectKey) // tells the kubelet that a command of a pod has ended
}

// addNode creates a node of the leaf. If it fails, l.nodes has everything that it has created.
func (l *leaf) addNode(spec dataplane.Node) error {
	held, err := sandbox.Start(l.plane.helper, sandbox.Spec{
		Name: spec.Name, Sysctls: forwarding(), Folders: []string{"/etc/iproute2"}, Mounts: l.mounts(binaries.LiqoFabric),
	})
	if err != nil {
		return err
	}
	n := &node{
		leaf: l, spec: spec, sandbox: held, faults: fault.New(held), number: len(l.nodes) + 1,
		links: map[client.ObjectKey]link{}, jobs: jobs{},
	}
	l.nodes = append(l.nodes, n)
	if n.port, err = plug(held, l.plane.Underlay, spec.IP, l.Name); err != nil {
		return err
	}
	for _, other := range l.nodes[:len(l.nodes)-1] {
		if err := joinNodes(n, other); err != nil {
			return fmt.Errorf("from %s to %s: %w", n.spec.Name, other.spec.Name, err)
		}
	}
	if err := writeRules(held, nil); err != nil {
		return err
	}
	if n.relay, err = startRelay(held, l.apiServer); err != nil {
		return err
	}
	n.fabric, err = l.startIn(held, binaries.LiqoFabric, spec.Fabric, spec.FabricArgs)
	return err
}

// startRelay makes the machine's API server reachable in a sandbox at the same address.
func startRelay(in *sandbox.Sandbox, address string) (*relay.Relay, error) {
	var listener net.Listener
	err := in.Do(func() (err error) {
		listener, err = net.Listen("tcp", address)
		return err
	})
	if err != nil {
		return nil, err
	}
	return relay.Serve(listener, address, 0), nil
}

// close ends the node. Its pods must have ended before.
func (n *node) close() {
	for fabric := range n.links {
		n.unlink(fabric)
	}
	if n.fabric != nil {
		n.fabric.Stop(context.Background())
	}
	if n.relay != nil {
		_ = n.relay.Close()
	}
	if n.port != nil {
		_ = n.port.Close()
	}
	n.sandbox.Stop()
}

// toNodes is how the names of a node's devices to the other nodes of its leaf begin.
const toNodes = "node"

// device returns the name that the device to this node has in each other node.
func (n *node) device() string { return fmt.Sprintf("%s%d", toNodes, n.number) }

// joinNodes joins two nodes of a leaf with a pair of devices, past the underlay. The nodes then reach each other, and
// their pods by the routes of routePod, as with a CNI that has no overlay. The underlay can't carry these packets: it
// would have to know the addresses of pods, and two leaves may have the same ones.
func joinNodes(a, b *node) error {
	if err := addPair(a.sandbox, b.sandbox, b.device(), a.device(), 0); err != nil {
		return err
	}
	// The address is the source of what the node itself sends, and of what it masquerades.
	inA, err := addressed(a.sandbox.Net, b.device(), a.spec.IP)
	if err != nil {
		return err
	}
	inB, err := addressed(b.sandbox.Net, a.device(), b.spec.IP)
	if err != nil {
		return err
	}
	if err := lead(a.sandbox.Net, inA, b.spec.IP, inB); err != nil {
		return err
	}
	return lead(b.sandbox.Net, inB, a.spec.IP, inA)
}

// routePod makes a pod of this node reachable from all other nodes of the leaf.
func (n *node) routePod(address netip.Addr) error {
	for _, peer := range n.peers() {
		route, err := n.routeFrom(peer, address)
		if err == nil {
			err = peer.sandbox.Net.RouteReplace(route)
		}
		if err != nil {
			return fmt.Errorf("route from %s to %s: %w", peer.spec.Name, address, err)
		}
	}
	return nil
}

// unroutePod is the opposite of routePod.
func (n *node) unroutePod(address netip.Addr) {
	for _, peer := range n.peers() {
		if route, err := n.routeFrom(peer, address); err == nil {
			_ = peer.sandbox.Net.RouteDel(route) // an error means that there is none
		}
	}
}

// peers are the other nodes of the leaf.
func (n *node) peers() []*node {
	return slices.DeleteFunc(slices.Clone(n.leaf.nodes), func(other *node) bool { return other == n })
}

// routeFrom is the route from another node of the leaf to a pod of this node.
func (n *node) routeFrom(peer *node, pod netip.Addr) (*netlink.Route, error) {
	device, err := peer.sandbox.Net.LinkByName(n.device())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", n.device(), err)
	}
	return &netlink.Route{LinkIndex: device.Attrs().Index, Gw: n.spec.IP.AsSlice(), Dst: host(pod)}, nil
}

// silence is the nftables table that makes a network deaf.
const silence = "lost"

// setLost cuts the node and its pods off from all networks, and from the API server, or ends that. Their programs
// run on, like those of a node that has lost its uplink.
func (n *node) setLost(lost bool) error {
	n.leaf.mu.Lock()
	defer n.leaf.mu.Unlock()
	if n.lost == lost {
		return nil
	}
	n.lost = lost
	errs := []error{setDeaf(n.sandbox, lost)}
	for _, p := range n.leaf.pods {
		if p.node == n {
			errs = append(errs, setDeaf(p.Sandbox, lost))
		}
	}
	return errors.Join(errs...)
}

// setDeaf drops all packets that come into a network, or no longer does so. Those of its own loopback, on which the
// relay to the API server listens, are among them. Connections hang then, as they do without an uplink. What the
// network sends is dropped where it arrives: a pod's at its node, and a node's at its pods or nowhere.
func setDeaf(in *sandbox.Sandbox, deaf bool) error {
	return fault.ChangeRules(in, func(conn *nftables.Conn) {
		table := &nftables.Table{Family: nftables.TableFamilyIPv4, Name: silence}
		if !deaf {
			conn.DelTable(table)
			return
		}
		conn.AddChain(&nftables.Chain{
			Name: "in", Table: conn.AddTable(table), Type: nftables.ChainTypeFilter, Hooknum: nftables.ChainHookPrerouting,
			Priority: nftables.ChainPriorityFirst, Policy: new(nftables.ChainPolicyDrop),
		})
	})
}
