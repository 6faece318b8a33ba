package probe

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

var thrice = Options{Count: 3, Interval: time.Second, Timeout: 500 * time.Millisecond}

func TestAnswersAreCountedAndTimed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		got := repeat(t.Context(), "10.71.1.10", thrice, func(_ context.Context, number int) error {
			<-time.After(time.Duration(number) * 10 * time.Millisecond)
			return nil
		})
		if got.Sent != 3 || got.Received != 3 || got.Lost != 0 || got.Min != 10 || got.Average != 20 || got.Max != 30 {
			t.Errorf("got %+v", got)
		}
		if got.Silence != 1010 {
			t.Errorf("from an answer to the next it took %v ms", got.Silence)
		}
		if took := time.Since(start); took != 2*time.Second+30*time.Millisecond {
			t.Errorf("three questions, a second apart, took %s", took)
		}
	})
}

func TestAProbeThatIsEndedWaitsForItsLastAnswerAndAsksNoMore(t *testing.T) {
	for name, after := range map[string]time.Duration{
		"while it waits for an answer": 1010 * time.Millisecond, "in a pause": 1500 * time.Millisecond,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, end := context.WithTimeout(t.Context(), after)
				defer end()
				got := repeat(ctx, "10.71.1.10", thrice, func(ctx context.Context, _ int) error {
					<-time.After(20 * time.Millisecond)
					return ctx.Err()
				})
				if got.Sent != 2 || got.Lost != 0 {
					t.Errorf("got %+v", got)
				}
			})
		})
	}
}

func TestTheFirstAnswerIsAnnouncedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var announced []time.Duration
		options := thrice
		options.Answered = func() { announced = append(announced, time.Since(start)) }
		repeat(t.Context(), "10.71.1.10", options, func(ctx context.Context, number int) error {
			if number == 1 {
				<-ctx.Done()
			}
			return ctx.Err()
		})
		if !slices.Equal(announced, []time.Duration{time.Second}) {
			t.Errorf("announced after %v", announced)
		}
	})
}

func TestSilenceIsALossWithoutAnErrorAndWhatIsSaidIsOneErrorHoweverOften(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := repeat(t.Context(), "10.71.1.10", thrice, func(ctx context.Context, number int) error {
			if number == 1 {
				<-ctx.Done()
				return ctx.Err()
			}
			return errors.New("unreachable")
		})
		if got.Received != 0 || got.Lost != 3 || !slices.Equal(got.Errors, []string{"unreachable"}) {
			t.Errorf("got %+v", got)
		}
		if got.Silence != 2000 {
			t.Errorf("nothing was heard for %v ms", got.Silence)
		}
	})
}

func TestTheFirstAnswerIsEnoughForWhoeverWantsOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		options := thrice
		options.UntilAnswer = true
		got := repeat(t.Context(), "10.71.1.10", options, func(_ context.Context, number int) error {
			if number == 2 {
				return nil
			}
			return errors.New("unreachable")
		})
		if got.Sent != 2 || got.Received != 1 {
			t.Errorf("got %+v", got)
		}
	})
}

func TestAnHTTPAnswerIsShownAsTheJSONThatItIs(t *testing.T) {
	server := httptest.NewServer(
		http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"name":"a"}`)) }),
	)
	defer server.Close()
	got := HTTP(t.Context(), server.URL, Options{Count: 1, Timeout: time.Minute})
	if answer, ok := got.Answer.(map[string]any); got.Received != 1 || !ok || answer["name"] != "a" {
		t.Errorf("got %+v", got)
	}
}

func TestARequestHasAnIDThatNoOtherOneHadWhileAGatewayRemembersIt(t *testing.T) {
	const remembered = 30 * time.Second
	synctest.Test(t, func(t *testing.T) {
		lastSent := map[int]time.Time{}
		for range 10 { // ping processes, one after the other
			var id requestID
			for number := range 1000 {
				id.next(time.Now())
				if before, again := lastSent[id.sent()]; again && time.Since(before) <= remembered {
					t.Fatalf("request %d has the ID of one that was sent %s ago", number, time.Since(before))
				}
				lastSent[id.sent()] = time.Now()
				time.Sleep(10 * time.Millisecond)
			}
		}
	})
}

// echo answers every datagram at an address until the test ends. The channel has where each one came from.
func echo(t *testing.T, at string) (netip.AddrPort, <-chan netip.AddrPort) {
	t.Helper()
	server, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.MustParseAddrPort(at)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	sources := make(chan netip.AddrPort, 1000)
	go func() {
		buffer := make([]byte, largestPacket)
		for {
			size, from, err := server.ReadFromUDPAddrPort(buffer)
			if err != nil {
				return
			}
			sources <- from
			_, _ = server.WriteToUDPAddrPort(buffer[:size], from) // a test notices a lost answer
		}
	}()
	return netip.MustParseAddrPort(server.LocalAddr().String()), sources
}

func TestEachDatagramIsTheFirstOfAFlow(t *testing.T) {
	to, sources := echo(t, "127.0.0.1:0")
	got := askUDP(t.Context(), to, Options{Count: 3, Timeout: 5 * time.Second})
	if got.Sent != 3 || got.Received != 3 || len(got.Errors) > 0 {
		t.Errorf("got %+v", got)
	}
	if first, second, third := <-sources, <-sources, <-sources; first == second || second == third || first == third {
		t.Errorf("they come from %s, %s and %s", first, second, third)
	}
}

func TestADatagramToAPortWithoutAServerIsLost(t *testing.T) {
	server, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.MustParseAddrPort("127.0.0.1:0")))
	if err != nil {
		t.Fatal(err)
	}
	to := netip.MustParseAddrPort(server.LocalAddr().String())
	_ = server.Close() // nobody else listens there
	if got := askUDP(t.Context(), to, Options{Count: 2, Timeout: time.Second}); got.Received != 0 || len(got.Errors) == 0 {
		t.Errorf("got %+v", got)
	}
}
