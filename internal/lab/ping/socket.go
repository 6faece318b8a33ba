package ping

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"time"
	"unsafe"

	"golang.org/x/net/icmp"
	"golang.org/x/net/ipv4"
	"golang.org/x/sys/unix"
)

// protocolICMP is IANA's number.
const protocolICMP = 1

// connectPort is the port to which a socket is connected that finds out whether there is a route.
const connectPort = 1025

// socket is an open ICMP socket. The kernel gives each its own identifier.
type socket struct {
	descriptor int
	to         *unix.SockaddrInet4
	data       []byte
	buffer     []byte
	control    []byte
}

// open opens a socket. It fails if there is no route.
func open(o options) (*socket, error) {
	s := &socket{
		to: &unix.SockaddrInet4{Addr: o.to.As4()}, data: make([]byte, o.size),
		buffer: make([]byte, 1<<16), control: make([]byte, 1<<12),
	}
	for i := range s.data {
		s.data[i] = byte(i)
	}
	if err := findRoute(s.to.Addr); err != nil {
		return nil, err
	}
	var err error
	if s.descriptor, err = unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, protocolICMP); err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	settings := []struct{ level, name, value int }{
		{unix.IPPROTO_IP, unix.IP_RECVERR, 1},
		{unix.IPPROTO_IP, unix.IP_RECVTTL, 1},
		{unix.SOL_SOCKET, unix.SO_TIMESTAMP, 1},
	}
	if o.ttl > 0 {
		settings = append(settings, struct{ level, name, value int }{unix.IPPROTO_IP, unix.IP_TTL, o.ttl})
	}
	if o.discovery >= 0 {
		settings = append(settings, struct{ level, name, value int }{unix.IPPROTO_IP, unix.IP_MTU_DISCOVER, o.discovery})
	}
	for _, setting := range settings {
		if err := unix.SetsockoptInt(s.descriptor, setting.level, setting.name, setting.value); err != nil {
			return nil, errors.Join(os.NewSyscallError("setsockopt", err), s.close())
		}
	}
	return s, nil
}

// errForbidden is what iputils says if a route prohibits packets to the destination, or if that is a broadcast.
//
//nolint:staticcheck // it is a sentence there
var errForbidden = errors.New("Do you want to ping broadcast? Then -b. If not, check your local firewall rules")

// findRoute fails if the kernel has no route to an address.
func findRoute(to [4]byte) error {
	probe, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return os.NewSyscallError("socket", err)
	}
	err = unix.Connect(probe, &unix.SockaddrInet4{Port: connectPort, Addr: to})
	_ = unix.Close(probe)
	if errors.Is(err, unix.EACCES) {
		return errForbidden
	}
	return os.NewSyscallError("connect", err)
}

func (s *socket) close() error { return unix.Close(s.descriptor) }

// send sends the request with a number. If there is room, its data begin with the time.
func (s *socket) send(number uint16, now time.Time) error {
	if len(s.data) >= timestampSize {
		binary.NativeEndian.PutUint64(s.data, uint64(now.UnixNano()))
	}
	request := icmp.Message{Type: ipv4.ICMPTypeEcho, Body: &icmp.Echo{Seq: int(number), Data: s.data}}
	packet, err := request.Marshal(nil)
	if err != nil {
		return err
	}
	return unix.Sendto(s.descriptor, packet, 0, s.to)
}

// answer is the answer to a request.
type answer struct {
	number    uint16
	size, ttl int
	from      netip.Addr
	took      time.Duration
}

// receive returns the next answer, or an error of the kernel, which may be EAGAIN.
func (s *socket) receive() (answer, error) {
	size, controls, _, from, err := unix.Recvmsg(s.descriptor, s.buffer, s.control, unix.MSG_DONTWAIT)
	if err != nil {
		return answer{}, err
	}
	message, err := icmp.ParseMessage(protocolICMP, s.buffer[:size])
	if err != nil {
		return answer{}, err
	}
	echo, ok := message.Body.(*icmp.Echo)
	if !ok || message.Type != ipv4.ICMPTypeEchoReply {
		return answer{}, fmt.Errorf("the kernel returned %v", message.Type)
	}
	got := answer{number: uint16(echo.Seq), size: size}
	if source, ok := from.(*unix.SockaddrInet4); ok {
		got.from = netip.AddrFrom4(source.Addr)
	}
	arrived := time.Now()
	messages, err := unix.ParseSocketControlMessage(s.control[:controls])
	if err != nil {
		return answer{}, err
	}
	for _, m := range messages {
		switch {
		case m.Header.Level == unix.IPPROTO_IP && m.Header.Type == unix.IP_TTL:
			got.ttl = int(binary.NativeEndian.Uint32(m.Data))
		case m.Header.Level == unix.SOL_SOCKET && m.Header.Type == unix.SO_TIMESTAMP:
			at := *(*unix.Timeval)(unsafe.Pointer(&m.Data[0])) //nolint:gosec // the kernel wrote a timeval
			arrived = time.Unix(at.Unix())
		}
	}
	if len(echo.Data) >= timestampSize {
		sent := time.Unix(0, int64(binary.NativeEndian.Uint64(echo.Data)))
		got.took = max(arrived.Sub(sent), 0)
	}
	return got, nil
}

// failure is what the kernel or a router says about a request.
type failure struct {
	// local reports whether the request has not left this network.
	local  bool
	errno  unix.Errno
	number uint16 // of a request that has
	kind   ipv4.ICMPType
	code   int
	mtu    uint32
	from   netip.Addr
}

// receiveFailure returns the next failure from the error queue. The error is EAGAIN if there is none.
func (s *socket) receiveFailure() (failure, error) {
	size, controls, _, _, err := unix.Recvmsg(s.descriptor, s.buffer, s.control, unix.MSG_ERRQUEUE|unix.MSG_DONTWAIT)
	if err != nil {
		return failure{}, err
	}
	messages, err := unix.ParseSocketControlMessage(s.control[:controls])
	if err != nil {
		return failure{}, err
	}
	for _, m := range messages {
		if m.Header.Level != unix.IPPROTO_IP || m.Header.Type != unix.IP_RECVERR {
			continue
		}
		said := *(*unix.SockExtendedErr)(unsafe.Pointer(&m.Data[0])) //nolint:gosec // the kernel wrote it
		got := failure{
			local: said.Origin == unix.SO_EE_ORIGIN_LOCAL, errno: unix.Errno(said.Errno),
			kind: ipv4.ICMPType(said.Type), code: int(said.Code), mtu: said.Info,
		}
		if source := m.Data[unsafe.Sizeof(said):]; len(source) >= unix.SizeofSockaddrInet4 {
			const addressAt, addressSize = 4, 4
			got.from, _ = netip.AddrFromSlice(source[addressAt : addressAt+addressSize])
		}
		if request, err := icmp.ParseMessage(protocolICMP, s.buffer[:size]); err == nil && !got.local {
			if echo, ok := request.Body.(*icmp.Echo); ok {
				got.number = uint16(echo.Seq)
			}
		}
		return got, nil
	}
	return failure{}, errors.New("the kernel does not say what failed")
}
