package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	ipamv1alpha1 "github.com/liqotech/liqo/apis/ipam/v1alpha1"
	"github.com/liqotech/liqo/pkg/consts"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/leafmesh/terraform-provider-liqo/internal/access"
)

// distant is the way to a distant leaf, instead of a network. Its API server answers at once. So the time that
// something takes is that of the requests that waited for each other.
type distant struct {
	roundTrip time.Duration
	objects   map[string][]metav1.Object // by the resource

	mu    sync.Mutex
	asked []string // the resource of each request, or its name if it is for one object
}

// newDistant returns the way to a leaf with a cluster ID and address ranges, and nothing else.
func newDistant(id string, roundTrip time.Duration) *distant {
	network := func(name string) metav1.Object {
		return &ipamv1alpha1.Network{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: "liqo", Name: name, Labels: map[string]string{consts.NetworkTypeLabelKey: name},
			},
			Status: ipamv1alpha1.NetworkStatus{CIDR: "10.1.0.0/16"},
		}
	}
	return &distant{roundTrip: roundTrip, objects: map[string][]metav1.Object{
		"configmaps": {&corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Namespace: "liqo", Name: "id", Labels: map[string]string{
				consts.K8sAppNameKey: consts.ClusterIDConfigMapNameLabelValue,
			}},
			Data: map[string]string{consts.ClusterIDConfigMapKey: id},
		}},
		"networks": {network(string(consts.NetworkTypePodCIDR)), network(string(consts.NetworkTypeExternalCIDR))},
	}}
}

// RoundTrip implements [http.RoundTripper].
func (d *distant) RoundTrip(request *http.Request) (*http.Response, error) {
	resource := path.Base(request.URL.Path)
	d.mu.Lock()
	d.asked = append(d.asked, resource)
	d.mu.Unlock()
	if trace := httptrace.ContextClientTrace(request.Context()); trace != nil && trace.WroteHeaders != nil {
		trace.WroteHeaders() // as a connection does
	}
	select {
	case <-time.After(d.roundTrip):
	case <-request.Context().Done():
		return nil, request.Context().Err()
	}
	if request.URL.Query().Get("watch") == "true" {
		return answerTo(request, d.watch(request, resource)), nil
	}
	content, err := json.Marshal(d.read(request, resource))
	return answerTo(request, io.NopCloser(bytes.NewReader(content))), err
}

func answerTo(request *http.Request, body io.ReadCloser) *http.Response {
	header := http.Header{"Content-Type": {"application/json"}}
	return &http.Response{StatusCode: http.StatusOK, Header: header, Body: body, Request: request}
}

// read answers with the objects that the request selects by their labels, or with the one that it names.
func (d *distant) read(request *http.Request, resource string) any {
	for _, named := range d.objects[path.Base(path.Dir(request.URL.Path))] {
		if named.GetName() == resource {
			return named
		}
	}
	selector, err := labels.Parse(request.URL.Query().Get("labelSelector"))
	if err != nil {
		return err.Error() // which the client can't read
	}
	selected := slices.DeleteFunc(append([]metav1.Object{}, d.objects[resource]...), func(object metav1.Object) bool {
		return !selector.Matches(labels.Set(object.GetLabels()))
	})
	return map[string]any{"metadata": map[string]any{"resourceVersion": "1"}, "items": selected}
}

// watch answers that there is nothing, and then nothing happens.
func (d *distant) watch(request *http.Request, resource string) io.ReadCloser {
	group := strings.TrimPrefix(path.Dir(request.URL.Path), "/apis/")
	kind := map[string]string{
		"configurations": "Configuration", "gatewayservers": "GatewayServer", "gatewayclients": "GatewayClient",
		"publickeies": "PublicKey", "connections": "Connection", "foreignclusters": "ForeignCluster",
	}[resource]
	reading, writing := io.Pipe()
	go func() {
		_, _ = fmt.Fprintf(writing, `{"type":"BOOKMARK","object":{"apiVersion":%q,"kind":%q,"metadata":{`+
			`"resourceVersion":"1","annotations":{%q:"true"}}}}`, group, kind, metav1.InitialEventsAnnotationKey)
		<-request.Context().Done()
		_ = writing.Close()
	}()
	return reading
}

// registryAt returns a registry of Rome at this distance, and the way to it.
func registryAt(t *testing.T, roundTrip time.Duration) (*Registry, *distant) {
	t.Helper()
	way := newDistant("rome", roundTrip)
	clusters := map[string]access.Credentials{"rome": {Host: "https://rome"}}
	return registryOver(t, map[string]*distant{"rome": way}, clusters), way
}

// timed returns how long something takes by the clock of the bubble, to within the time that a poll may add.
func timed(t *testing.T, do func() error) time.Duration {
	t.Helper()
	began := time.Now()
	must(t, do())
	return time.Since(began).Truncate(time.Second)
}

// leafAfter returns a leaf, and after what time.
func leafAfter(t *testing.T, registry *Registry, name string) (*Leaf, time.Duration) {
	t.Helper()
	var leaf *Leaf
	took := timed(t, func() (err error) { leaf, err = registry.Leaf(t.Context(), name); return err })
	return leaf, took
}

// registryOver returns a registry of clusters to which these ways lead, by the host. It ends with the test, which is a
// bubble of testing/synctest.
func registryOver(t *testing.T, ways map[string]*distant, clusters map[string]access.Credentials) *Registry {
	t.Helper()
	prefetch := func(ctx context.Context, leaf *Leaf) { _ = leaf.clients.Live.List(ctx, &ipamv1alpha1.NetworkList{}) }
	registry := NewRegistry(Config{Clusters: clusters, LiqoNamespace: "liqo", Prefetch: prefetch})
	registry.wrap = func(http.RoundTripper) http.RoundTripper { return byHost(ways) }
	t.Cleanup(func() {
		registry.Close()
		synctest.Wait()
	})
	return registry
}

// byHost are the ways to several leaves.
type byHost map[string]*distant

// RoundTrip implements [http.RoundTripper].
func (ways byHost) RoundTrip(request *http.Request) (*http.Response, error) {
	return ways[request.URL.Hostname()].RoundTrip(request)
}

func TestConnectingWaitsForOneRoundTrip(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry, way := registryAt(t, time.Second)
		if _, took := leafAfter(t, registry, "rome"); took != time.Second {
			t.Errorf("it waited for %d round trips: %q", took/time.Second, way.asked)
		}
		if len(way.asked) != 7 {
			t.Errorf("the requests are not one for the ID, one to read ahead and one a cache: %q", way.asked)
		}
	})
}

func TestAQuestionWaitsForNoRoundTripAfterTheConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry, _ := registryAt(t, time.Second)
		var networks ipamv1alpha1.NetworkList
		took := timed(t, func() error {
			leaf, err := registry.Ask(t.Context(), "rome", func(ctx context.Context, leaf *Leaf) error {
				return leaf.clients.Live.List(ctx, &networks)
			})
			if err == nil && leaf.ID != "rome" {
				t.Errorf("the leaf has the ID %q", leaf.ID)
			}
			return err
		})
		if took != time.Second || len(networks.Items) != 2 {
			t.Errorf("the answer %v took %s, and not one round trip", networks.Items, took)
		}
	})
}

func TestAQuestionEndsWithTheConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry, way := registryAt(t, time.Second)
		way.objects["configmaps"] = nil // so there is no Liqo
		began := time.Now()
		_, err := registry.Ask(t.Context(), "rome", func(ctx context.Context, _ *Leaf) error {
			<-ctx.Done()
			return errors.New("it was ended")
		})
		if took := time.Since(began); !NoLiqo(err) || took != time.Second {
			t.Errorf("after %s: %v", took, err)
		}
	})
}

func TestAFailedQuestionIsAnErrorButTheConnectionStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry, way := registryAt(t, time.Second)
		forbidden := errors.New("not for you")
		_, err := registry.Ask(t.Context(), "rome", func(context.Context, *Leaf) error { return forbidden })
		if !errors.Is(err, forbidden) {
			t.Errorf("the error is %v", err)
		}
		if leaf, err := registry.Leaf(t.Context(), "rome"); err != nil || leaf.ID != "rome" {
			t.Errorf("then the leaf is %v (%v)", leaf, err)
		}
		if len(way.asked) != 7 {
			t.Errorf("it connected twice: %q", way.asked)
		}
	})
}

func TestTheReadingOfADocumentEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry, way := registryAt(t, time.Second)
		leaf, _ := leafAfter(t, registry, "rome")
		way.roundTrip = time.Hour // from now on it swallows requests
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		began := time.Now()
		if _, err := leaf.KubernetesVersion(ctx); !errors.Is(err, context.DeadlineExceeded) ||
			time.Since(began) > 3*time.Second {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
	})
}

func TestTheFirstReadingOfACacheWaitsForOneRoundTrip(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const roundTrip = 210 * time.Millisecond
		registry, _ := registryAt(t, roundTrip)
		leaf, _ := leafAfter(t, registry, "rome")
		began := time.Now()
		must(t, leaf.clients.Cached.List(t.Context(), &liqov1beta1.ForeignClusterList{}))
		if took := time.Since(began); took > roundTrip+syncPeriod {
			t.Errorf("it waited for %s", took)
		}
	})
}

func TestASlowLeafSlowsNoOtherLeaf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ways, clusters := map[string]*distant{}, map[string]access.Credentials{}
		for i := range 10 {
			name := fmt.Sprint("leaf-", i)
			ways[name], clusters[name] = newDistant(name, time.Second), access.Credentials{Host: "https://" + name}
		}
		ways["leaf-0"].roundTrip = 12 * time.Second
		registry := registryOver(t, ways, clusters)
		var connecting sync.WaitGroup
		for name, way := range ways {
			connecting.Go(func() {
				if _, took := leafAfter(t, registry, name); took != way.roundTrip {
					t.Errorf("%s is connected after %s, and not after %s", name, took, way.roundTrip)
				}
			})
		}
		connecting.Wait()
	})
}

func TestASearchByIDWaitsOnlyForTheLeafItIsFor(t *testing.T) {
	ways := map[string]*distant{
		"rome": newDistant("rome", time.Second), "vpn": newDistant("rome", 12*time.Second),
		"milan": newDistant("milan", 12*time.Second),
	}
	for name, test := range map[string]struct {
		others map[string]string // the hosts of other clusters than rome, by name
		found  string
	}{
		"and not for a slow one":       {map[string]string{"milan": "milan"}, "rome"},
		"and not for its slow way":     {map[string]string{"by-vpn": "vpn"}, "rome"},
		"under the first of its names": {map[string]string{"capital": "rome", "roma": "rome"}, "capital"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				clusters := map[string]access.Credentials{"rome": {Host: "https://rome"}}
				for other, host := range test.others {
					clusters[other] = access.Credentials{Host: "https://" + host}
				}
				registry := registryOver(t, ways, clusters)
				leafAfter(t, registry, "rome") // so its name is the first to answer
				var leaf *Leaf
				took := timed(t, func() (err error) { leaf, err = registry.LeafByID(t.Context(), "rome"); return err })
				if leaf.Name != test.found || took > time.Second {
					t.Errorf("it is %s after %s, and not %s", leaf.Name, took, test.found)
				}
			})
		})
	}
}
