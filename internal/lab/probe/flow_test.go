package probe

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// answering is a stream whose packets are answered at once, except while it is broken.
type answering struct {
	broken  func() bool
	answers chan struct{}
	closed  chan struct{}
}

func newAnswering(broken func() bool) *answering {
	return &answering{broken: broken, answers: make(chan struct{}, 1000), closed: make(chan struct{})}
}

func (a *answering) send(int) error {
	if a.broken() {
		return errors.New("no route")
	}
	a.answers <- struct{}{}
	return nil
}

func (a *answering) receive() error {
	select {
	case <-a.answers:
		return nil
	case <-a.closed:
		return net.ErrClosed
	}
}

func (a *answering) Close() error {
	close(a.closed)
	return nil
}

// measured returns the result of a flow that ends after ten seconds, and the time that it took.
func measured(t *testing.T, broken func(since time.Duration) bool) (FlowResult, time.Duration) {
	t.Helper()
	start := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	s := newAnswering(func() bool { return broken(time.Since(start)) })
	began := 0
	result := measure(ctx, s, FlowOptions{
		Interval: 100 * time.Millisecond, Grace: time.Minute, Answered: func() { began++ },
	})
	if began != min(result.Received, 1) {
		t.Errorf("the first answer of %d was announced %d times", result.Received, began)
	}
	return result, time.Since(start)
}

func TestAFlowThatIsAnsweredEndsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got, took := measured(t, func(time.Duration) bool { return false })
		if got.Broken || got.Silence > 100 || got.Received < 100 || took > 11*time.Second {
			t.Errorf("got %+v after %s", got, took)
		}
	})
}

func TestTheSilenceOfAFlowIsTheLongestOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got, _ := measured(t, func(since time.Duration) bool {
			return since > 2*time.Second && since < 5*time.Second || since > 7*time.Second && since < 8*time.Second
		})
		if got.Broken || got.Silence < 3000 || got.Silence > 3200 || got.Error != "no route" {
			t.Errorf("got %+v", got)
		}
	})
}

func TestAFlowThatComesBackDuringTheGraceIsNotBroken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got, took := measured(t, func(since time.Duration) bool {
			return since > 8*time.Second && since < 40*time.Second
		})
		if got.Broken || got.Silence < 32000 || took > 41*time.Second {
			t.Errorf("got %+v after %s", got, took)
		}
	})
}

func TestAFlowWithoutAnAnswerDuringTheGraceIsBroken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got, took := measured(t, func(since time.Duration) bool { return since > 2*time.Second })
		if !got.Broken || got.Silence < 67000 || took < 70*time.Second || took > 71*time.Second {
			t.Errorf("got %+v after %s", got, took)
		}
	})
}

func TestEachProtocolHasAFlowOfOneIdentity(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "here")
	}))
	defer server.Close()
	address, sources := echo(t, server.Listener.Addr().String())
	for _, protocol := range Protocols {
		t.Run(protocol, func(t *testing.T) {
			if protocol == "icmp" && os.Getuid() != 0 {
				t.Skip("It needs root.")
			}
			s, err := open(t.Context(), address.Addr(), address.Port(), protocol)
			if err != nil {
				t.Fatal(err)
			}
			for number := 1; number <= 3; number++ {
				if err := errors.Join(s.send(number), s.receive()); err != nil {
					t.Errorf("packet %d: %v", number, err)
				}
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if err := s.receive(); !errors.Is(err, net.ErrClosed) {
				t.Errorf("after its end, it says %v", err)
			}
		})
	}
	first, second, third := <-sources, <-sources, <-sources
	if first != second || first != third {
		t.Error("the datagrams come from different ports")
	}
}

func TestAnUnknownProtocolIsRefused(t *testing.T) {
	if _, err := Flow(t.Context(), netip.MustParseAddr("127.0.0.1"), FlowOptions{Protocol: "sctp"}); err == nil {
		t.Error("there is no error")
	}
}
