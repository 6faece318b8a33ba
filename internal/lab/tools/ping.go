package tools

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/netip"
	"os"
	"slices"
	"time"

	"github.com/mdlayher/socket"
	"golang.org/x/net/icmp"
	"golang.org/x/net/ipv4"
	"golang.org/x/sys/unix"
)

// protocolICMP is IANA's number.
const protocolICMP = 1

// errSilence is the error of a ping whose requests got lost.
var errSilence = errors.New("no request is answered")

// ping sends requests to an IPv4 address. It needs no rights: the kernel lets the groups in net.ipv4.ping_group_range
// send them. It fails if none is answered.
func ping(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("ping", flag.ContinueOnError)
	flags.Bool("n", true, "show no names")
	quiet := flags.Bool("q", false, "show neither answers nor what routers say")
	count := flags.Uint("c", 1, "`requests`")
	interval := seconds(flags, "i", time.Second, "`seconds` from one request to the next")
	linger := seconds(flags, "W", 10*time.Second, "`seconds` to wait after the last request")
	size := flags.Uint("s", 56, "`bytes` of a request without its headers, which have 28 bytes")
	ttl := flags.Int("t", 64, "`hops` that a request may take")
	division := flags.String("M", "want", "do: nobody may divide a request")
	target, err := parse(flags, args)
	if err != nil {
		return err
	}
	to, err := netip.ParseAddr(target)
	if err != nil || !to.Is4() {
		return fmt.Errorf("%q is no IPv4 address", target)
	}
	discovery, known := map[string]int{"do": unix.IP_PMTUDISC_DO, "want": unix.IP_PMTUDISC_WANT}[*division]
	if !known {
		return fmt.Errorf("-M %s is not known", *division)
	}
	conn, err := connect(to, map[int]int{unix.IP_RECVERR: 1, unix.IP_TTL: *ttl, unix.IP_MTU_DISCOVER: discovery})
	if err != nil {
		return err
	}
	defer conn.Close()
	p := &pinger{
		out: out, quiet: *quiet, to: to, conn: conn, data: make([]byte, *size), count: int(*count),
		pending: map[int]time.Time{},
	}
	err = p.run(*interval, *linger)
	p.summarise()
	if len(p.latencies) == 0 {
		return cmp.Or(err, errSilence)
	}
	return nil
}

// connect returns a socket with options. It fails if there is no route.
func connect(to netip.Addr, options map[int]int) (*socket.Conn, error) {
	conn, err := socket.Socket(unix.AF_INET, unix.SOCK_DGRAM, protocolICMP, "ping", nil)
	if err != nil {
		return nil, err
	}
	for option, value := range options {
		err = errors.Join(err, conn.SetsockoptInt(unix.IPPROTO_IP, option, value))
	}
	if err == nil {
		_, err = conn.Connect(context.Background(), &unix.SockaddrInet4{Addr: to.As4()})
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// pinger sends requests, and notes what becomes of them.
type pinger struct {
	out   io.Writer
	quiet bool
	to    netip.Addr
	conn  *socket.Conn
	data  []byte // of each request

	count, sent int
	pending     map[int]time.Time // when requests were sent that are neither answered nor refused, by their numbers
	latencies   []time.Duration
}

// run sends all requests. It returns when all are answered or refused, or when it has lingered after the last one. A
// request that can't be sent is lost. The error is that of the last one.
func (p *pinger) run(interval, linger time.Duration) (unsent error) {
	for p.sent < p.count {
		unsent = p.send()
		wait := interval
		if p.sent == p.count {
			wait = linger
		}
		if err := p.listen(time.Now().Add(wait)); err != nil {
			return err
		}
	}
	return unsent
}

func (p *pinger) send() error {
	p.sent++
	request := icmp.Message{Type: ipv4.ICMPTypeEcho, Body: &icmp.Echo{Seq: p.sent, Data: p.data}}
	packet, err := request.Marshal(nil)
	if err != nil {
		return err
	}
	began := time.Now()
	if _, err = p.conn.Write(packet); err == nil {
		p.pending[p.sent] = began
	}
	return err
}

// listen returns when the time is over, or when there is nothing more to wait for.
func (p *pinger) listen(until time.Time) error {
	if err := p.conn.SetReadDeadline(until); err != nil {
		return err
	}
	for p.sent < p.count || len(p.pending) > 0 {
		if err := p.receive(); errors.Is(err, os.ErrDeadlineExceeded) {
			return nil
		} else if err != nil {
			return err
		}
	}
	return nil
}

// receive waits for an answer, or until a router says something about a request.
func (p *pinger) receive() error {
	packet, control := make([]byte, 1<<16), make([]byte, 1<<10)
	size, _, _, _, err := p.conn.Recvmsg(context.Background(), packet, nil, 0)
	if err == nil {
		p.answered(packet[:size], time.Now())
	}
	if err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		return err
	}
	size, said, _, _, err := p.conn.Recvmsg(context.Background(), packet, control, unix.MSG_ERRQUEUE)
	if err == nil {
		err = p.refused(packet[:size], control[:said])
	}
	return err
}

// answered notes an answer, and shows it.
func (p *pinger) answered(answer []byte, now time.Time) {
	number, began, pending := p.settle(answer)
	if !pending {
		return
	}
	p.latencies = append(p.latencies, now.Sub(began))
	if !p.quiet {
		fmt.Fprintf(p.out, "%d bytes from %s: icmp_seq=%d time=%s ms\n", len(answer), p.to, number,
			milliseconds(now.Sub(began)))
	}
}

// refused shows which router says what about a request.
func (p *pinger) refused(request, control []byte) error {
	number, _, pending := p.settle(request)
	if !pending || p.quiet {
		return nil
	}
	messages, err := unix.ParseSocketControlMessage(control)
	for _, message := range messages {
		var said struct {
			unix.SockExtendedErr
			Router unix.RawSockaddrInet4
		}
		if _, err := binary.Decode(message.Data, binary.NativeEndian, &said); err != nil {
			return err
		}
		fmt.Fprintf(p.out, "From %s icmp_seq=%d %s\n",
			netip.AddrFrom4(said.Router.Addr), number, ipv4.ICMPType(said.Type))
	}
	return err
}

// settle takes a request from those that are pending. The packet is the request itself, or its answer.
func (p *pinger) settle(packet []byte) (number int, began time.Time, pending bool) {
	message, err := icmp.ParseMessage(protocolICMP, packet)
	if err != nil {
		return 0, time.Time{}, false
	}
	if echo, ok := message.Body.(*icmp.Echo); ok {
		number = echo.Seq
	}
	began, pending = p.pending[number]
	delete(p.pending, number)
	return number, began, pending
}

// summarise prints how many requests were answered, and how fast.
func (p *pinger) summarise() {
	fmt.Fprintf(p.out, "%d packets transmitted, %d received\n", p.sent, len(p.latencies))
	if len(p.latencies) == 0 {
		return
	}
	var sum time.Duration
	for _, latency := range p.latencies {
		sum += latency
	}
	fmt.Fprintf(p.out, "rtt min/avg/max = %s/%s/%s ms\n", milliseconds(slices.Min(p.latencies)),
		milliseconds(sum/time.Duration(len(p.latencies))), milliseconds(slices.Max(p.latencies)))
}

func milliseconds(took time.Duration) string {
	return fmt.Sprintf("%.3f", float64(took)/float64(time.Millisecond))
}
