package probe

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"
	"time"

	"golang.org/x/net/icmp"
	"golang.org/x/net/ipv4"
	"golang.org/x/sys/unix"
)

// protocolICMP is IANA's number. needsFragmentation is the code of an ICMP message about a packet
// that was too large.
const (
	protocolICMP       = 1
	needsFragmentation = 4
	largestPacket      = 1 << 16
)

// Ping sends ICMP echo requests to an IPv4 address. Size is the number of bytes in each request
// without its headers, which are 28 bytes. With whole, routers must not fragment a request. It
// needs root.
func Ping(ctx context.Context, address netip.Addr, size int, whole bool, options Options) (Result, error) {
	config := net.ListenConfig{Control: func(_, _ string, raw syscall.RawConn) error {
		discover := unix.IP_PMTUDISC_DONT
		if whole {
			discover = unix.IP_PMTUDISC_DO
		}
		var err error
		return errors.Join(raw.Control(func(descriptor uintptr) {
			err = unix.SetsockoptInt(int(descriptor), unix.IPPROTO_IP, unix.IP_MTU_DISCOVER, discover)
		}), err)
	}}
	conn, err := config.ListenPacket(ctx, "ip4:icmp", "0.0.0.0")
	if err != nil {
		return Result{}, err
	}
	defer conn.Close()
	p := &pinger{conn: conn, to: address, data: make([]byte, size)}
	return repeat(ctx, address.String(), options, p.ask), nil
}

// pinger sends requests to one address.
type pinger struct {
	conn net.PacketConn
	to   netip.Addr
	data []byte
	id   requestID
}

// requestID is the ID of the last request, in milliseconds since 1970, of which a packet carries the
// lower 16 bits. A gateway handles all packets of an ID like the first one: if that came before the
// gateway's rules, none is answered. It forgets an ID after 30 s, and the same one comes back after
// 65 s, also from another process.
type requestID int64

func (i *requestID) next(now time.Time) { *i = max(*i+1, requestID(now.UnixMilli())) }

func (i *requestID) sent() int { return int(*i & (1<<16 - 1)) }

func (p *pinger) ask(ctx context.Context, number int) error {
	p.id.next(time.Now())
	deadline, _ := ctx.Deadline()
	if err := p.conn.SetReadDeadline(deadline); err != nil {
		return err
	}
	// The kernel refuses a packet that is too large for a known path.
	if err := sendEcho(p.conn, p.to, &icmp.Echo{ID: p.id.sent(), Seq: number, Data: p.data}); err != nil {
		return err
	}
	return p.await(ctx, number)
}

// sendEcho sends an echo request.
func sendEcho(on net.PacketConn, to netip.Addr, request *icmp.Echo) error {
	message := icmp.Message{Type: ipv4.ICMPTypeEcho, Body: request}
	packet, err := message.Marshal(nil)
	if err == nil {
		_, err = on.WriteTo(packet, &net.IPAddr{IP: to.AsSlice()})
	}
	return err
}

// answers returns a message if it answers requests with an ID, and otherwise nil.
func answers(message *icmp.Message, id int) *icmp.Echo {
	if echo, ok := message.Body.(*icmp.Echo); ok && message.Type == ipv4.ICMPTypeEchoReply && echo.ID == id {
		return echo
	}
	return nil
}

// await waits for the answer to a request, or for an error message of a router.
func (p *pinger) await(ctx context.Context, number int) error {
	buffer := make([]byte, largestPacket)
	for {
		size, from, err := p.conn.ReadFrom(buffer)
		if err != nil {
			<-ctx.Done() // the deadline of both is the same
			return ctx.Err()
		}
		message, err := icmp.ParseMessage(protocolICMP, buffer[:size])
		if err != nil {
			continue
		}
		if echo := answers(message, p.id.sent()); echo != nil && echo.Seq == number && from.String() == p.to.String() {
			return nil
		}
		if refusal, ok := message.Body.(*icmp.DstUnreach); ok && p.isAbout(refusal.Data) {
			return unreachable(message.Code, buffer[:size], from)
		}
	}
}

// isAbout reports whether the beginning of a packet belongs to one of the pinger's requests.
func (p *pinger) isAbout(packet []byte) bool {
	header, err := icmp.ParseIPv4Header(packet)
	if err != nil || !header.Dst.Equal(p.to.AsSlice()) || len(packet) < header.Len+8 {
		return false
	}
	question := packet[header.Len:]
	return int(question[4])<<8|int(question[5]) == p.id.sent()
}

// unreachable returns a router's message about a packet as an error.
func unreachable(code int, message []byte, router net.Addr) error {
	if code == needsFragmentation {
		return fmt.Errorf("%s says: too large, at most %d bytes pass", router, int(message[6])<<8|int(message[7]))
	}
	return fmt.Errorf("%s says: unreachable (code %d)", router, code)
}
