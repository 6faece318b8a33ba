package end

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

func TestAGatewayHasSeveralPortsIfItsListSaysMoreThanItsPort(t *testing.T) {
	one, two := []any{int64(51840)}, []any{int64(51840), int64(51841)}
	for name, test := range map[string]struct {
		endpoint map[string]any
		several  []any
	}{
		"a port":                  {map[string]any{"port": int64(51840)}, nil},
		"nothing":                 {map[string]any{}, nil},
		"a list":                  {map[string]any{"ports": two}, two},
		"a list of one":           {map[string]any{"ports": one}, one},
		"a port and a list of it": {map[string]any{"port": int64(51840), "ports": one}, nil},
		"a port and a list":       {map[string]any{"port": int64(51840), "ports": two}, two},
		"ports of another kind":   {map[string]any{"ports": "many"}, nil},
	} {
		gateway := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"endpoint": test.endpoint}}}
		if got := severalPorts(gateway); !slices.Equal(got, test.several) {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

func TestAGatewayWithAPortAndALeafWithoutAGatewayAreFine(t *testing.T) {
	for name, milan := range map[string]*End{
		"a gateway": milansEnd(t, clustertest.GatewayServer("rome", 51840)), "none": milansEnd(t),
	} {
		if err := milan.CheckPorts(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
