package clustertest

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"testing"
	"time"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	restfake "k8s.io/client-go/rest/fake"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// RoundTrip is how long each request to a [Distant] leaf takes.
const RoundTrip = 100 * time.Millisecond

// Distant makes a leaf distant: each request to its API server takes one [RoundTrip]. Its caches are filled, except
// that of the ForeignClusters, which is filled when it is first read. In a bubble of testing/synctest, where nothing
// else takes any time, the time that something takes is the number of round trips that it waits for: of the requests
// that it makes one after the other. The test's log has them.
func Distant(tb testing.TB, leaf *cluster.Leaf) *cluster.Leaf {
	tb.Helper()
	w := &way{tb: tb, leaf: leaf.Name, scheme: leaf.Live.Scheme(), began: time.Now(), filled: make(chan struct{})}
	leaf.Live = interceptor.NewClient(leaf.Live, interceptor.Funcs{
		Get: w.get, List: w.list, Watch: w.watch,
		Create: w.create, Update: w.update, Patch: w.patch, Apply: w.apply, Delete: w.delete,
	})
	cached := leaf.Cached.(client.WithWatch) //nolint:errcheck,forcetypeassert // see Leaf
	leaf.Cached = interceptor.NewClient(cached, interceptor.Funcs{List: w.listCached})
	served := leaf.Discovery
	leaf.Discovery = func(ctx context.Context) (discovery.DiscoveryInterface, error) {
		near, err := served(ctx)
		return distantDiscovery{near, w, ctx}, err
	}
	return leaf
}

// way is the way to a [Distant] leaf.
type way struct {
	tb     testing.TB
	leaf   string
	scheme *runtime.Scheme
	began  time.Time

	first  sync.Once     // reading of the ForeignClusters
	filled chan struct{} // closed when their cache is filled
}

// travel returns after a round trip, or with the context's error.
func (w *way) travel(ctx context.Context, verb string, what any) error {
	name := fmt.Sprintf("%T", what)
	if object, ok := what.(runtime.Object); ok {
		if kind, err := apiutil.GVKForObject(object, w.scheme); err == nil {
			name = kind.Kind
		}
	}
	if address, ok := what.(*url.URL); ok {
		name = address.Path
	}
	w.tb.Logf("after %.0f round trips: %s: %s %s", time.Since(w.began).Seconds()/RoundTrip.Seconds(), w.leaf, verb, name)
	select {
	case <-time.After(RoundTrip):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w *way) get(
	ctx context.Context, c client.WithWatch, key client.ObjectKey, object client.Object, options ...client.GetOption,
) error {
	if err := w.travel(ctx, "get", object); err != nil {
		return err
	}
	return c.Get(ctx, key, object, options...)
}

func (w *way) list(
	ctx context.Context, c client.WithWatch, list client.ObjectList, options ...client.ListOption,
) error {
	if err := w.travel(ctx, "list", list); err != nil {
		return err
	}
	return c.List(ctx, list, options...)
}

func (w *way) watch(
	ctx context.Context, c client.WithWatch, list client.ObjectList, options ...client.ListOption,
) (watch.Interface, error) {
	if err := w.travel(ctx, "watch", list); err != nil {
		return nil, err
	}
	return c.Watch(ctx, list, options...)
}

func (w *way) create(
	ctx context.Context, c client.WithWatch, object client.Object, options ...client.CreateOption,
) error {
	if err := w.travel(ctx, "create", object); err != nil {
		return err
	}
	return c.Create(ctx, object, options...)
}

func (w *way) update(
	ctx context.Context, c client.WithWatch, object client.Object, options ...client.UpdateOption,
) error {
	if err := w.travel(ctx, "update", object); err != nil {
		return err
	}
	return c.Update(ctx, object, options...)
}

func (w *way) patch(
	ctx context.Context, c client.WithWatch, object client.Object, patch client.Patch, options ...client.PatchOption,
) error {
	if err := w.travel(ctx, "patch", object); err != nil {
		return err
	}
	return c.Patch(ctx, object, patch, options...)
}

func (w *way) apply(
	ctx context.Context, c client.WithWatch, intent runtime.ApplyConfiguration, options ...client.ApplyOption,
) error {
	if err := w.travel(ctx, "apply", intent); err != nil {
		return err
	}
	return c.Apply(ctx, intent, options...)
}

func (w *way) delete(
	ctx context.Context, c client.WithWatch, object client.Object, options ...client.DeleteOption,
) error {
	if err := w.travel(ctx, "delete", object); err != nil {
		return err
	}
	return c.Delete(ctx, object, options...)
}

// listCached reads a cache. The first reading of the ForeignClusters fills theirs, and others wait for it.
func (w *way) listCached(
	ctx context.Context, c client.WithWatch, list client.ObjectList, options ...client.ListOption,
) error {
	if _, late := list.(*liqov1beta1.ForeignClusterList); late {
		w.first.Do(func() {
			go func() {
				defer close(w.filled)
				_ = w.travel(context.WithoutCancel(ctx), "watch", list)
			}()
		})
		<-w.filled
	}
	return c.List(ctx, list, options...)
}

// distantDiscovery delays what a [Distant] leaf serves.
type distantDiscovery struct {
	discovery.DiscoveryInterface

	way *way
	ctx context.Context // its methods have none
}

// ServerVersion implements [discovery.DiscoveryInterface].
func (d distantDiscovery) ServerVersion() (*version.Info, error) {
	if err := d.way.travel(d.ctx, "get", version.Info{}); err != nil {
		return nil, err
	}
	return d.DiscoveryInterface.ServerVersion()
}

// ServerResourcesForGroupVersion implements [discovery.DiscoveryInterface].
func (d distantDiscovery) ServerResourcesForGroupVersion(groupVersion string) (*metav1.APIResourceList, error) {
	if err := d.way.travel(d.ctx, "get", &metav1.APIResourceList{}); err != nil {
		return nil, err
	}
	return d.DiscoveryInterface.ServerResourcesForGroupVersion(groupVersion)
}

// RESTClient implements [discovery.DiscoveryInterface]. The leaf's own client is one of [restClient].
func (d distantDiscovery) RESTClient() rest.Interface {
	near := d.DiscoveryInterface.RESTClient().(*restfake.RESTClient) //nolint:errcheck,forcetypeassert // see withSchemas
	return restClient(func(request *http.Request) (*http.Response, error) {
		if err := d.way.travel(request.Context(), "get", request.URL); err != nil {
			return nil, err
		}
		return near.Client.Transport.RoundTrip(request)
	})
}
