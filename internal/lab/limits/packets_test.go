//go:build lab

package limits

import (
	"encoding/binary"
	"fmt"
	"net"
	"slices"

	"golang.org/x/sys/unix"
)

// Numbers of protocols.
const icmp, ipip, tcp, udp, gre, esp, vrrp, sctp = 1, 4, 6, 17, 47, 50, 112, 132

// packet is one without its header of IP.
type packet struct {
	name     string
	protocol byte
	content  []byte
}

func (p packet) String() string { return p.name }

// segment is a packet of TCP with these flags.
func segment(name string, from uint16, flags byte) packet {
	const to = 8080
	rest := []byte{0, 0, 0, 1, 0, 0, 0, 1, 5 << 4, flags, 255, 255, 0, 0, 0, 0}
	return packet{name, tcp, append(ports(from, to), rest...)}
}

func datagram(from, to uint16) packet {
	return packet{"a datagram", udp, slices.Concat(ports(from, to), []byte{0, 14, 0, 0}, []byte("secret"))}
}

// message is a packet of ICMP.
func message(kind, code byte) packet {
	content := append([]byte{kind, code, 0, 0, 0, 7, 0, 1}, make([]byte, 28)...)
	binary.BigEndian.PutUint16(content[2:], sum(content))
	return packet{fmt.Sprintf("ICMP of type %d, code %d", kind, code), icmp, content}
}

func ports(from, to uint16) []byte {
	return binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(nil, from), to)
}

// sum is the checksum of IP's protocols.
func sum(content []byte) uint16 {
	var total uint32
	for ; len(content) > 1; content = content[2:] {
		total += uint32(binary.BigEndian.Uint16(content))
	}
	for total > 0xffff {
		total = total>>16 + total&0xffff
	}
	return ^uint16(total)
}

// send sends packets by a device, with any addresses, as a pod may that can open raw sockets.
func (h *host) send(device, from, to string, packets ...packet) {
	h.t.Helper()
	fd := h.packets(device)
	defer unix.Close(fd)
	there := &unix.SockaddrLinklayer{
		Ifindex: h.link(device).Attrs().Index, Protocol: network16(unix.ETH_P_IP), Halen: 6, Addr: [8]byte{2, 0, 0, 0, 0, 1},
	}
	h.must(h.do(func() error {
		for _, p := range packets {
			if err := unix.Sendto(fd, p.between(from, to), 0, there); err != nil {
				return err
			}
		}
		return nil
	}))
}

// between returns the packet with its header, and right sums.
func (p packet) between(from, to string) []byte {
	content := slices.Clone(p.content)
	header := slices.Concat([]byte{0x45, 0, 0, byte(20 + len(content)), 0, 1, 0, 0, 64, p.protocol, 0, 0},
		net.ParseIP(from).To4(), net.ParseIP(to).To4())
	binary.BigEndian.PutUint16(header[10:], sum(header))
	if p.protocol == tcp {
		pseudo := slices.Concat(header[12:], []byte{0, tcp, 0, byte(len(content))})
		binary.BigEndian.PutUint16(content[16:], sum(append(pseudo, content...)))
	}
	return append(header, content...)
}

// packets opens a socket for the packets of a device.
func (h *host) packets(device string) (fd int) {
	h.t.Helper()
	at := &unix.SockaddrLinklayer{Ifindex: h.link(device).Attrs().Index, Protocol: network16(unix.ETH_P_ALL)}
	h.must(h.do(func() (err error) {
		fd, err = unix.Socket(unix.AF_PACKET, unix.SOCK_DGRAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, int(at.Protocol))
		if err == nil {
			err = unix.Bind(fd, at)
		}
		return err
	}))
	return fd
}

func network16(number uint16) uint16 { return number<<8 | number>>8 }

// watch records what leaves a host by each of its devices. The function that it returns tells what did since its last
// call.
func (h *host) watch(devices ...string) func() []string {
	h.t.Helper()
	sockets := map[string]int{}
	for _, device := range devices {
		fd := h.packets(device)
		h.must(unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, 1<<22))
		h.t.Cleanup(func() { _ = unix.Close(fd) })
		sockets[device] = fd
	}
	return func() (left []string) {
		h.t.Helper()
		for device, fd := range sockets {
			buffer := make([]byte, 1500)
			for {
				size, at, err := unix.Recvfrom(fd, buffer, 0)
				if err == unix.EAGAIN {
					break
				}
				h.must(err)
				link, ok := at.(*unix.SockaddrLinklayer)
				if ok && link.Pkttype == unix.PACKET_OUTGOING && !settles(buffer[:size]) {
					left = append(left, fmt.Sprintf("%s: protocol %d from %s to %s: % x", device, buffer[9], net.IP(buffer[12:16]),
						net.IP(buffer[16:20]), buffer[20:min(size, 28)]))
				}
			}
		}
		return left
	}
}

// settles reports whether a packet is one of [host.hears].
func settles(packet []byte) bool {
	return packet[9] == tcp && (binary.BigEndian.Uint16(packet[20:]) == 9 || binary.BigEndian.Uint16(packet[22:]) == 9)
}
