package cluster

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
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
	client.Transport = newOpening(client.Transport)
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
	client := &http.Client{Transport: newOpening(&transport)}
	for range 3 {
		if answer, err := client.Get("https://rome.example"); err == nil {
			t.Error("a request has succeeded", answer.Body.Close())
		}
	}
	if asked := transport.asked.Load(); asked != 3 {
		t.Errorf("%d of 3 requests were sent", asked)
	}
}
