package end

import (
	"errors"
	"net/url"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

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
		routes := routesOf(gateway)
		routes.Annotations = map[string]string{"kept": "yes"}
		milan := milansEnd(t, gateway, connection, routes)
		must(t, milan.RenewRoutes(t.Context(), EnsuredGateway{Object: gateway, Restarts: restarts, parts: &parts{}}))
		reread(t, milan, routes)
		if renewed := routes.Annotations[routesAnnotation] != ""; renewed != restarts || routes.Annotations["kept"] == "" {
			t.Errorf("restarts: %t: the annotations are %v", restarts, routes.Annotations)
		}
	}
}

func TestAGatewayWithoutRoutesHasNoneToRenew(t *testing.T) {
	gateway, connection := restarted()
	milan := milansEnd(t, gateway, connection)
	must(t, milan.RenewRoutes(t.Context(), EnsuredGateway{Object: gateway, Restarts: true, parts: &parts{}}))
}

func TestRoutesAreRenewedAlthoughTheAPIServerIsAwayForAMoment(t *testing.T) {
	gateway, connection := restarted()
	milan := milansEnd(t, gateway, connection, routesOf(gateway))
	away := true
	clustertest.On(milan.Leaf, "patch", func(call clustertest.Call[any]) error {
		if away {
			away = false
			return &url.Error{Op: "Patch", URL: "https://milan", Err: syscall.ECONNREFUSED}
		}
		return call.Send()
	})
	renewsRoutes(t, milan, gateway)
}

// routesOf are those of Milan's nodes to its gateway for Rome.
func routesOf(gateway client.Object) *networkingv1beta1.RouteConfiguration {
	return &networkingv1beta1.RouteConfiguration{
		ObjectMeta: metav1.ObjectMeta{Namespace: gateway.GetNamespace(), Name: "rome-node-gw"},
	}
}

// renewsRoutes fails unless the restart of a gateway renews the routes to it.
func renewsRoutes(t *testing.T, milan *End, gateway client.Object) {
	t.Helper()
	must(t, milan.RenewRoutes(t.Context(), EnsuredGateway{Object: gateway, Restarts: true, parts: &parts{}}))
	if reread(t, milan, routesOf(gateway)).Annotations[routesAnnotation] == "" {
		t.Error("the routes are not renewed")
	}
}

// fabricTo says that Milan's nodes lead to its gateway for Rome at this address.
func fabricTo(address networkingv1beta1.IP) *networkingv1beta1.InternalFabric {
	fabric := &networkingv1beta1.InternalFabric{ObjectMeta: metav1.ObjectMeta{Namespace: "liqo-tenant-rome", Name: "rome"}}
	fabric.Spec.GatewayIP = address
	return fabric
}

// activePod is the one that holds the tunnel. Its kubelet has reported this address, or has not reported it if that is
// empty.
func activePod(address string) *corev1.Pod {
	pod := gatewayPod("new", "one")
	pod.Labels[activeLabel], pod.Status.PodIP = "true", address
	return pod
}

func TestRoutesAreRenewedOnceLiqoLeadsTheNodesToTheNewPod(t *testing.T) {
	const former, next = "10.0.0.7", "10.0.0.8"
	for name, test := range map[string]struct {
		reported string        // the address of the pod, at first
		after    time.Duration // that the nodes know it, they are renewed
	}{
		"the nodes know the pod already":         {former, 0},
		"Liqo learns of the pod later":           {next, timeToLink},
		"Liqo learns of an unreported pod later": {"", timeToLink},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				gateway, connection := restarted()
				deployment := clustertest.GatewayDeployment("rome")
				milan := milansEnd(t, gateway, connection, deployment,
					routesOf(gateway), fabricTo(former), activePod(test.reported))
				began, ended := time.Now(), make(chan error, 1)
				restarting := EnsuredGateway{Object: gateway, Restarts: true, parts: &parts{}}
				go func() { ended <- milan.RenewRoutes(t.Context(), restarting) }()
				synctest.Wait()
				available := deployment.DeepCopy()
				available.Status = appsv1.DeploymentStatus{Replicas: 1, UpdatedReplicas: 1, AvailableReplicas: 1}
				status, live := milan.Leaf.Clients().Live.Status(), milan.Leaf.Clients().Live
				must(t, status.Patch(t.Context(), activePod(next), client.MergeFrom(activePod(test.reported))))
				must(t, status.Patch(t.Context(), available, client.MergeFrom(deployment)))
				must(t, live.Patch(t.Context(), fabricTo(next), client.MergeFrom(fabricTo(former))))
				must(t, <-ended)
				routes := reread(t, milan, routesOf(gateway))
				if renewed, err := time.Parse(time.RFC3339Nano, routes.Annotations[routesAnnotation]); err != nil ||
					renewed.Sub(began) != test.after {
					t.Errorf("they are renewed at %s (%v)", renewed, err)
				}
			})
		})
	}
}

func TestRoutesAreRenewedAtOnceWithoutThePermissionToSeeWhatTheNodesKnow(t *testing.T) {
	gateway, connection := restarted()
	milan := milansEnd(t, gateway, connection, routesOf(gateway), fabricTo("10.0.0.7"), activePod("10.0.0.8"))
	clustertest.Fail[*networkingv1beta1.InternalFabric](milan.Leaf, "get", apierrors.NewForbidden(
		networkingv1beta1.InternalFabricGroupResource, "rome", errors.New(
			`User "jane" cannot get resource "internalfabrics" in API group "networking.liqo.io" in the namespace "`+
				gateway.Namespace+`"`)))
	renewsRoutes(t, milan, gateway)
}
