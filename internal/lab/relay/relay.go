// Package relay passes on TCP connections to a server as a long or a bad network does. Toxiproxy draws lots for a whole
// connection, not for a piece of it, and without a seed. It leaves out the round trip of a handshake, and lets all
// bytes under way arrive at once when its latency changes. A toxic of one's own mends only the first two of these.
// Toxiproxy also closes both directions when one of them ends, which loses answers, and leaves goroutines behind.
package relay

import (
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"sync"
	"time"
)

// Conditions are the state of the network, the same in both directions.
type Conditions struct {
	// Delay is the time that every byte takes, one way.
	Delay time.Duration `json:"delay"`
	// Of so many pieces of a stream, one comes 3 seconds later than it should, at random; 0 for none.
	Stalls int `json:"stalls"`
	// Of so many pieces of a stream, one is lost with its connection, at random; 0 for none.
	Cuts int `json:"cuts"`
}

// timeOfStall is how much later a piece comes that is stalled.
const timeOfStall = 3 * time.Second

// Relay is the way to one server. It is safe for concurrent use.
type Relay struct {
	listener net.Listener
	target   string

	mu         sync.Mutex
	conditions Conditions
	random     *rand.Rand
}

// Start relays connections to a server at a host and port, through a perfect network. It listens on
// loopback. The seed decides which pieces are stalled and cut.
func Start(target string, seed int64) (*Relay, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	return Serve(listener, target, seed), nil
}

// Serve does so with a listener, which may be in another network than the server.
func Serve(listener net.Listener, target string, seed int64) *Relay {
	r := newRelay(seed)
	r.listener, r.target = listener, target
	go r.serve()
	return r
}

func newRelay(seed int64) *Relay {
	return &Relay{random: rand.New(rand.NewPCG(uint64(seed), 0))} //nolint:gosec // repeatable, not secret
}

// Address returns the host and port where the server seems to be.
func (r *Relay) Address() string { return r.listener.Addr().String() }

// Set sets the conditions for all bytes from now on.
func (r *Relay) Set(conditions Conditions) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.conditions = conditions
}

// Close refuses further connections. Those that exist stay.
func (r *Relay) Close() error { return r.listener.Close() }

// delay returns how long bytes take now.
func (r *Relay) delay() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.conditions.Delay
}

// fate returns how long the next piece takes, and whether it is lost with its connection.
func (r *Relay) fate() (delay time.Duration, lost bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delay = r.conditions.Delay
	if r.hits(r.conditions.Stalls) {
		delay += timeOfStall
	}
	return delay, r.hits(r.conditions.Cuts)
}

// hits returns true once in so many times, at random. It never does for 0. The caller holds the lock.
func (r *Relay) hits(oneOf int) bool { return oneOf > 0 && r.random.IntN(oneOf) == 0 }

func (r *Relay) serve() {
	for {
		client, err := r.listener.Accept()
		if err != nil {
			return
		}
		go r.connect(client)
	}
}

func (r *Relay) connect(client net.Conn) {
	server, err := net.Dial("tcp", r.target)
	if err != nil {
		_ = client.Close()
		return
	}
	r.join(client, server)
}

// join relays one connection until both of its directions have ended. A connection to a distant
// server opens one round trip late: TCP's handshake. Here it is open at once, so the relay adds that
// round trip to the client's first bytes.
func (r *Relay) join(client, server net.Conn) {
	defer client.Close()
	defer server.Close()
	open := time.Now().Add(2 * r.delay())
	var ended sync.WaitGroup
	ended.Go(func() { r.pass(client, server, open) })
	ended.Go(func() { r.pass(server, client, time.Time{}) })
	ended.Wait()
}

// piece is a part of a stream or its end, and when it arrives.
type piece struct {
	bytes []byte
	err   error // that ends the stream
	due   time.Time
}

// pieces limits the pieces that are under way in one direction. With the largest pieces these are
// 64 MB, more than one delay carries.
const pieces, largest = 1024, 64 << 10

// pass relays one direction. Nothing leaves from before open. Pieces are under way side by side, so
// that a delay limits no throughput, and they arrive in their order.
func (r *Relay) pass(from, to net.Conn, open time.Time) {
	line := make(chan piece, pieces)
	go r.read(from, open, line)
	broken := false
	for one := range line {
		if broken {
			continue // the other end does not listen any more
		}
		<-time.After(time.Until(one.due))
		if one.err != nil {
			end(to, one.err)
		} else if _, err := to.Write(one.bytes); err != nil {
			broken = true
			_ = from.Close() // which ends the reading
		}
	}
}

// read puts a stream on the line, and its end, which takes as long as its bytes.
func (r *Relay) read(from net.Conn, open time.Time, line chan<- piece) {
	defer close(line)
	var last time.Time
	buffer := make([]byte, largest)
	for {
		n, err := from.Read(buffer) // TCP returns no bytes with an error
		sent := time.Now()
		if sent.Before(open) {
			sent = open
		}
		delay, lost := r.fate()
		if lost && err == nil {
			n, err = 0, errCut
			_ = from.Close()
		}
		if due := sent.Add(delay); due.After(last) {
			last = due // a shorter delay overtakes nothing
		}
		line <- piece{slices.Clone(buffer[:n]), err, last}
		if err != nil {
			return
		}
	}
}

// errCut ends a stream of which a piece is lost.
var errCut = errors.New("the connection was cut")

// end ends the other half of a stream as the first half has ended.
func end(to net.Conn, err error) {
	if half, ok := to.(*net.TCPConn); ok && errors.Is(err, io.EOF) {
		_ = half.CloseWrite()
		return
	}
	_ = to.Close()
}
