package fault

import (
	"fmt"
	"maps"
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/google/nftables"
	"github.com/google/nftables/binaryutil"
	"github.com/google/nftables/expr"
	"golang.org/x/sys/unix"
)

// Hook is a point on the way of packets through a network.
type Hook string

// hooks are where the kernel calls the rules of a hook. It puts fragments together after the rules of Prerouting, and
// only if connections are tracked, which they are in every node.
var hooks = map[Hook]struct {
	at       *nftables.ChainHook
	priority nftables.ChainPriority
}{
	ingress:       {nftables.ChainHookIngress, *nftables.ChainPriorityFilter},
	"prerouting":  {nftables.ChainHookPrerouting, beforeDefragmentation},
	"input":       {nftables.ChainHookInput, *nftables.ChainPriorityFilter},
	"forward":     {nftables.ChainHookForward, *nftables.ChainPriorityFilter},
	"output":      {nftables.ChainHookOutput, *nftables.ChainPriorityFilter},
	"postrouting": {nftables.ChainHookPostrouting, *nftables.ChainPriorityFilter},
}

// ingress is where a device gives packets to the kernel, also those that are not IP's, such as ARP's.
const ingress Hook = "ingress"

// beforeDefragmentation is a priority before that at which the kernel puts fragments together, -400.
const beforeDefragmentation nftables.ChainPriority = -450

// Hooks are the names of all hooks.
func Hooks() []string {
	var names []string
	for _, hook := range slices.Sorted(maps.Keys(hooks)) {
		names = append(names, string(hook))
	}
	return names
}

// protocols are IANA's numbers.
var protocols = map[string]byte{"icmp": unix.IPPROTO_ICMP, "udp": unix.IPPROTO_UDP, "tcp": unix.IPPROTO_TCP}

// Match says which packets are dropped: those that fulfil all of it. Empty fields are fulfilled by all packets.
type Match struct {
	Hook Hook `json:"hook"`
	// In and Out are the devices from which and to which the packets go. They may end in a star, which stands for
	// any end.
	In  string `json:"in,omitempty"`
	Out string `json:"out,omitempty"`
	// Protocol is icmp, udp or tcp.
	Protocol string       `json:"protocol,omitempty"`
	From     netip.Prefix `json:"from,omitzero"`
	To       netip.Prefix `json:"to,omitzero"`
	// Larger is a number of bytes, with all headers from that of IP on.
	Larger uint16 `json:"larger,omitempty"`
	// Fragments are packets that were taken to pieces. They are whole again after Prerouting.
	Fragments bool `json:"fragments,omitempty"`
}

// Check returns an error if no packet can match.
func (m Match) Check() error {
	if _, known := hooks[m.Hook]; !known {
		return fmt.Errorf("unknown hook %q: it must be one of %s", m.Hook, strings.Join(Hooks(), ", "))
	}
	if _, known := protocols[m.Protocol]; m.Protocol != "" && !known {
		names := slices.Sorted(maps.Keys(protocols))
		return fmt.Errorf("unknown protocol %q: it must be one of %s", m.Protocol, strings.Join(names, ", "))
	}
	for _, network := range []netip.Prefix{m.From, m.To} {
		if network.IsValid() && !network.Addr().Is4() {
			return fmt.Errorf("%s is not an IPv4 network", network)
		}
	}
	return m.checkHook()
}

// checkHook returns an error if no packet can match at the hook.
func (m Match) checkHook() error {
	switch {
	case m.Hook == ingress && (m.In == "" || m != Match{Hook: m.Hook, In: m.In}):
		return fmt.Errorf("at the hook %s, all packets from one device are dropped, and only the device can be set", ingress)
	case m.In != "" && (m.Hook == "output" || m.Hook == "postrouting"):
		return fmt.Errorf("packets come from no device at the hook %s", m.Hook)
	case m.Out != "" && (m.Hook == "input" || m.Hook == "prerouting"):
		return fmt.Errorf("packets go to no device yet at the hook %s", m.Hook)
	case m.Fragments && m.Hook != "prerouting":
		return fmt.Errorf("fragments are visible at the hook prerouting only, not at %s", m.Hook)
	}
	return nil
}

// expressions returns the match as nftables expressions.
func (m Match) expressions() []expr.Any {
	const lengthAt, fragmentAt, fieldSize, sourceAt, destinationAt = 2, 6, 2, 12, 16
	const fragmentMask = 0x3fff // more fragments follow, or this is not the first one
	var rule []expr.Any
	if m.In != "" {
		rule = append(rule, device(expr.MetaKeyIIFNAME, m.In)...)
	}
	if m.Out != "" {
		rule = append(rule, device(expr.MetaKeyOIFNAME, m.Out)...)
	}
	if m.Protocol != "" {
		rule = append(rule,
			&expr.Meta{Key: expr.MetaKeyL4PROTO, Register: 1},
			&expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: []byte{protocols[m.Protocol]}})
	}
	if m.From.IsValid() {
		rule = append(rule, address(sourceAt, m.From)...)
	}
	if m.To.IsValid() {
		rule = append(rule, address(destinationAt, m.To)...)
	}
	if m.Larger > 0 {
		rule = append(rule, header(lengthAt, fieldSize),
			&expr.Cmp{Op: expr.CmpOpGt, Register: 1, Data: binaryutil.BigEndian.PutUint16(m.Larger)})
	}
	if m.Fragments {
		rule = append(rule, header(fragmentAt, fieldSize),
			masked(binaryutil.BigEndian.PutUint16(fragmentMask)),
			&expr.Cmp{Op: expr.CmpOpNeq, Register: 1, Data: make([]byte, fieldSize)})
	}
	return append(rule, &expr.Counter{}, &expr.Verdict{Kind: expr.VerdictDrop})
}

// device matches the name of a device. The kernel compares as many bytes as there are.
func device(key expr.MetaKey, pattern string) []expr.Any {
	name, open := strings.CutSuffix(pattern, "*")
	data := []byte(name)
	if !open {
		data = make([]byte, unix.IFNAMSIZ)
		copy(data, name)
	}
	if len(data) == 0 { // every name
		return nil
	}
	return []expr.Any{&expr.Meta{Key: key, Register: 1}, &expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: data}}
}

// address matches the network of an address in the header of IP.
func address(at uint32, network netip.Prefix) []expr.Any {
	const size = 4
	return []expr.Any{
		header(at, size), masked(net.CIDRMask(network.Bits(), 8*size)),
		&expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: network.Masked().Addr().AsSlice()},
	}
}

// header loads bytes of the header of IP.
func header(at, size uint32) expr.Any {
	return &expr.Payload{DestRegister: 1, Base: expr.PayloadBaseNetworkHeader, Offset: at, Len: size}
}

// masked clears the other bits of what was loaded.
func masked(mask []byte) expr.Any {
	size := uint32(len(mask))
	return &expr.Bitwise{SourceRegister: 1, DestRegister: 1, Len: size, Mask: mask, Xor: make([]byte, size)}
}
