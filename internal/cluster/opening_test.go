package cluster

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"
)

func TestTheFirstRequestsShareOneConnection(t *testing.T) {
	const requests = 20
	var together sync.WaitGroup // all requests are answered at once, so none can have the connection of another one
	together.Add(requests)
	var connections atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		together.Done()
		together.Wait()
	}))
	server.EnableHTTP2 = true
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	server.StartTLS()
	defer server.Close()
	client := server.Client()
	client.Transport = newOpening(nil, func() {})(client.Transport)
	var group errgroup.Group
	for range requests {
		group.Go(func() error {
			answer, err := client.Get(server.URL)
			if err != nil {
				return err
			}
			return answer.Body.Close()
		})
	}
	if err := group.Wait(); err != nil || connections.Load() != 1 {
		t.Errorf("%d connections were opened (%v)", connections.Load(), err)
	}
}

// failing is a transport that counts the requests, and fails.
type failing struct{ asked atomic.Int32 }

func (f *failing) RoundTrip(*http.Request) (*http.Response, error) {
	f.asked.Add(1)
	return nil, errors.New("no route to host")
}

func TestAFirstRequestThatFailsKeepsNoOtherWaiting(t *testing.T) {
	var transport failing
	client := &http.Client{Transport: newOpening(nil, func() {})(&transport)}
	for range 3 {
		if answer, err := client.Get("https://rome.example"); err == nil {
			t.Error("a request has succeeded", answer.Body.Close())
		}
	}
	if asked := transport.asked.Load(); asked != 3 {
		t.Errorf("%d of 3 requests were sent", asked)
	}
}

// stuck is a transport that sends no request, and fails with the request's context.
type stuck struct{ asked atomic.Int32 }

func (s *stuck) RoundTrip(request *http.Request) (*http.Response, error) {
	s.asked.Add(1)
	<-request.Context().Done()
	return nil, request.Context().Err()
}

func TestNoOtherRequestConnectsIfTheFirstOneWasNotSentInTime(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var transport stuck
	client := &http.Client{Transport: newOpening(ctx.Done(), func() {})(&transport)}
	get := func(ctx context.Context) error {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://rome.example", http.NoBody)
		if err != nil {
			return err
		}
		answer, err := client.Do(request)
		if err == nil {
			err = answer.Body.Close()
		}
		return err
	}
	var requests sync.WaitGroup
	requests.Go(func() { _ = get(ctx) })
	for transport.asked.Load() == 0 {
		runtime.Gosched()
	}
	for range 10 {
		requests.Go(func() {
			if err := get(t.Context()); !errors.Is(err, context.Canceled) {
				t.Errorf("got: %v", err)
			}
		})
	}
	cancel()
	requests.Wait()
	if asked := transport.asked.Load(); asked != 1 {
		t.Errorf("%d requests have tried to connect", asked)
	}
}
