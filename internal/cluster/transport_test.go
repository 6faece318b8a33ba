package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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

func TestARedirectIsNotFollowed(t *testing.T) {
	var asked atomic.Int32
	elsewhere := serveTLS(t, func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.WriteHeader(http.StatusTeapot)
	})
	for _, code := range []int{
		http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect,
		http.StatusPermanentRedirect,
	} {
		t.Run(http.StatusText(code), func(t *testing.T) {
			address := strings.TrimPrefix(elsewhere.URL, "https://")
			server := serveTLS(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", "https://user:hunter2@"+address+"/login?token=s3cret")
				w.WriteHeader(code)
			})
			_, err := registryFor(t, at(server)).Leaf(t.Context(), "rome")
			text := fmt.Sprint(err)
			has(t, text, `leaf "rome": the address is not that of an API server`, "it redirects to https://"+address)
			if Unreachable(err) || strings.Contains(text, "hunter2") || strings.Contains(text, "s3cret") {
				t.Errorf("it counts as unreachable, or a secret is in: %v", err)
			}

			leaf := leafAt(t, server.URL, newHealth())
			for what, ask := range map[string]func() error{
				"a write": func() error {
					meta := metav1.ObjectMeta{Namespace: "default", Name: "one"}
					return leaf.clients.Live.Create(t.Context(), &corev1.Secret{ObjectMeta: meta})
				},
				"discovery": func() error { _, err := leaf.KubernetesVersion(t.Context()); return err },
			} {
				if err := ask(); err == nil || !strings.Contains(err.Error(), "it redirects to") {
					t.Errorf("%s: %v", what, err)
				}
			}
		})
	}
	if count := asked.Load(); count > 0 {
		t.Errorf("the other server was asked %d times", count)
	}
}
