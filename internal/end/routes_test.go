package end

import (
	"context"
	"net/url"
	"syscall"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

// restarted is Milan's gateway for Rome. Its new pod has created a Connection.
func restarted() (*networkingv1beta1.GatewayServer, *networkingv1beta1.Connection) {
	gateway := ours(clustertest.GatewayServer("rome", 51840))
	connection := clustertest.Connection("rome", networkingv1beta1.Connecting)
	gateway.UID = connection.OwnerReferences[0].UID
	return gateway, connection
}

func TestTheRoutesToAGatewayAreRenewedIfItRestarts(t *testing.T) {
	for _, restarts := range []bool{true, false} {
		gateway, connection := restarted()
		routes := &networkingv1beta1.RouteConfiguration{ObjectMeta: metav1.ObjectMeta{
			Namespace: gateway.Namespace, Name: "rome-node-gw", Annotations: map[string]string{"kept": "yes"},
		}}
		milan := milansEnd(t, gateway, connection, routes)
		must(t, milan.RenewRoutes(t.Context(), EnsuredGateway{Object: gateway, Restarts: restarts}))
		must(t, milan.Leaf.Live.Get(t.Context(), client.ObjectKeyFromObject(routes), routes))
		if renewed := routes.Annotations[routesAnnotation] != ""; renewed != restarts || routes.Annotations["kept"] == "" {
			t.Errorf("restarts: %t: the annotations are %v", restarts, routes.Annotations)
		}
	}
}

func TestAGatewayWithoutRoutesHasNoneToRenew(t *testing.T) {
	gateway, connection := restarted()
	milan := milansEnd(t, gateway, connection)
	must(t, milan.RenewRoutes(t.Context(), EnsuredGateway{Object: gateway, Restarts: true}))
}

func TestRoutesAreRenewedAlthoughTheAPIServerIsAwayForAMoment(t *testing.T) {
	gateway, connection := restarted()
	routes := &networkingv1beta1.RouteConfiguration{ObjectMeta: metav1.ObjectMeta{
		Namespace: gateway.Namespace, Name: "rome-node-gw",
	}}
	milan := milansEnd(t, gateway, connection, routes)
	away := true
	milan.Leaf.Live = interceptor.NewClient(milan.Leaf.Live, interceptor.Funcs{
		Patch: func(ctx context.Context, c client.WithWatch, object client.Object, patch client.Patch,
			options ...client.PatchOption,
		) error {
			if away {
				away = false
				return &url.Error{Op: "Patch", URL: "https://milan", Err: syscall.ECONNREFUSED}
			}
			return c.Patch(ctx, object, patch, options...)
		},
	})
	must(t, milan.RenewRoutes(t.Context(), EnsuredGateway{Object: gateway, Restarts: true}))
	must(t, milan.Leaf.Live.Get(t.Context(), client.ObjectKeyFromObject(routes), routes))
	if routes.Annotations[routesAnnotation] == "" {
		t.Error("the routes are not renewed")
	}
}
