// Package real is a data plane with packets. Each node and each pod is a sandbox with its own
// network. The pods of gateways run Liqo's own programs, with WireGuard in user space. Every node
// runs Liqo's own fabric. So a Connection is Connected because packets crossed the tunnel, and a
// route exists because Liqo created it. The lab adds what Liqo expects of a machine and a cluster:
// the underlay, pods' links, and Services.
//
// It needs root and /dev/net/tun. Nothing of it is in the machine's own network.
package real

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"strings"
	"sync"

	"github.com/vishvananda/netlink"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/dataplane"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/fault"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/kubelet"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/sandbox"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/underlay"
)

var _ dataplane.DataPlane = &Real{}

// Real is the data plane of one lab. It is safe for concurrent use.
type Real struct {
	// Underlay joins the nodes.
	Underlay *underlay.Network

	helper string
	mu     sync.Mutex
	nat    *nat
	leaves map[string]*leaf
}

// New returns a data plane without clusters. Helper is the file of liqo-pod.
func New(helper string) *Real {
	return &Real{Underlay: underlay.New(), helper: helper, leaves: map[string]*leaf{}}
}

// Check returns the reason why this machine can't have a real data plane, or nil. Helper is the
// file of liqo-pod.
func Check(helper string) error {
	if os.Geteuid() != 0 {
		return errors.New("a real data plane needs root")
	}
	trial, err := sandbox.Start(helper, sandbox.Spec{Name: "trial"})
	if err != nil {
		return fmt.Errorf("a real data plane needs namespaces for networks and mounts: %w", err)
	}
	defer trial.Stop()
	device, err := plug(trial, underlay.New(), netip.AddrFrom4([4]byte{192, 0, 2, 1}), "trial")
	if err != nil {
		return fmt.Errorf("a real data plane needs a TUN device: %w", err)
	}
	defer device.Close()
	if err = writeRules(trial, nil); err != nil {
		err = fmt.Errorf("a real data plane needs nftables: %w", err)
	}
	return err
}

// Register implements dataplane.DataPlane.
func (r *Real) Register(
	ctx context.Context, mgr manager.Manager, cluster dataplane.Cluster,
) (map[string]kubelet.Runtime, error) {
	l, err := r.leaf(mgr, cluster)
	if err == nil {
		err = l.register(ctx, mgr)
	}
	if err != nil {
		return nil, fmt.Errorf("data plane: %w", err)
	}
	runtimes := map[string]kubelet.Runtime{}
	for _, n := range l.nodes {
		runtimes[n.spec.Name] = n
	}
	return runtimes, nil
}

// leaf returns the data plane's part of a cluster. It creates it at the first call. Later, Liqo may have another
// version, whose programs run in new pods.
func (r *Real) leaf(mgr manager.Manager, cluster dataplane.Cluster) (*leaf, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if l := r.leaves[cluster.Name]; l != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.Liqo, l.Programs = cluster.Liqo, cluster.Programs
		return l, nil
	}
	if r.nat == nil {
		var err error
		if r.nat, err = newNAT(r.helper, r.Underlay); err != nil {
			return nil, err
		}
	}
	l, err := newLeaf(r, mgr.GetConfig().Host, cluster)
	if err != nil {
		return nil, err
	}
	for _, node := range cluster.Nodes {
		if err := r.nat.add(cluster.Name, node.NATIP, node.IP); err != nil {
			l.close()
			return nil, err
		}
	}
	r.leaves[cluster.Name] = l
	return l, nil
}

// Close ends everything.
func (r *Real) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, l := range r.leaves {
		l.close()
	}
	if r.nat != nil {
		r.nat.close()
	}
}

// Place is a pod or a node.
type Place struct {
	*sandbox.Sandbox
	// Device is the pod's device in its node, or empty.
	Device string
	// Faults are those of its network. A new pod of the same name has none.
	Faults *fault.Faults
}

// Place returns the place with a name: cluster/namespace/name of a pod, or cluster/name of a node.
func (r *Real) Place(name string) (Place, error) {
	const partsOfNode, partsOfPod = 2, 3
	parts := strings.Split(name, "/")
	if len(parts) != partsOfNode && len(parts) != partsOfPod {
		return Place{}, fmt.Errorf("%q is not cluster/namespace/name of a pod, nor cluster/name of a node", name)
	}
	r.mu.Lock()
	l := r.leaves[parts[0]]
	r.mu.Unlock()
	if l == nil {
		return Place{}, fmt.Errorf("the data plane has no cluster %q", parts[0])
	}
	if len(parts) == partsOfNode {
		return l.nodeNamed(parts[1])
	}
	return l.podNamed(client.ObjectKey{Namespace: parts[1], Name: parts[2]})
}

func (l *leaf) nodeNamed(name string) (Place, error) {
	for _, n := range l.nodes {
		if n.spec.Name == name {
			return Place{Sandbox: n.sandbox, Faults: n.faults}, nil
		}
	}
	return Place{}, fmt.Errorf("cluster %s has no node %q", l.Name, name)
}

func (l *leaf) podNamed(key client.ObjectKey) (Place, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	running := l.pods[key]
	if running == nil {
		return Place{}, fmt.Errorf("no pod %s runs in cluster %s", key, l.Name)
	}
	return Place{running.Sandbox, running.device, running.faults}, nil
}

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
