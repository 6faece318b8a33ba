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
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

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
	w := &way{tb: tb, leaf: leaf.Name, scheme: leaf.Scheme(), began: time.Now(), filled: make(chan struct{})}
	On(leaf, "get list watch create update patch apply delete", func(call Call[any]) error {
		if err := w.travel(call.Context, call.Verb, call.Object); err != nil {
			return err
		}
		return call.Send()
	})
	OnCached(leaf, "list", w.listForeignClusters)
	near := leaf.Clients().Documents.(*rest.RESTClient) //nolint:errcheck,forcetypeassert // see AnsweredBy
	leaf.Clients().Documents = AnsweredBy(func(request *http.Request) (*http.Response, error) {
		if err := w.travel(request.Context(), "get", request.URL); err != nil {
			return nil, err
		}
		return near.Client.Transport.RoundTrip(request)
	})
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

// listForeignClusters reads the cache of the ForeignClusters. The first reading fills it, and others wait for it.
func (w *way) listForeignClusters(call Call[*liqov1beta1.ForeignClusterList]) error {
	w.first.Do(func() {
		go func() {
			defer close(w.filled)
			_ = w.travel(context.WithoutCancel(call.Context), "watch", call.Object)
		}()
	})
	<-w.filled
	return call.Send()
}
