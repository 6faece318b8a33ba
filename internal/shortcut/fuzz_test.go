package shortcut

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// answers is an API server that answers each LIST with the body for the resource, each GET with the object of that
// list, and everything else with 404.
type answers map[string]string // keyed by the resource

// RoundTrip implements [http.RoundTripper].
func (a answers) RoundTrip(request *http.Request) (*http.Response, error) {
	path := strings.Split(request.URL.Path, "/")
	last := path[len(path)-1]
	status, body := http.StatusOK, a[last]
	if body == "" {
		body = a.object(path[len(path)-2], last)
	}
	if body == "" {
		status, body = http.StatusNotFound, `{"kind":"Status","apiVersion":"v1","reason":"NotFound","code":404}`
	}
	return &http.Response{
		StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}}, Request: request,
		Body: io.NopCloser(strings.NewReader(body)),
	}, nil
}

// object returns an object of a list, or nothing if the list does not have it.
func (a answers) object(resource, name string) string {
	var list struct {
		Items []json.RawMessage `json:"items"`
	}
	_ = json.Unmarshal([]byte(a[resource]), &list) // anything else has no objects
	for _, item := range list.Items {
		var object metav1.PartialObjectMetadata
		if json.Unmarshal(item, &object) == nil && object.Name == name {
			return string(item)
		}
	}
	return ""
}

// answering returns a leaf like another one, but its API server gives these answers, also to what a leaf usually reads
// from its caches.
func (a answers) answering(tb testing.TB, like *cluster.Leaf) *cluster.Leaf {
	tb.Helper()
	c, err := client.NewWithWatch(&rest.Config{Host: "https://" + like.Name, Transport: a, QPS: -1},
		client.Options{Scheme: like.Scheme(), Mapper: like.Clients().Live.RESTMapper()})
	must(tb, err)
	clients := cluster.Clients{Cached: c, Live: c, Documents: like.Clients().Documents}
	return cluster.New(like.Name, like.ID, like.LiqoNamespace, clients, like.Events)
}

// listed returns a list of these objects in JSON, as an API server answers.
func listed(tb testing.TB, kind string, objects ...client.Object) string {
	tb.Helper()
	items, err := json.Marshal(objects)
	must(tb, err)
	return fmt.Sprintf(`{"kind":%q,"apiVersion":%q,"metadata":{"resourceVersion":"1"},"items":%s}`,
		kind+"List", networkingv1beta1.GroupVersion, items)
}

// FuzzAnswers reads a network from a leaf whose API server answers anything.
func FuzzAnswers(f *testing.F) {
	remapped := clustertest.Remapped("milan", "10.1.0.0/16", "10.71.0.0/16")
	second := remapped.DeepCopy()
	second.Namespace, second.Name = "elsewhere", "another"
	gateway, connection := clustertest.GatewayClient("milan"), clustertest.Connection("milan", networkingv1beta1.Connected)
	gateway.UID = "gateway"
	whole := []string{
		listed(f, "Configuration", remapped), listed(f, "GatewayServer"), listed(f, "GatewayClient", gateway),
		listed(f, "Connection", connection),
	}
	add := func(bodies ...string) { f.Add(bodies[0], bodies[1], bodies[2], bodies[3]) }
	add(whole...)
	for _, configurations := range []string{
		listed(f, "Configuration", remapped, second),                           // two of a pair
		listed(f, "Configuration", &networkingv1beta1.Configuration{}),         // empty
		listed(f, "Configuration", clustertest.Configuration("milan")),         // without a status
		listed(f, "Configuration", clustertest.Configuration("milan"), second), // one with, one without
	} {
		add(configurations, whole[1], whole[2], whole[3])
	}
	add(whole[0], listed(f, "GatewayServer", clustertest.GatewayServer("milan", 51840)), whole[2], whole[3]) // both roles
	add(whole[0], whole[1], listed(f, "GatewayClient", &networkingv1beta1.GatewayClient{}), whole[3])
	add(whole[0], whole[1], whole[2], listed(f, "Connection", &networkingv1beta1.Connection{}))
	for i := range whole {
		for _, broken := range []string{
			whole[i][:len(whole[i])/2], "", "null", "[]", "{}", `"`, `{"items":[null]}`, `{"items":[{}]}`, `{"items":7}`,
			strings.ReplaceAll(whole[i], `"spec":{`, `"unknown":[],"spec":{"unknown":1,`),
			strings.ReplaceAll(whole[i], `"spec":{`, `"spec":7,"other":{`),
			strings.ReplaceAll(whole[i], `"status":{`, `"status":null,"other":{`),
			strings.ReplaceAll(whole[i], `.0.0/16"`, `"`),
		} {
			bodies := append([]string(nil), whole...)
			bodies[i] = broken
			add(bodies...)
		}
	}
	usual := clustertest.Leaf(f, "rome")
	milan := clustertest.Leaf(f, "milan", append(ranges("10.0.0.0/16"), clustertest.ServerEnd("rome", up)...)...)
	f.Fuzz(func(t *testing.T, configurations, servers, clients, connections string) {
		rome := answers{
			networkingv1beta1.ConfigurationResource: configurations, networkingv1beta1.GatewayServerResource: servers,
			networkingv1beta1.GatewayClientResource: clients, networkingv1beta1.ConnectionResource: connections,
			networkingv1beta1.PublicKeyResource: `{"items":[]}`, "foreignclusters": `{"items":[]}`,
			"namespaces": `{"items":[]}`, "pods": `{"items":[]}`, "networks": `{"items":[]}`,
		}.answering(t, usual)
		s := New(rome, milan).OwnedBy(me)
		_, observed := s.Observe(t.Context())
		_, inspected := s.Inspect(t.Context())
		_, lost := s.lost(t.Context())
		_, announced := s.Announce(t.Context(), s.Client, end.Announcement{})
		_, overlaps := s.Overlaps(t.Context(), [2]liqo.Ranges{})
		for what, err := range map[string]error{
			"observe": observed, "inspect": inspected, "lost": lost, "announce": announced,
			"overlaps": overlaps, "why down": s.whyDown(t),
		} {
			if text := explain.Summary(err) + explain.Detail(err); err != nil && !strings.Contains(err.Error(), `"rome"`) {
				t.Errorf("%s does not name the leaf: %v\n%s", what, err, text)
			}
		}
	})
}

// whyDown returns the problem of a tunnel that is down as an error, or nil if none is found.
func (s *Shortcut) whyDown(t *testing.T) error {
	t.Helper()
	if problem := s.WhyDown(t.Context()); problem != nil {
		return problem
	}
	return nil
}
