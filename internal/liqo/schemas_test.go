package liqo_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

const schemaPath = "/openapi/v3/apis/networking.liqo.io/v1beta1"

// servedAt returns a leaf whose API server is at an address.
func servedAt(t *testing.T, address string) *cluster.Leaf {
	t.Helper()
	leaf := clustertest.Leaf(t, "rome")
	documents, err := rest.UnversionedRESTClientFor(&rest.Config{Host: address, ContentConfig: rest.ContentConfig{
		ContentType: "application/vnd.kubernetes.protobuf", NegotiatedSerializer: scheme.Codecs.WithoutConversion(),
	}})
	if err != nil {
		t.Fatal(err)
	}
	leaf.Clients().Documents = documents
	return leaf
}

func TestSchemasAreReadWithOneRequestBelowThePathOfTheAddress(t *testing.T) {
	const document = `{"components": {"schemas": {
		"io.liqo.networking.v1beta1.Configuration": {"properties": {"status": {"properties": {"conditions": {}}}}},
		"io.liqo.networking.v1beta1.GatewayServer": {}, "io.liqo.networking.v1beta1.GatewayClient": {},
		"io.liqo.networking.v1beta1.FirewallConfiguration": {}
	}}}`
	for _, below := range []string{"", "/", "/k8s/clusters/c-1", "/k8s/clusters/c-1/"} {
		t.Run(below, func(t *testing.T) {
			asked := make(chan string, 10)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked <- r.Method + " " + r.URL.Path + " " + r.Header.Get("Accept")
				_, _ = w.Write([]byte(document)) // the client may have gone
			}))
			defer server.Close()
			leaf := servedAt(t, server.URL+below)
			for range 2 {
				if able, err := liqo.CapabilitiesOf(t.Context(), leaf); err != nil || !able.ManyPodCIDRs {
					t.Errorf("%+v (%v)", able, err)
				}
			}
			expected := "GET " + strings.TrimSuffix(below, "/") + schemaPath + " application/json"
			if first := <-asked; len(asked) > 0 || first != expected {
				t.Errorf("the first request is %s, and %d more follow", first, len(asked))
			}
		})
	}
}

func TestSchemasThatAreNotServedAreAnErrorOfTheLeaf(t *testing.T) {
	for name, test := range map[string]struct {
		status   int
		body     string
		expected string
	}{
		"the group is missing": {
			http.StatusNotFound, "", `leaf "rome": the API server does not know a kind that Liqo installs: ` +
				`the API server has no schemas of networking.liqo.io/v1beta1: `,
		},
		"no permission": {
			http.StatusForbidden, `{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Forbidden",
				"code": 403, "message": "forbidden: User \"jane\" cannot get path \"` + schemaPath + `\""}`,
			`leaf "rome": no permission to get ` + schemaPath + `: forbidden: User "jane" cannot get path "`,
		},
		"unavailable": {http.StatusServiceUnavailable, "", `leaf "rome": the API server can't be reached: `},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(test.status)
				_, _ = w.Write([]byte(test.body)) // the client may have gone
			}))
			defer server.Close()
			_, err := liqo.SchemasOf(t.Context(), servedAt(t, server.URL))
			if err == nil || !strings.HasPrefix(err.Error(), test.expected) {
				t.Errorf("got: %v", err)
			}
		})
	}
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	if _, err := liqo.SchemasOf(t.Context(), servedAt(t, server.URL)); !cluster.Unreachable(err) {
		t.Errorf("of a server that has gone: %v", err)
	}
}
