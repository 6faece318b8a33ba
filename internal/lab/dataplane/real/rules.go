package real

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"slices"

	"github.com/google/nftables"
	"github.com/google/nftables/binaryutil"
	"github.com/google/nftables/expr"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/fault"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/sandbox"
)

// table is the nftables table of the lab. Liqo's fabric has its own tables.
const table = "lab"

// translation is a rule: packets to From go to To instead.
type translation struct {
	// Protocol is a number of IANA's. Zero stands for all protocols and all ports.
	Protocol uint8
	From, To netip.AddrPort
	// Public reports whether clients outside of the cluster use From. If a pod of another node answers them, the answer
	// must come back through the node that translates, because the client knows no other address. As kube-proxy does,
	// the node therefore sends such packets on as its own.
	Public bool
}

// masqueradeMark marks packets that a node sends on as its own. It is kube-proxy's.
const masqueradeMark = 0x4000

func (t translation) compare(other translation) int {
	return cmp.Or(cmp.Compare(t.Protocol, other.Protocol), t.From.Compare(other.From), t.To.Compare(other.To))
}

// writeRules makes a node apply these translations and no others. Packets from the node to the
// underlay have its own address. Those between the pods and nodes of a leaf keep theirs.
func writeRules(node *sandbox.Sandbox, translations []translation) error {
	return fault.ChangeRules(node, func(conn *nftables.Conn) {
		lab := conn.AddTable(&nftables.Table{Family: nftables.TableFamilyIPv4, Name: table})
		conn.FlushTable(lab)
		in := conn.AddChain(&nftables.Chain{
			Name: "services", Table: lab, Type: nftables.ChainTypeNAT,
			Hooknum: nftables.ChainHookPrerouting, Priority: nftables.ChainPriorityNATDest,
		})
		out := conn.AddChain(&nftables.Chain{
			Name: "masquerade", Table: lab, Type: nftables.ChainTypeNAT,
			Hooknum: nftables.ChainHookPostrouting, Priority: nftables.ChainPriorityNATSource,
		})
		for _, t := range translations {
			conn.AddRule(&nftables.Rule{Table: lab, Chain: in, Exprs: t.expressions()})
		}
		conn.AddRule(&nftables.Rule{Table: lab, Chain: out, Exprs: []expr.Any{
			&expr.Meta{Key: expr.MetaKeyOIFNAME, Register: 1},
			&expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: []byte(uplink + "\x00")}, // the whole name
			&expr.Masq{},
		}})
		conn.AddRule(&nftables.Rule{Table: lab, Chain: out, Exprs: []expr.Any{
			&expr.Meta{Key: expr.MetaKeyOIFNAME, Register: 1},
			&expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: []byte(toNodes)}, // the beginning of the name
			&expr.Meta{Key: expr.MetaKeyMARK, Register: 1},
			&expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: binaryutil.NativeEndian.PutUint32(masqueradeMark)},
			&expr.Masq{},
		}})
	})
}

// expressions returns the rule as nftables expressions.
func (t translation) expressions() []expr.Any {
	const addressAt, addressSize, portAt, portSize = 16, 4, 2, 2
	rule := []expr.Any{
		&expr.Payload{DestRegister: 1, Base: expr.PayloadBaseNetworkHeader, Offset: addressAt, Len: addressSize},
		&expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: t.From.Addr().AsSlice()},
	}
	nat := &expr.NAT{Type: expr.NATTypeDestNAT, Family: unix.NFPROTO_IPV4, RegAddrMin: 1}
	if t.Protocol != 0 {
		rule = append(rule,
			&expr.Meta{Key: expr.MetaKeyL4PROTO, Register: 1},
			&expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: []byte{t.Protocol}},
			&expr.Payload{DestRegister: 1, Base: expr.PayloadBaseTransportHeader, Offset: portAt, Len: portSize},
			&expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: binaryutil.BigEndian.PutUint16(t.From.Port())},
			&expr.Immediate{Register: 2, Data: binaryutil.BigEndian.PutUint16(t.To.Port())})
		nat.RegProtoMin = 2
	}
	if t.Public {
		rule = append(rule,
			&expr.Immediate{Register: 1, Data: binaryutil.NativeEndian.PutUint32(masqueradeMark)},
			&expr.Meta{Key: expr.MetaKeyMARK, SourceRegister: true, Register: 1})
	}
	return append(rule, &expr.Immediate{Register: 1, Data: t.To.Addr().AsSlice()}, nat)
}

// forget ends the flows of UDP to translated addresses that lead elsewhere than the translations say.
// Otherwise, a client that continues to send keeps its earlier translation, or the lack of one, for
// ever. Like kube-proxy, it spares TCP, and the flows to an address that is no longer translated.
func forget(node *sandbox.Sandbox, translations []translation) error {
	if len(translations) == 0 {
		return nil
	}
	_, err := node.Net.ConntrackDeleteFilters(netlink.ConntrackTable, unix.AF_INET, stale(translations))
	if err != nil {
		return fmt.Errorf("connection tracking: %w", err)
	}
	return nil
}

// stale matches the flows of UDP to translated addresses that lead elsewhere.
type stale []translation

// MatchConntrackFlow implements netlink.CustomConntrackFilter.
func (s stale) MatchConntrackFlow(flow *netlink.ConntrackFlow) bool {
	to := addrPort(flow.Forward.DstIP, flow.Forward.DstPort)
	actual := addrPort(flow.Reverse.SrcIP, flow.Reverse.SrcPort)
	return slices.ContainsFunc(s, func(rule translation) bool {
		return flow.Forward.Protocol == unix.IPPROTO_UDP && rule.Protocol == unix.IPPROTO_UDP &&
			rule.From == to && rule.To != actual
	})
}

// addrPort returns a tracked address. It is the zero value if the address is none.
func addrPort(ip net.IP, port uint16) netip.AddrPort {
	address, _ := netip.AddrFromSlice(ip)
	return netip.AddrPortFrom(address.Unmap(), port)
}
