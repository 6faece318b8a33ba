package kubelet

import (
	"fmt"
	"net/netip"
	"sync"
)

// firstHost is the index of the first address of a network that the pool gives out. Gateways and
// DNS servers usually have the addresses before it.
const firstHost = 10

// Pool gives out the addresses of a network in order, each once. It is safe for concurrent use.
type Pool struct {
	network netip.Prefix

	mu   sync.Mutex
	next netip.Addr
}

// NewPool returns a Pool of the addresses of a network, from the tenth on.
func NewPool(network netip.Prefix) *Pool { return NewPoolAfter(network, 0) }

// NewPoolAfter returns a Pool of the addresses of a network, but skips this number of first
// addresses. If the network has fewer, it skips none.
func NewPoolAfter(network netip.Prefix, skip int) *Pool {
	network = network.Masked()
	next := after(network.Addr(), skip+firstHost)
	if !network.Contains(next) {
		next = after(network.Addr(), firstHost)
	}
	return &Pool{network: network, next: next}
}

// after returns the address that is n addresses after another.
func after(ip netip.Addr, count int) netip.Addr {
	for range count {
		ip = ip.Next()
	}
	return ip
}

// Take returns the next address. It fails if there is none left.
func (p *Pool) Take() (netip.Addr, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.network.Contains(p.next) {
		return netip.Addr{}, fmt.Errorf("%s has no free address left", p.network)
	}
	ip := p.next
	p.next = ip.Next()
	return ip, nil
}
