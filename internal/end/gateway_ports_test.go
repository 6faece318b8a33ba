package end

import (
	"context"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

func TestAGatewayWithAPortAndALeafWithoutAGatewayAreFine(t *testing.T) {
	for name, milan := range map[string]*End{
		"a gateway": milansEnd(t, clustertest.GatewayServer("rome", 51840)), "none": milansEnd(t),
	} {
		if err := milan.CheckPorts(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAGatewayWithAListOfPortsIsRefused(t *testing.T) {
	for name, test := range map[string]struct {
		ports   any
		refused string // part of the error
	}{
		"a list":                {[]any{int64(51840), int64(51841)}, "has `ports` [51840 51841]"},
		"no list":               {nil, ""},
		"ports of another kind": {"many", ""},
	} {
		milan := milansEnd(t, clustertest.GatewayServer("rome", 0))
		milan.Leaf.Live = interceptor.NewClient(milan.Leaf.Live, interceptor.Funcs{
			Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, object client.Object,
				options ...client.GetOption,
			) error {
				if whole, ok := object.(*unstructured.Unstructured); ok && test.ports != nil {
					return unstructured.SetNestedField(whole.Object, test.ports, "spec", "endpoint", "ports")
				}
				return c.Get(ctx, key, object, options...)
			},
		})
		err := milan.CheckPorts(t.Context())
		if (err != nil) != (test.refused != "") || err != nil && !strings.Contains(err.Error(), test.refused) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
