package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
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

// registryOf returns a registry in which Milan is silent, which it notices soon, and Rome does not run.
func registryOf(t *testing.T, silent *silent) *Registry {
	t.Helper()
	registry := NewRegistry(Config{Clusters: map[string]access.Credentials{
		"milan": {Host: silent.address, Insecure: true},
		"rome":  {Host: "https://" + closedPort(t), Insecure: true},
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

func TestALeafThatSwallowsPacketsDoesNotDelayOthers(t *testing.T) {
	registry := registryOf(t, newSilent(t))
	registry.patience.answer = time.Hour
	attempt := registry.attempt("milan")
	for range 20 {
		if _, err := registry.Leaf(t.Context(), "rome"); !Unreachable(err) {
			t.Errorf("another leaf: %v", err)
		}
	}
	if attempt.isOver() {
		t.Errorf("the leaf has answered: %v", attempt.err)
	}
	registry.Close()
	<-attempt.done
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
	registry := NewRegistry(Config{
		Clusters: map[string]access.Credentials{"rome": {Host: server.URL, Insecure: true}}, LiqoNamespace: "liqo",
	})
	defer registry.Close()
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
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusForbidden)
	}))
	address := "https://" + server.Listener.Addr().String()
	server.Listener.Close()
	registry := NewRegistry(Config{Clusters: map[string]access.Credentials{"rome": {Host: address, Insecure: true}}})
	defer registry.Close()
	if _, err := registry.Leaf(t.Context(), "rome"); !Unreachable(err) {
		t.Fatalf("got: %v", err)
	}
	listener, err := net.Listen("tcp", strings.TrimPrefix(address, "https://"))
	must(t, err)
	server.Listener = listener
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // connections end with the registry
	server.StartTLS()
	defer server.Close()
	if _, err := registry.Leaf(t.Context(), "rome"); err == nil || Unreachable(err) {
		t.Errorf("the leaf runs now: %v", err)
	}
}

// emptyLeaf is an API server of a leaf without any network. Each watch ends only with its connection.
func emptyLeaf(t *testing.T) (_ access.Credentials, begun, ended <-chan struct{}) {
	t.Helper()
	watches, ends := make(chan struct{}, 100), make(chan struct{}, 100)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch query := r.URL.Query(); {
		case query.Has("sendInitialEvents"):
			w.WriteHeader(http.StatusBadRequest) // client-go lists instead
		case query.Has("watch"):
			w.(http.Flusher).Flush() //nolint:errcheck,forcetypeassert // of a server
			watches <- struct{}{}
			<-r.Context().Done()
			ends <- struct{}{}
		case strings.HasSuffix(r.URL.Path, "/configmaps"):
			fmt.Fprint(w, `{"metadata":{"resourceVersion":"1"},"items":[{"data":{"CLUSTER_ID":"rome"}}]}`)
		default:
			fmt.Fprint(w, `{"metadata":{"resourceVersion":"1"},"items":[]}`)
		}
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // connections end with the registry
	server.StartTLS()
	t.Cleanup(server.Close)
	return access.Credentials{Host: server.URL, Insecure: true}, watches, ends
}

func TestTheCachesOfAReplacedLeafEnd(t *testing.T) {
	credentials, begun, ended := emptyLeaf(t)
	registry := NewRegistry(Config{Clusters: map[string]access.Credentials{"rome": credentials}, LiqoNamespace: "liqo"})
	t.Cleanup(registry.Close) // before the server, which waits for its connections
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
