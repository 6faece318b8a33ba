package cluster_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

var (
	secrets    = schema.GroupResource{Resource: "secrets"}
	secretKind = corev1.SchemeGroupVersion.WithKind("Secret")

	forbidden = apierrors.NewForbidden(secrets, "keys", errors.New("not allowed"))
	// unknownKind is what an API server answers that does not know the kind yet.
	unknownKind = apierrors.NewGenericServerResponse(
		http.StatusNotFound, "get", secrets, "keys", "404 page not found", 0, true)
	refusedConnection = &url.Error{Op: "Get", URL: "https://rome.example:6443/api", Err: syscall.ECONNREFUSED}
)

// transient are failures that a wait survives.
var transient = map[string]error{
	"expired credentials":             apierrors.NewUnauthorized("expired"),
	"permissions that are not loaded": forbidden,
	"kinds that are not loaded":       unknownKind,
	"too many requests":               apierrors.NewTooManyRequests("later", 1),
	"an internal error":               apierrors.NewInternalError(errors.New("etcd has no leader")),
	"a proxy without an API server":   apierrors.NewServiceUnavailable("no endpoints"),
	"a refused connection":            refusedConnection,
}

// failing is a leaf whose API server fails requests.
type failing struct {
	*cluster.Leaf
	requests atomic.Int32 // all of them
	get      atomic.Pointer[error]
	watch    atomic.Pointer[error]
	cut      atomic.Bool // ends each watch at once
}

// failingLeaf returns a leaf with this object, which fails no request yet.
func failingLeaf(t *testing.T, object client.Object) *failing {
	t.Helper()
	f := &failing{Leaf: clustertest.Leaf(t, "rome", object)}
	clustertest.On(f.Leaf, "get", func(call clustertest.Call[any]) error {
		f.requests.Add(1)
		if err := f.get.Load(); err != nil {
			return *err
		}
		return call.Send()
	})
	watching(f.Leaf, func(_ client.ListOptions, send func() (watch.Interface, error)) (watch.Interface, error) {
		f.requests.Add(1)
		if err := f.watch.Load(); err != nil {
			return nil, *err
		}
		if f.cut.Load() {
			return watch.NewEmptyWatch(), nil // closed
		}
		return send()
	})
	return f
}

// watching answers the watches of a leaf.
func watching(
	leaf *cluster.Leaf, answer func(client.ListOptions, func() (watch.Interface, error)) (watch.Interface, error),
) {
	leaf.Clients().Live = interceptor.NewClient(leaf.Clients().Live, interceptor.Funcs{
		Watch: func(ctx context.Context, c client.WithWatch, list client.ObjectList, options ...client.ListOption,
		) (watch.Interface, error) {
			return answer(*(&client.ListOptions{}).ApplyOptions(options), func() (watch.Interface, error) {
				return c.Watch(ctx, list, options...)
			})
		},
	})
}

// untilGone waits for the deletion of the keys in the background.
func untilGone(ctx context.Context, leaf *cluster.Leaf) <-chan error {
	ended := make(chan error, 1)
	go func() { ended <- leaf.UntilGone(ctx, secretKind, client.ObjectKeyFromObject(keys())) }()
	return ended
}

func keys() *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "keys"}}
}

func TestAWaitForADeletionSurvivesFailuresOfTheAPIServer(t *testing.T) {
	for name, failure := range transient {
		for request, fails := range map[string]func(*failing) *atomic.Pointer[error]{
			"read":  func(f *failing) *atomic.Pointer[error] { return &f.get },
			"watch": func(f *failing) *atomic.Pointer[error] { return &f.watch },
		} {
			t.Run(name+", "+request, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					leaf := failingLeaf(t, keys())
					fails(leaf).Store(&failure)
					ended := untilGone(t.Context(), leaf.Leaf)
					<-time.After(5 * time.Second) // of the test's own clock
					fails(leaf).Store(nil)
					<-time.After(10 * time.Second)
					synctest.Wait()
					select {
					case err := <-ended:
						t.Fatalf("the wait has ended, but the object exists: %v", err)
					default:
					}
					must(t, leaf.Clients().Live.Delete(t.Context(), keys()))
					must(t, <-ended)
				})
			})
		}
	}
}

// kindless makes the objects that watches deliver look like those of a real API server: the client knows their kind, so
// it leaves it out.
func kindless(event watch.Event) (watch.Event, bool) {
	event.Object = event.Object.DeepCopyObject()
	event.Object.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	return event, true
}

func TestAWaitForADeletionGoesOnAfterAWatchThatHasDeliveredTheObject(t *testing.T) {
	leaf := clustertest.Leaf(t, "rome", keys())
	watches := make(chan *watch.FakeWatcher, 2)
	watching(leaf, func(client.ListOptions, func() (watch.Interface, error)) (watch.Interface, error) {
		changes := watch.NewFake()
		watches <- changes
		return watch.Filter(changes, kindless), nil
	})
	ended := untilGone(t.Context(), leaf)
	changes := <-watches
	changes.Modify(&metav1.PartialObjectMetadata{ObjectMeta: keys().ObjectMeta})
	changes.Stop() // as an API server does that restarts
	must(t, leaf.Clients().Live.Delete(t.Context(), keys()))
	must(t, <-ended)
}

func TestAWaitDoesNotFloodAnAPIServerThatFailsOrCutsWatches(t *testing.T) {
	for name, fail := range map[string]func(*failing){
		"watches that are closed at once": func(f *failing) { f.cut.Store(true) },
		"refused connections":             func(f *failing) { f.get.Store(new(error(refusedConnection))) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				leaf := failingLeaf(t, keys())
				fail(leaf)
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
				defer cancel()
				if err := <-untilGone(ctx, leaf.Leaf); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("got: %v", err)
				}
				const atMost = 3 * 10 * 60 / 5 // two reads and a watch every 5 seconds
				if requests := leaf.requests.Load(); requests < 100 || requests > atMost+30 {
					t.Errorf("%d requests in ten minutes", requests)
				}
			})
		})
	}
}

func TestAWaitThatRunsOutOfTimeHasTheLastFailureUnlessItWorkedUntilItsEnd(t *testing.T) {
	for name, works := range map[string]bool{"failing": false, "working": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				leaf := failingLeaf(t, keys())
				leaf.get.Store(new(error(refusedConnection)))
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				ended := untilGone(ctx, leaf.Leaf)
				<-time.After(10 * time.Second)
				if works {
					leaf.get.Store(nil)
				}
				err := <-ended
				late, failed := errors.AsType[*cluster.WaitError](err)
				if !errors.Is(err, context.DeadlineExceeded) || failed == works {
					t.Fatalf("got: %v", err)
				}
				if failed && !cluster.Unreachable(late.Last) {
					t.Errorf("the last failure is %v", late.Last)
				}
				if failed {
					clustertest.Has(t, err.Error(), `leaf "rome": the API server can't be reached: rome.example:6443`)
				}
			})
		})
	}
}

func TestARefusalIsBelievedAfterASoberTime(t *testing.T) {
	for name, refusal := range map[string]error{
		"a missing permission": forbidden, "credentials": apierrors.NewUnauthorized("no"), "an unknown kind": unknownKind,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				leaf := failingLeaf(t, keys())
				leaf.watch.Store(&refusal)
				began := time.Now()
				err := <-untilGone(t.Context(), leaf.Leaf)
				if explained, ok := errors.AsType[*cluster.Error](err); !ok || !errors.Is(explained, refusal) {
					t.Errorf("got: %v", err)
				}
				if took := time.Since(began); took < 15*time.Second || took > 21*time.Second {
					t.Errorf("it took %s", took)
				}
			})
		})
	}
}

func TestAWaitOnTheCacheSurvivesFailedRequestsOfItsCondition(t *testing.T) {
	for name, failure := range transient {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				leaf := clustertest.Leaf(t, "rome")
				attempts := 0
				err := leaf.Until(t.Context(), "milan", func(context.Context) (bool, error) {
					attempts++
					if attempts <= 3 {
						return false, leaf.Explain(failure)
					}
					return true, nil
				}, &networkingv1beta1.Configuration{})
				if err != nil || attempts != 4 {
					t.Errorf("%d attempts: %v", attempts, err)
				}
			})
		})
	}
}

func TestAWriteIsRepeatedForAMinuteUnlessItIsRefused(t *testing.T) {
	conflict := apierrors.NewConflict(secrets, "keys", errors.New("the object has been modified"))
	for name, test := range map[string]struct {
		err   error
		times int           // that it fails; zero for ever
		took  time.Duration // until the write fails, about
	}{
		"a refused connection": {refusedConnection, 4, 0}, "a conflict": {conflict, 4, 0},
		"an internal error": {transient["an internal error"], 4, 0},
		"an outage":         {refusedConnection, 0, time.Minute}, "a missing permission": {forbidden, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				requests, began := 0, time.Now()
				err := clustertest.Leaf(t, "rome").Persist(t.Context(), func() error {
					if requests++; test.times > 0 && requests > test.times {
						return nil
					}
					return test.err
				})
				if test.times > 0 {
					if err != nil || requests != test.times+1 {
						t.Errorf("%d requests: %v", requests, err)
					}
					return
				}
				explained, ok := errors.AsType[*cluster.Error](err)
				if late := time.Since(began) - test.took; !ok || explained.Leaf != "rome" || late < 0 || late > 5*time.Second {
					t.Errorf("after %s: %v", time.Since(began), err)
				}
			})
		})
	}
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
