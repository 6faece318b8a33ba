package cluster

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/leafmesh/terraform-provider-liqo/internal/access"
)

func TestTheFirstRequestsShareOneConnection(t *testing.T) {
	const requests = 20
	var together sync.WaitGroup // all requests are answered at once, so none can have the connection of another one
	together.Add(requests)
	var connections atomic.Int32
	server := serveTLS(t, func(http.ResponseWriter, *http.Request) {
		together.Done()
		together.Wait()
	}, func(server *httptest.Server) {
		server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				connections.Add(1)
			}
		}
	})
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

func TestAFirstRequestThatFailsKeepsNoOtherWaiting(t *testing.T) {
	asked := 0
	client := &http.Client{Transport: newOpening(nil, func() {})(access.RoundTrip(
		func(*http.Request) (*http.Response, error) {
			asked++
			return nil, errors.New("no route to host")
		}))}
	for range 3 {
		if answer, err := client.Get("https://rome.example"); err == nil {
			t.Error("a request has succeeded", answer.Body.Close())
		}
	}
	if asked != 3 {
		t.Errorf("%d of 3 requests were sent", asked)
	}
}

func TestNoOtherRequestConnectsIfTheFirstOneWasNotSentInTime(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var asked atomic.Int32
	connecting := make(chan struct{}, 20)
	client := &http.Client{Transport: newOpening(ctx.Done(), func() {})(access.RoundTrip(
		func(request *http.Request) (*http.Response, error) { // which sends nothing
			asked.Add(1)
			connecting <- struct{}{}
			<-request.Context().Done()
			return nil, request.Context().Err()
		}))}
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
	<-connecting
	for range 10 {
		requests.Go(func() {
			if err := get(t.Context()); !errors.Is(err, context.Canceled) {
				t.Errorf("got: %v", err)
			}
		})
	}
	cancel()
	requests.Wait()
	if asked.Load() != 1 {
		t.Errorf("%d requests have tried to connect", asked.Load())
	}
}
