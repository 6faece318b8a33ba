package inspect

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/labdir"
)

// etcdWith returns an etcd with these keys, which it only returns all together.
func etcdWith(t *testing.T, keys ...string) labdir.Etcd {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request struct {
			Key      []byte `json:"key"`
			RangeEnd []byte `json:"range_end"`
			KeysOnly bool   `json:"keys_only"`
		}
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil || r.URL.Path != "/v3/kv/range" || !request.KeysOnly {
			http.Error(w, "not a range of keys", http.StatusBadRequest)
			return
		}
		kvs := []map[string][]byte{}
		for _, key := range keys {
			if key >= string(request.Key) && key < string(request.RangeEnd) {
				kvs = append(kvs, map[string][]byte{"key": []byte(key)})
			}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"kvs": kvs}) // to a client that is there
	}))
	t.Cleanup(server.Close)
	return labdir.Etcd{Address: server.URL}
}

func TestTheInventoryHasALineForEachObjectInEachCluster(t *testing.T) {
	got, err := Inventory(t.Context(), []labdir.Cluster{
		{Name: "rome", Etcd: etcdWith(t,
			"/registry/minions/rome-node", "/registry/services/specs/default/kubernetes",
			"/registry/services/endpoints/default/kubernetes", "/registry/pods/liqo/x", "/registry/events/liqo/x.1",
			"/registry/leases/liqo/x", "/registry/ranges/serviceips", "compact_rev_key",
			"/registry/apiextensions.k8s.io/customresourcedefinitions/connections.networking.liqo.io",
		)},
		{Name: "milan", Etcd: etcdWith(t, "/registry/networking.liqo.io/connections/liqo-tenant-rome/gw-rome")},
	})
	want := []string{
		"milan networking.liqo.io/connections liqo-tenant-rome/gw-rome",
		"rome apiextensions.k8s.io/customresourcedefinitions connections.networking.liqo.io",
		"rome endpoints default/kubernetes",
		"rome nodes rome-node",
		"rome pods liqo/x",
		"rome services default/kubernetes",
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v\n%s", err, strings.Join(got, "\n"))
	}
}

func TestAnInventoryOfAClusterThatDoesNotAnswerIsAnError(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	_, err := Inventory(t.Context(), []labdir.Cluster{{Name: "rome", Etcd: labdir.Etcd{Address: server.URL}}})
	if err == nil || err.Error() != "cluster rome: etcd: 404 Not Found: 404 page not found" {
		t.Error(err)
	}
}

func TestOnlyWhatLiqoKeepsForGoodIsLeftOutOfTheInventory(t *testing.T) {
	for key, left := range map[string]bool{
		"/registry/networking.liqo.io/routeconfigurations/liqo/rome-node-gw-node":                  true,
		"/registry/networking.liqo.io/routeconfigurations/liqo/rome-node-extcidr":                  true,
		"/registry/networking.liqo.io/routeconfigurations/liqo/rome-node-service-nodeport-routing": true,
		"/registry/networking.liqo.io/routeconfigurations/liqo/rome-node-2-gw-node":                true,
		"/registry/networking.liqo.io/routeconfigurations/liqo/rome-node-3-gw-node":                false,
		"/registry/networking.liqo.io/firewallconfigurations/liqo/service-nodeport-routing":        true,
		"/registry/networking.liqo.io/firewallconfigurations/liqo/gw-mss-clamping":                 false,
		"/registry/networking.liqo.io/routeconfigurations/liqo-tenant-milan/rome-node-gw-node":     false,
		"/registry/networking.liqo.io/routeconfigurations/liqo/milan-node-gw-node":                 false,
		"/registry/networking.liqo.io/connections/liqo/service-nodeport-routing":                   false,
		"/registry/firewallconfigurations/liqo/service-nodeport-routing":                           false,
	} {
		if got := objectOf(key).leftByLiqo([]labdir.Node{{Name: "rome-node"}, {Name: "rome-node-2"}}); got != left {
			t.Errorf("%s: %v", key, got)
		}
	}
}

func TestADifferenceNamesWhatOneInventoryHasAndTheOtherHasNot(t *testing.T) {
	tests := map[string]struct{ before, after, lines []string }{
		"both empty":   {},
		"the same":     {before: []string{"a", "b"}, after: []string{"a", "b"}},
		"first":        {after: []string{"a"}, lines: []string{"+ a"}},
		"last":         {before: []string{"a"}, lines: []string{"- a"}},
		"in between":   {before: []string{"a", "c"}, after: []string{"a", "b", "c"}, lines: []string{"+ b"}},
		"both":         {before: []string{"a", "b"}, after: []string{"b", "c"}, lines: []string{"+ c", "- a"}},
		"in any order": {before: []string{"b", "a"}, after: []string{"c", "b"}, lines: []string{"+ c", "- a"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := Compare(test.before, test.after)
			if !slices.Equal(got.Lines(), test.lines) || got.Empty() != (len(test.lines) == 0) {
				t.Errorf("got %+v, want %q", got, test.lines)
			}
		})
	}
}

const auditLog = `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","stage":"RequestReceived",` +
	`"requestURI":"/apis/networking.liqo.io/v1beta1/configurations?limit=500","verb":"list",` +
	`"user":{"username":"operator"},"objectRef":{"resource":"configurations","apiGroup":"networking.liqo.io",` +
	`"apiVersion":"v1beta1"}}
{"stage":"RequestReceived","requestURI":"/apis/networking.liqo.io/v1beta1/configurations?watch=true","verb":"watch",` +
	`"objectRef":{"resource":"configurations","apiGroup":"networking.liqo.io","apiVersion":"v1beta1"}}
{"stage":"RequestReceived","requestURI":"/api/v1/namespaces/liqo","verb":"get",` +
	`"objectRef":{"resource":"namespaces","namespace":"liqo","name":"liqo","apiVersion":"v1"}}
{"stage":"RequestReceived","requestURI":"/api/v1/namespaces/milan","verb":"get",` +
	`"objectRef":{"resource":"namespaces","namespace":"milan","name":"milan","apiVersion":"v1"}}
{"stage":"RequestReceived","requestURI":"/api/v1/nodes/x/status","verb":"patch",` +
	`"objectRef":{"resource":"nodes","name":"x","subresource":"status"}}
{"stage":"RequestReceived","requestURI":"/apis?timeout=32s","verb":"get"}
{"stage":"RequestReceived","requestURI":"/apis?tim`

func TestTheAuditLogIsCountedByVerbAndResource(t *testing.T) {
	got := map[Request]int{}
	if err := countRequests(got, "rome", []byte(auditLog)); err != nil {
		t.Fatal(err)
	}
	want := map[Request]int{
		{"rome", "list", "configurations.networking.liqo.io"}:  1,
		{"rome", "watch", "configurations.networking.liqo.io"}: 1,
		{"rome", "get", "namespaces"}:                          2,
		{"rome", "patch", "nodes/status"}:                      1,
		{"rome", "get", "/apis"}:                               1,
	}
	if !maps.Equal(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
}

func TestRequestsAreSortedByClusterVerbAndResource(t *testing.T) {
	got := SortedRequests(map[Request]int{{"rome", "get", "b"}: 1, {"milan", "list", "a"}: 1, {"rome", "get", "a"}: 1})
	want := []Request{{"milan", "list", "a"}, {"rome", "get", "a"}, {"rome", "get", "b"}}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("got %v, want %v", got, want)
		}
	}
}

func TestALineThatIsNoEventIsAnError(t *testing.T) {
	if err := countRequests(map[Request]int{}, "rome", []byte("no JSON\n")); err == nil {
		t.Error("no error")
	}
}
