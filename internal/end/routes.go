package end

import (
	"context"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

// routesAnnotation is on the RouteConfiguration of a gateway. It is the time of the last [End.RenewRoutes].
const routesAnnotation = owner.ManagedBy + "/routes"

// routesToGateway follows the ID of the other cluster in the name of the RouteConfiguration with which Liqo leads
// packets from the nodes to the gateway. Liqo defines it in its InternalFabric controller, which imports
// controller-runtime's whole manager.
const routesToGateway = "-node-gw"

// RenewRoutes lets the leaf's nodes look again for their way to a gateway that restarts. It returns once it has asked
// them to. For any other gateway, it does nothing.
//
// When Liqo knows the address of a gateway's new pod, its fabric on each node replaces the device that leads there. It
// notices that the routes are gone while there is no device, and would look again only a second later. The device is
// there before the gateway has configured its peer. By then, the gateway also translates addresses: the program that
// reports the peer applies Liqo's rules when it starts. Its reports about the rules show nothing, because they carry
// the gateway's name and outlive the pod. Without permission to change the RouteConfiguration, it takes that second.
func (e *End) RenewRoutes(ctx context.Context, gateway EnsuredGateway) error {
	if !gateway.Restarts {
		return nil
	}
	if err := e.WaitForPeer(ctx); err != nil {
		return err
	}
	routes := &networkingv1beta1.RouteConfiguration{ObjectMeta: metav1.ObjectMeta{
		Namespace: gateway.GetNamespace(), Name: string(e.Remote.ID) + routesToGateway,
	}}
	renewed := routes.DeepCopy()
	cluster.SetAnnotation(renewed, routesAnnotation, time.Now().UTC().Format(time.RFC3339Nano))
	err := e.Leaf.Persist(ctx, func() error {
		return e.Leaf.Live.Patch(ctx, renewed, client.MergeFrom(routes), client.FieldOwner(cluster.FieldManager))
	})
	if apierrors.IsNotFound(err) || apierrors.IsForbidden(err) {
		return nil
	}
	return err
}
