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
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/access"
)

// silent is a listener that accepts connections and never answers, like a network that swallows packets.
type silent struct {
	address string
	dials   atomic.Int32
}

func newSilent(t *testing.T) *silent {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	s := &silent{address: "https://" + listener.Addr().String()}
	var connections sync.WaitGroup
	t.Cleanup(func() {
		listener.Close()
		connections.Wait()
	})
	connections.Go(func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			s.dials.Add(1)
			t.Cleanup(func() { connection.Close() })
		}
	})
	return s
}

// registryOf returns a registry in which Milan is silent, which it notices soon.
func registryOf(t *testing.T, silent *silent) *Registry {
	t.Helper()
	registry := NewRegistry(Config{Clusters: map[string]access.Credentials{
		"milan": {Host: silent.address, Insecure: true},
	}, LiqoNamespace: "liqo"})
	registry.patience.answer = 2 * time.Second
	t.Cleanup(registry.Close)
	return registry
}

func TestALeafThatSwallowsPacketsIsAskedOnceForEverybody(t *testing.T) {
	silent := newSilent(t)
	registry := registryOf(t, silent)
	var (
		shortcuts sync.WaitGroup
		errs      = make([]error, 10)
	)
	for i := range errs {
		shortcuts.Go(func() { _, errs[i] = registry.Leaf(t.Context(), "milan") })
	}
	shortcuts.Wait()
	dials := silent.dials.Load()
	_, remembered := registry.Leaf(t.Context(), "milan")
	for _, err := range append(errs, remembered) {
		if !Unreachable(err) || !Lost(err) || !errors.Is(err, errs[0]) {
			t.Errorf("got: %v", err)
		}
	}
	if again := silent.dials.Load() - dials; again > 0 {
		t.Errorf("%d more connections after the first attempt", again)
	}
}

func TestALeafThatHoldsBackStreamsIsAskedOnceForEverybodyAndIsNotLost(t *testing.T) {
	var lists atomic.Int32
	server := serveTLS(t, func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/configmaps") {
			<-r.Context().Done()
			return
		}
		lists.Add(1)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"apiVersion":"v1","kind":"ConfigMapList","items":[{"metadata":{"name":"id","uid":"1"},`+
			`"data":{"CLUSTER_ID":"rome"}}]}`)
	})
	registry := registryFor(t, at(server))
	registry.patience.fill = 100 * time.Millisecond
	for range 3 {
		_, err := registry.Leaf(t.Context(), "rome")
		if !Unreachable(err) || Lost(err) || !strings.Contains(err.Error(), "did not answer in time") {
			t.Errorf("got: %v", err)
		}
	}
	if asked := lists.Load(); asked != 1 {
		t.Errorf("its ID was read %d times", asked)
	}
}

func TestACallerThatRunsOutOfTimeLearnsThatTheLeafDoesNotAnswer(t *testing.T) {
	registry := registryOf(t, newSilent(t))
	registry.patience.answer = time.Minute
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err := registry.Leaf(ctx, "milan")
	if !Unreachable(err) || !strings.Contains(err.Error(), `leaf "milan": the API server did not answer in time`) {
		t.Errorf("got: %v", err)
	}
	interrupted, interrupt := context.WithCancel(t.Context())
	interrupt()
	if _, err := registry.Leaf(interrupted, "milan"); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

func TestALeafThatRefusesConnectionsIsAskedAgain(t *testing.T) {
	address := closedPort(t)
	registry := registryFor(t, access.Credentials{Host: "https://" + address, Insecure: true})
	if _, err := registry.Leaf(t.Context(), "rome"); !Unreachable(err) {
		t.Fatalf("got: %v", err)
	}
	listener, err := net.Listen("tcp", address)
	must(t, err)
	serveTLS(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) },
		func(server *httptest.Server) {
			server.Listener.Close()
			server.Listener = listener
		})
	if _, err := registry.Leaf(t.Context(), "rome"); err == nil || Unreachable(err) {
		t.Errorf("the leaf runs now: %v", err)
	}
}

// Each watch ends only with its connection.
func TestTheCachesOfAReplacedLeafEnd(t *testing.T) {
	begun, ended := make(chan struct{}, 100), make(chan struct{}, 100)
	registry := registryFor(t, at(serveTLS(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch query := r.URL.Query(); {
		case query.Has("sendInitialEvents"):
			w.WriteHeader(http.StatusBadRequest) // client-go lists instead
		case query.Has("watch"):
			w.(http.Flusher).Flush() //nolint:errcheck,forcetypeassert // of a server
			begun <- struct{}{}
			<-r.Context().Done()
			ended <- struct{}{}
		case strings.HasSuffix(r.URL.Path, "/configmaps"):
			fmt.Fprint(w, `{"metadata":{"resourceVersion":"1"},"items":[{"data":{"CLUSTER_ID":"rome"}}]}`)
		default:
			fmt.Fprint(w, `{"metadata":{"resourceVersion":"1"},"items":[]}`)
		}
	})))
	first, err := registry.Leaf(t.Context(), "rome")
	must(t, err)
	for range cachedKinds() {
		<-begun
	}
	for _, kind := range cachedKinds() {
		first.health.report(fmt.Sprintf("%T", kind), refusals["no permission"]) // not believed yet
	}
	if again, err := registry.Leaf(t.Context(), "rome"); again != first {
		t.Fatalf("a leaf that works was replaced (%v)", err)
	}
	first.health.started = false
	first.health.report("Pod", refusals["no permission"]) // and now it is
	if second, err := registry.Leaf(t.Context(), "rome"); err != nil || second == first {
		t.Fatalf("a leaf that is refused was not replaced (%v)", err)
	}
	for range cachedKinds() {
		<-ended
	}
}
