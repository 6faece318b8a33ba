package relay

import (
	"bytes"
	"io"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

const delay = 30 * time.Millisecond

// echo starts a server that returns what it gets until the client has said everything, and a relay
// to it. It returns a connection through the relay.
func echo(t *testing.T, conditions Conditions) *net.TCPConn {
	t.Helper()
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	go func() {
		for {
			connection, err := server.Accept()
			if err != nil {
				return
			}
			go func() {
				_, _ = io.Copy(connection, connection)
				_ = connection.Close()
			}()
		}
	}()
	distant, err := Start(server.Addr().String(), 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { distant.Close() })
	distant.Set(conditions)
	connection, err := net.Dial("tcp", distant.Address())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	return connection.(*net.TCPConn) //nolint:errcheck,forcetypeassert // dialling TCP returns one
}

// roundTrip returns how long a byte and the answer to it take.
func roundTrip(t *testing.T, connection net.Conn) time.Duration {
	t.Helper()
	start := time.Now()
	if _, err := connection.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(connection, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	return time.Since(start)
}

func TestAnAnswerTakesTheDelayTwiceAndTheFirstOneTCPsHandshakeToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		distant := newRelay(1)
		distant.Set(Conditions{Delay: delay})
		here, client := net.Pipe()
		server, there := net.Pipe()
		var ended sync.WaitGroup
		ended.Go(func() { distant.join(client, server) })
		go func() {
			_, _ = io.Copy(there, there)
			_ = there.Close()
		}()
		if took := roundTrip(t, here); took != 4*delay {
			t.Errorf("the first answer came after %s, and not after two round trips of %s", took, 2*delay)
		}
		if took := roundTrip(t, here); took != 2*delay {
			t.Errorf("the second answer came after %s, and not after a round trip of %s", took, 2*delay)
		}
		_ = here.Close()
		ended.Wait()
	})
}

func TestAnAnswerComesAlsoAfterTheClientHasSaidEverything(t *testing.T) {
	connection := echo(t, Conditions{Delay: delay})
	if _, err := connection.Write([]byte("question")); err != nil {
		t.Fatal(err)
	}
	if err := connection.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if answer, err := io.ReadAll(connection); err != nil || string(answer) != "question" {
		t.Errorf("the answer is %q (%v)", answer, err)
	}
}

func TestBytesUnderWayKeepTheirDistancesWhenTheDelayEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		distant := newRelay(1)
		here, client := net.Pipe()
		server, there := net.Pipe()
		var ended sync.WaitGroup
		ended.Go(func() { distant.join(client, server) })
		var arrivals []time.Time
		ended.Go(func() {
			for one := make([]byte, 1); ; {
				if _, err := there.Read(one); err != nil {
					_ = there.Close()
					return
				}
				arrivals = append(arrivals, time.Now())
			}
		})
		send := func() {
			if _, err := here.Write([]byte("x")); err != nil {
				t.Fatal(err)
			}
			time.Sleep(delay)
		}
		send() // after the handshake, which takes no time yet
		distant.Set(Conditions{Delay: 10 * delay})
		for range 3 {
			send()
		}
		distant.Set(Conditions{})
		_ = here.Close()
		ended.Wait()
		if len(arrivals) != 4 || arrivals[1].Sub(arrivals[0]) != 11*delay || arrivals[3].Sub(arrivals[1]) != 2*delay {
			t.Errorf("bytes sent every %s came at %v", delay, arrivals)
		}
	})
}

func TestADelayLimitsNoThroughput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		distant := newRelay(1)
		distant.Set(Conditions{Delay: delay})
		here, client := net.Pipe()
		server, there := net.Pipe()
		start := time.Now()
		var ended sync.WaitGroup
		ended.Go(func() { distant.join(client, server) })
		sent := make([]byte, 8<<20)
		ended.Go(func() {
			_, _ = here.Write(sent)
			_ = here.Close()
		})
		got := make([]byte, len(sent))
		_, err := io.ReadFull(there, got)
		if took := time.Since(start); err != nil || took != 3*delay {
			t.Errorf("%d bytes took %s (%v), a handshake and one way take %s", len(sent), took, err, 3*delay)
		}
		_ = there.Close()
		ended.Wait()
	})
}

func TestBytesKeepTheirOrderAndTheEndOfAStreamPasses(t *testing.T) {
	connection := echo(t, Conditions{Delay: delay})
	sent := make([]byte, 8<<20)
	for i := range sent {
		sent[i] = byte(i >> 8)
	}
	go func() {
		_, _ = connection.Write(sent)
		_ = connection.CloseWrite()
	}()
	got, err := io.ReadAll(connection)
	if err != nil || !bytes.Equal(got, sent) {
		t.Fatalf("%d of %d bytes came back, or others: %v", len(got), len(sent), err)
	}
}

func TestAConnectionToAServerThatIsAwayEnds(t *testing.T) {
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server.Close()
	distant, err := Start(server.Addr().String(), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer distant.Close()
	connection, err := net.Dial("tcp", distant.Address())
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	if n, err := connection.Read(make([]byte, 1)); err == nil {
		t.Errorf("%d bytes came from nowhere", n)
	}
}

func TestAPieceThatIsCutEndsItsConnectionAtBothEnds(t *testing.T) {
	connection := echo(t, Conditions{Cuts: 1})
	if _, err := connection.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if n, err := connection.Read(make([]byte, 1)); err == nil {
		t.Errorf("%d bytes came back", n)
	}
}

func TestAPieceThatIsStalledComesLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		distant := newRelay(1)
		distant.Set(Conditions{Delay: delay, Stalls: 1})
		from, client := net.Pipe()
		server, to := net.Pipe()
		var ended sync.WaitGroup
		ended.Go(func() { distant.join(client, server) })
		start := time.Now()
		go func() { _, _ = from.Write([]byte("x")) }()
		_, err := io.ReadFull(to, make([]byte, 1))
		if took := time.Since(start); err != nil || took != 3*delay+timeOfStall {
			t.Errorf("it came after %s (%v)", took, err)
		}
		_ = from.Close()
		_ = to.Close()
		ended.Wait()
	})
}
