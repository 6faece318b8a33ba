// Package underlay is the network between the nodes of a lab, like a data centre or the internet
// between real nodes. It is a router in user space, so every link can be cut and slowed down on any
// kernel. It knows the owner of each address, and drops packets to all other addresses.
package underlay

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/netip"
	"os"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// largest is the maximum number of bytes in a packet.
const largest = 1 << 16

// Conditions are the state of the link between two leaves, the same in both directions.
type Conditions struct {
	// Down reports whether the link is cut.
	Down bool `json:"down"`
	// Delay is the time that a packet takes, one way.
	Delay time.Duration `json:"delay"`
	// Loss is the share of packets that are lost, from 0 to 1, one way.
	Loss float64 `json:"loss"`
}

// Network is the underlay of one lab. It is safe for concurrent use.
type Network struct {
	mu     sync.RWMutex
	owners map[netip.Addr]owner
	links  map[link]Conditions
	cut    map[string]bool
}

// owner is the owner of an address: the port that gets the packets, and the leaf whose links they
// take.
type owner struct {
	port *Port
	leaf string
}

// link is a pair of leaves, the lesser name first.
type link struct{ a, b string }

func linkOf(a, b string) link {
	if b < a {
		a, b = b, a
	}
	return link{a, b}
}

// New returns a network without ports.
func New() *Network {
	return &Network{owners: map[netip.Addr]owner{}, links: map[link]Conditions{}, cut: map[string]bool{}}
}

// Port is the network's connection to a node.
type Port struct {
	network *Network
	device  io.ReadWriteCloser
}

// Attach joins a device to the network, until it is closed. A read from the device returns one IP
// packet, and a write takes one.
func (n *Network) Attach(device io.ReadWriteCloser) *Port {
	p := &Port{network: n, device: device}
	go p.forward()
	return p
}

// AddAddress routes an address, as one of a leaf, to the port. An address has one owner, the last.
func (p *Port) AddAddress(address netip.Addr, leaf string) {
	p.network.mu.Lock()
	defer p.network.mu.Unlock()
	p.network.owners[address] = owner{p, leaf}
}

// RemoveAddress removes the route of an address, if it leads to the port.
func (p *Port) RemoveAddress(address netip.Addr) {
	p.network.mu.Lock()
	defer p.network.mu.Unlock()
	if p.network.owners[address].port == p {
		delete(p.network.owners, address)
	}
}

// Close unplugs the port.
func (p *Port) Close() error { return p.device.Close() }

// SetLink changes the link between two leaves. Packets that are already on their way still arrive.
func (n *Network) SetLink(a, b string, conditions Conditions) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.links[linkOf(a, b)] = conditions
}

// Link returns the conditions of the link between two leaves.
func (n *Network) Link(a, b string) Conditions {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.links[linkOf(a, b)]
}

// Isolate cuts a leaf off from all others, or ends that.
func (n *Network) Isolate(leaf string, isolated bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.cut[leaf] = isolated
}

// forward forwards the packets from the port until its device is closed.
func (p *Port) forward() {
	buffer := make([]byte, largest)
	lines := map[*Port]chan delayed{}
	defer func() {
		for _, one := range lines {
			close(one)
		}
	}()
	for {
		size, err := p.device.Read(buffer)
		if err != nil {
			return
		}
		to, delay := p.network.route(p, buffer[:size])
		switch {
		case to == nil:
		case delay == 0:
			_, _ = to.device.Write(buffer[:size]) // a device that can't take a packet loses it
		default:
			if lines[to] == nil {
				lines[to] = make(chan delayed, longest)
				go to.deliver(lines[to])
			}
			select {
			case lines[to] <- delayed{time.Now().Add(delay), slices.Clone(buffer[:size])}:
			default: // the line is full, and loses it
			}
		}
	}
}

// delayed is a packet in the line from one port to another, which keeps the packets' order.
type delayed struct {
	due    time.Time
	packet []byte
}

// longest is how many packets a line holds.
const longest = 4096

// deliver writes each packet of a line to the port when it is due, until the line is closed.
func (p *Port) deliver(line <-chan delayed) {
	for one := range line {
		<-time.After(time.Until(one.due))
		_, _ = p.device.Write(one.packet)
	}
}

// route returns the destination of a packet and its delay, or nil if the packet is lost.
func (n *Network) route(from *Port, packet []byte) (*Port, time.Duration) {
	source, destination, ok := addresses(packet)
	if !ok {
		return nil, 0
	}
	n.mu.RLock()
	defer n.mu.RUnlock()
	sender, receiver := n.owners[source].leaf, n.owners[destination]
	if receiver.port == nil || receiver.port == from {
		return nil, 0
	}
	if sender != receiver.leaf && (n.cut[sender] || n.cut[receiver.leaf]) {
		return nil, 0
	}
	conditions := n.links[linkOf(sender, receiver.leaf)]
	lost := rand.Float64() < conditions.Loss //nolint:gosec // nobody gains by guessing which packet is lost
	if conditions.Down || lost {
		return nil, 0
	}
	return receiver.port, conditions.Delay
}

// addresses returns the source and the destination of an IPv4 packet; ok reports whether it is one.
func addresses(packet []byte) (source, destination netip.Addr, ok bool) {
	const header, version, sourceAt, destinationAt = 20, 4, 12, 16
	if len(packet) < header || packet[0]>>4 != version {
		return source, destination, false
	}
	source = netip.AddrFrom4([4]byte(packet[sourceAt:destinationAt]))
	destination = netip.AddrFrom4([4]byte(packet[destinationAt:header]))
	return source, destination, true
}

// tun is the device file that the machine must have.
const tun = "/dev/net/tun"

// OpenTUN creates a device of that name in the network of the calling thread. The caller exchanges
// IP packets with the network through it. Closing it removes the device.
func OpenTUN(name string) (*os.File, error) {
	descriptor, err := unix.Open(tun, unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", tun, err)
	}
	request, err := unix.NewIfreq(name)
	if err != nil {
		return nil, err
	}
	request.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
	if err := unix.IoctlIfreq(descriptor, unix.TUNSETIFF, request); err != nil {
		_ = unix.Close(descriptor)
		return nil, fmt.Errorf("a device %s: %w", name, err)
	}
	return os.NewFile(uintptr(descriptor), tun), nil
}
