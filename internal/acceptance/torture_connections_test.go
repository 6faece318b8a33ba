package acceptance

import (
	"io"
	"net"
	"net/url"
	"sync/atomic"
	"testing"
	"time"
)

// relay passes on the connections to a leaf's API server, as a bad network does.
type relay struct {
	address string // host and port, here
	target  string // host and port of the API server
	random  *dice

	delay atomic.Int64 // of everything, each way, as a time.Duration
	stall atomic.Int64 // one piece of so many comes 3 seconds later; 0 for none
	cut   atomic.Int64 // one piece of so many is lost with its connection; 0 for none
}

// timeOfStall is how much later a piece comes that a relay stalls.
const timeOfStall = 3 * time.Second

func TestAccTortureByABadNetworkEndsWithAllOrNothing(t *testing.T) {
	lab := borrowLab(t)
	seed := numberFrom(t, tortureSeed, time.Now().UnixNano())
	t.Logf("%s=%d", tortureSeed, seed)
	leaves := lab.reachedAsAdministrator(t, "rome", "milan")
	random := newDice(seed)
	between := newRelay(t, leaves["milan"].Host, random)
	bad := leaves["milan"]
	bad.Host = "https://" + between.address
	leaves["milan"] = bad
	v := newVictim(t, lab, leaves, seed)
	type network struct {
		name              string
		delay             time.Duration
		stalls, cutsOneOf int64
	}
	for _, one := range someOf([]network{
		{"200 ms each way", 200 * time.Millisecond, 0, 0},
		{"stalled for 3 s at random", 0, 40, 0},
		{"cut at random", 20 * time.Millisecond, 0, 60},
	}, 1, random) {
		t.Run(one.name, func(t *testing.T) {
			v.survives(t, one.name, func() {
				between.delay.Store(int64(one.delay))
				between.stall.Store(one.stalls)
				between.cut.Store(one.cutsOneOf)
			}, func() {
				between.delay.Store(0)
				between.stall.Store(0)
				between.cut.Store(0)
			})
		})
	}
}

func newRelay(t *testing.T, host string, random *dice) *relay {
	t.Helper()
	to, err := url.Parse(host)
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{target: to.Host, random: random}
	r.address = listen(t, func(connection net.Conn) { go r.connect(connection) })
	return r
}

// connect relays one connection until either end closes it, or the relay cuts it.
func (r *relay) connect(from net.Conn) {
	defer from.Close()
	to, err := net.Dial("tcp", r.target)
	if err != nil {
		return
	}
	defer to.Close()
	ended := make(chan struct{}, 2)
	for _, way := range [][2]net.Conn{{from, to}, {to, from}} {
		go func() {
			r.pass(way[0], way[1])
			ended <- struct{}{}
		}()
	}
	<-ended
}

// piece is a part of a stream, and when it arrives.
type piece struct {
	bytes []byte
	due   time.Time
}

// pass relays one direction. Pieces that follow each other are delayed side by side, as on a long line.
func (r *relay) pass(from io.Reader, to io.Writer) {
	pieces := make(chan piece, 1024)
	go func() {
		defer close(pieces)
		for {
			buffer := make([]byte, 16<<10)
			n, err := from.Read(buffer)
			if err != nil || r.hits(r.cut.Load()) {
				return
			}
			delay := time.Duration(r.delay.Load())
			if r.hits(r.stall.Load()) {
				delay += timeOfStall
			}
			pieces <- piece{buffer[:n], time.Now().Add(delay)}
		}
	}()
	for one := range pieces {
		<-time.After(time.Until(one.due))
		if _, err := to.Write(one.bytes); err != nil {
			return
		}
	}
}

// hits returns true once in so many times, at random. It never does for 0.
func (r *relay) hits(oneOf int64) bool { return oneOf > 0 && r.random.below(int(oneOf)) == 0 }
