package probe

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/net/icmp"
)

// Protocols are what the packets of a flow can be: requests of one ping, datagrams from one port to another, and
// requests on one connection.
var Protocols = []string{"icmp", "udp", "tcp"}

// echoPort is the port on which a pod answers.
const echoPort = 80

// FlowOptions say how a flow is measured.
type FlowOptions struct {
	Protocol string // one of [Protocols]
	Interval time.Duration
	// Grace is how long a flow may take to be answered once more after its end. It ends at the first answer.
	Grace time.Duration
	// Answered is called at the first answer. It may be nil.
	Answered func() `json:"-"`
}

// FlowResult is what became of a flow.
type FlowResult struct {
	To       string `json:"to"`
	Protocol string `json:"protocol"`
	Sent     int    `json:"sent"`
	Received int    `json:"received"`
	// Silence is the longest time without an answer, in milliseconds.
	Silence float64 `json:"silence"`
	// Broken reports whether nothing was answered during the grace.
	Broken bool `json:"broken"`
	// Error is the last error of the network, or empty.
	Error string `json:"error,omitempty"`
}

// stream is an open flow. Send sends a packet, and receive waits for an answer. Both can run at the same time.
type stream interface {
	send(number int) error
	receive() error
	Close() error
}

// Flow sends packets of one identity to an address until ctx ends, and then until one more is answered. So all of them
// are one flow for every router between: what it decides about the first packet holds for the others.
func Flow(ctx context.Context, address netip.Addr, options FlowOptions) (FlowResult, error) {
	s, err := open(ctx, address, echoPort, options.Protocol)
	if err != nil {
		return FlowResult{}, err
	}
	result := measure(ctx, s, options)
	result.To, result.Protocol = address.String(), options.Protocol
	return result, nil
}

// measure sends packets on a stream, and closes it.
func measure(ctx context.Context, s stream, options FlowOptions) FlowResult {
	f := &flow{heard: time.Now(), again: make(chan struct{}, 1)}
	received := make(chan struct{})
	go func() {
		defer close(received)
		f.receive(s, options.Answered)
	}()
	f.run(ctx, s, options)
	_ = s.Close() // nothing more is sent
	<-received
	return f.FlowResult
}

// flow is a flow that is measured.
type flow struct {
	FlowResult

	mu    sync.Mutex
	ended bool
	heard time.Time     // the last answer
	again chan struct{} // has an element after an answer
}

// run sends packets until the flow ends.
func (f *flow) run(ctx context.Context, s stream, options FlowOptions) {
	tick := time.NewTicker(options.Interval)
	defer tick.Stop()
	var over <-chan time.Time
	var answered <-chan struct{}
	done := ctx.Done()
	for {
		f.record(s.send(f.Sent + 1))
		f.Sent++
		select {
		case <-tick.C:
		case <-done:
			done, over, answered = nil, time.After(options.Grace), f.again
			select {
			case <-answered: // an earlier one
			default:
			}
		case <-answered:
			f.end(false)
			return
		case <-over:
			f.end(true)
			return
		}
	}
}

// receive counts answers until the stream is closed. Answered, which may be nil, is called at the first one.
func (f *flow) receive(s stream, answered func()) {
	for {
		err := s.receive()
		if errors.Is(err, net.ErrClosed) || f.fails(err) {
			return
		}
		if err != nil {
			continue // a router or the kernel says something about a packet
		}
		f.mu.Lock()
		f.listen()
		if f.Received++; f.Received == 1 && answered != nil {
			answered()
		}
		f.mu.Unlock()
		select {
		case f.again <- struct{}{}:
		default:
		}
	}
}

// fails records an error of the network, and reports whether there can be no more answers.
func (f *flow) fails(err error) bool {
	f.record(err)
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ended || err != nil && !isTransient(err)
}

// isTransient reports whether an error is about one packet only.
func isTransient(err error) bool {
	transient := []error{syscall.ECONNREFUSED, syscall.EHOSTUNREACH, syscall.ENETUNREACH, syscall.EPERM}
	return slices.ContainsFunc(transient, func(one error) bool { return errors.Is(err, one) })
}

// record keeps an error of the network.
func (f *flow) record(err error) {
	if err == nil || errors.Is(err, net.ErrClosed) {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Error = err.Error()
}

// listen ends a silence. It needs the lock.
func (f *flow) listen() {
	now := time.Now()
	f.Silence = max(f.Silence, milliseconds(now.Sub(f.heard)))
	f.heard = now
}

// end records the end of the flow.
func (f *flow) end(broken bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.listen()
	f.Broken, f.ended = broken, true
}

// open opens a flow to a port, which has no meaning for ICMP.
func open(ctx context.Context, address netip.Addr, port uint16, protocol string) (stream, error) {
	var dialer net.Dialer
	target := netip.AddrPortFrom(address, port).String()
	switch protocol {
	case "icmp":
		var config net.ListenConfig
		conn, err := config.ListenPacket(ctx, "ip4:icmp", "0.0.0.0")
		id := requestID(time.Now().UnixMilli())
		return &echoes{PacketConn: conn, to: address, id: id.sent(), buffer: make([]byte, largestPacket)}, err
	case "udp":
		conn, err := dialer.DialContext(ctx, "udp4", target)
		return &datagrams{conn, make([]byte, largestPacket)}, err
	case "tcp":
		conn, err := dialer.DialContext(ctx, "tcp4", target)
		if err != nil {
			return nil, err
		}
		return &requests{conn, bufio.NewReader(conn)}, nil
	}
	return nil, fmt.Errorf("a flow is one of %q, not %q", Protocols, protocol)
}

// echoes is a flow of ICMP echo requests with one ID.
type echoes struct {
	net.PacketConn

	to     netip.Addr
	id     int
	buffer []byte
}

func (e *echoes) send(number int) error {
	return sendEcho(e, e.to, &icmp.Echo{ID: e.id, Seq: number & (1<<16 - 1)})
}

func (e *echoes) receive() error {
	for {
		size, from, err := e.ReadFrom(e.buffer)
		if err != nil {
			return err
		}
		message, err := icmp.ParseMessage(protocolICMP, e.buffer[:size])
		if err == nil && from.String() == e.to.String() && answers(message, e.id) != nil {
			return nil
		}
	}
}

// datagrams is a flow of UDP datagrams between two ports.
type datagrams struct {
	net.Conn

	buffer []byte
}

func (d *datagrams) send(number int) error {
	_, err := d.Write([]byte(strconv.Itoa(number)))
	return err
}

func (d *datagrams) receive() error {
	_, err := d.Read(d.buffer)
	return err
}

// requests is a flow of HTTP requests on one connection.
type requests struct {
	net.Conn

	answers *bufio.Reader
}

func (r *requests) send(int) error {
	_, err := r.Write([]byte("GET / HTTP/1.1\r\nHost: pod\r\n\r\n"))
	return err
}

func (r *requests) receive() error {
	response, err := http.ReadResponse(r.answers, nil)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return err
}
