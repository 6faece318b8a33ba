//go:build lab

package limits

import (
	"errors"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// errorTypes are the messages of ICMP that connections need.
var errorTypes = []byte{3, 11, 12}

// everything returns packets of many protocols, right and malformed, from and to ports of which no test has a rule.
func everything() (packets []packet) {
	packets = append(packets, datagram(12345, 8080))
	for name, flags := range map[string]byte{"SYN": 2, "SYN and ACK": 18, "ACK": 16, "FIN": 17, "RST": 4, "no flag": 0} {
		packets = append(packets, segment("a segment with "+name, 12345, flags))
	}
	for name, protocol := range map[string]byte{"IPIP": ipip, "ESP": esp, "VRRP": vrrp} {
		packets = append(packets, packet{name, protocol, []byte("of no port, and with a secret")})
	}
	for kind := range 256 {
		if !slices.Contains(errorTypes, byte(kind)) {
			packets = append(packets, message(byte(kind), 0))
		}
	}
	return append(packets, malformed(12345)...)
}

// malformed returns packets of no connection that tracking refuses, and that begin with this port or in its place.
func malformed(port uint16) []packet {
	return []packet{
		{"malformed GRE", gre, append(ports(port|1, 0x1234), 0, 4, 0, 0, 0, 0, 0, 0)}, // version 1, but not of PPP
		{"malformed SCTP", sctp, append(ports(port, 8080), 0, 0, 0, 0, 0, 0, 0, 0, 1, 0)},
		{"an SCTP chunk of length 0", sctp, append(ports(port, 8080), 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0)},
	}
}

func icmpErrors() (packets []packet) {
	for _, kind := range errorTypes {
		packets = append(packets, message(kind, 0), message(kind, 1))
	}
	return packets
}

func TestPacketsAtAGatewayThatNoRuleAllowsLeaveItByNoDevice(t *testing.T) {
	for name, test := range map[string]struct {
		toRome, toMilan []liqo.Rule
		packets         []packet
	}{
		"no rule":            {nil, nil, append(everything(), icmpErrors()...)},
		"a rule, both ways":  {database(liqo.TCP), database(liqo.UDP), everything()},
		"a rule for pings":   {nil, []liqo.Rule{{Protocol: liqo.ICMP}}, withoutPings(everything())},
		"every port, of UDP": {[]liqo.Rule{{Protocol: liqo.UDP}}, nil, everything()[1:]},
	} {
		for _, limited := range []string{"", "rome", "milan"} {
			t.Run(name+" at "+limited, func(t *testing.T) {
				p := newPair(t)
				gateway := p.atRome
				gateway.set("ipv4/conf/all/route_localnet", "1") // as kube-proxy sets it, and pods take it from their node
				switch limited {
				case "rome":
					gateway.limit(atRome(test.toRome, test.toMilan))
				case "milan":
					gateway = p.atMilan
					gateway.limit(atMilan(test.toRome, test.toMilan))
				}
				itself, leaves := gateway.listens(8080), gateway.watch(tunnel, node, uplink)
				p.milan.send(uplink, milansPod, romesPod, test.packets...)
				p.settle()
				left := leaves()
				if limited != "" && len(left) > 0 {
					t.Errorf("%d packets leave the gateway: %q", len(left), left[:min(len(left), 3)])
				}
				arriving := func(packet string) bool {
					return strings.HasPrefix(packet, node) && strings.Contains(packet, "to "+romesPod)
				}
				if arrived := slices.DeleteFunc(left, func(packet string) bool { return !arriving(packet) }); limited == "" &&
					len(arrived) != len(test.packets) {
					t.Errorf("without limits, %d of %d packets cross", len(arrived), len(test.packets))
				}
				if heard := itself(); heard != "" {
					t.Errorf("the gateway itself hears %q", heard)
				}
			})
		}
	}
}

func withoutPings(packets []packet) []packet {
	return slices.DeleteFunc(packets, func(p packet) bool {
		return p.protocol == icmp && (p.content[0] == 8 || p.content[0] == 0)
	})
}

// listens opens a port of UDP on all addresses. The function that it returns tells what has arrived there.
func (h *host) listens(port int) func() string {
	h.t.Helper()
	var socket *net.UDPConn
	h.must(h.do(func() (err error) { socket, err = net.ListenUDP("udp4", &net.UDPAddr{Port: port}); return err }))
	h.t.Cleanup(func() { _ = socket.Close() })
	return func() string {
		h.must(socket.SetReadDeadline(time.Now().Add(10 * time.Millisecond)))
		buffer := make([]byte, 100)
		size, _, err := socket.ReadFrom(buffer)
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			h.must(err)
		}
		return string(buffer[:size])
	}
}

// A gateway of the other leaf that is in the wrong hands may send anything into the tunnel.
func TestPacketsAtAGatewayLeaveItForItsLeafOnly(t *testing.T) {
	for _, limited := range []bool{false, true} {
		p := newPair(t)
		if limited {
			p.atRome.limit(atRome(nil, []liqo.Rule{{}}))
		}
		left, sent := p.atRome.watch(node, uplink), 0
		for _, to := range []string{"8.8.8.8", "172.18.0.254", "10.70.0.7", milansPodAtRome} {
			for _, from := range []string{milansPod, milansNodes, "8.8.4.4"} {
				packets := append(everything(), icmpErrors()...)
				p.atMilan.send(tunnel, from, to, packets...)
				sent += len(packets)
			}
		}
		p.settle()
		if got := left(); limited && len(got) > 0 || !limited && len(got) < sent {
			t.Errorf("limited: %t; of %d packets, %d leave the gateway: %q", limited, sent, len(got), got[:min(len(got), 3)])
		}
	}
}

func TestPacketsAtAGatewayOfNoConnectionCrossAsARuleSays(t *testing.T) {
	for name, test := range map[string]struct {
		toRome, toMilan []liqo.Rule
		packets         []packet
	}{
		"errors of ICMP, with any rule":  {nil, database(liqo.TCP), icmpErrors()},
		"what begins like such an error": {nil, database(liqo.TCP), malformed(768)},
		"what begins like an answer to a ping, with a rule for pings": {
			nil, []liqo.Rule{{Protocol: liqo.ICMP}}, append(malformed(0)[1:], message(0, 0)),
		},
		"what begins like a ping": {[]liqo.Rule{{Protocol: liqo.ICMP}}, nil, malformed(2048)[1:]},
		"segments like those of answers": {nil, database(liqo.TCP), []packet{
			segment("SYN and ACK", 5432, 18), segment("FIN", 5432, 17), segment("RST", 5432, 4),
		}},
		"everything like answers to a rule without protocol": {nil, []liqo.Rule{{}}, malformed(12345)},
	} {
		p := newPair(t)
		p.limit(test.toRome, test.toMilan)
		arrived := p.atRome.watch(node)
		p.milan.send(uplink, milansPod, romesPod, test.packets...)
		p.settle()
		if got := arrived(); len(got) != len(test.packets) {
			t.Errorf("%s: of %v, these cross: %q", name, test.packets, got)
		}
	}
}

func TestPacketsAtAGatewayTellTheAskerThatAPortIsClosed(t *testing.T) {
	p := newPair(t)
	p.limit(nil, database(liqo.UDP))
	var socket net.Conn
	p.rome.must(p.rome.do(func() (err error) { socket, err = net.Dial("udp4", milansPodAtRome+":5432"); return err }))
	defer socket.Close()
	_, err := socket.Write([]byte("question"))
	p.rome.must(err)
	p.settle()
	p.rome.must(socket.SetReadDeadline(time.Now().Add(10 * time.Millisecond)))
	if _, err := socket.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("the asker gets %v", err)
	}
}
