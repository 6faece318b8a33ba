package end

import (
	"context"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

// routesAnnotation is on the RouteConfiguration of a gateway. It is the time of the last [End.RenewRoutes].
const routesAnnotation = owner.ManagedBy + "/routes"

// routesToGateway follows the ID of the other cluster in the name of the RouteConfiguration with which Liqo leads
// packets from the nodes to the gateway. Liqo defines it in its InternalFabric controller, which imports
// controller-runtime's whole manager.
const routesToGateway = "-node-gw"

// timeToLink is how long a node gets to replace the device that leads to a gateway, once Liqo has told it the address
// of another pod. Nodes report nothing of it. In the lab, 100 ms are enough on an idle machine, but 200 ms are not
// always on a busy one. Liqo's fabric itself looks again after a second.
const timeToLink = 500 * time.Millisecond

// RenewRoutes lets the leaf's nodes look again for their way to a gateway that restarts. It returns once it has asked
// them to. For any other gateway, it does nothing.
//
// When Liqo knows the address of a gateway's new pod, its fabric on each node replaces the device that leads there. It
// notices that the routes are gone while there is no device, and would look again only a second later. The device is
// usually there before the gateway has configured its peer; see [End.untilNodesFollow] for when it is not. By then, the
// gateway also translates addresses: the program that reports the peer applies Liqo's rules when it starts. Its reports
// about the rules show nothing, because they carry the gateway's name and outlive the pod. Without permission to change
// the RouteConfiguration, it takes that second.
func (e *End) RenewRoutes(ctx context.Context, gateway EnsuredGateway) error {
	if !gateway.Restarts {
		return nil
	}
	if err := e.WaitForPeer(ctx); err != nil {
		return err
	}
	if err := e.untilNodesFollow(ctx, gateway); err != nil && !cluster.MissingPermission(err) {
		return err
	}
	routes := &networkingv1beta1.RouteConfiguration{ObjectMeta: metav1.ObjectMeta{
		Namespace: gateway.GetNamespace(), Name: string(e.Remote.ID) + routesToGateway,
	}}
	renewed := routes.DeepCopy()
	cluster.SetAnnotation(renewed, routesAnnotation, time.Now().UTC().Format(time.RFC3339Nano))
	err := e.Leaf.Patch(ctx, renewed, client.MergeFrom(routes))
	if apierrors.IsForbidden(err) {
		return nil
	}
	return cluster.IgnoreAbsent(err)
}

// untilNodesFollow returns when the nodes of the leaf have had time to lead to the pod of a gateway that has restarted.
//
// The pod may work before its kubelet has reported it. Until then, Liqo does not know its address. The InternalFabric
// is the last object that shows what Liqo tells the nodes. Of the pod, this is the address only. So the nodes have
// nothing to do for a pod with the address of the former one. A gateway without an InternalFabric has no such nodes.
func (e *End) untilNodesFollow(ctx context.Context, gateway EnsuredGateway) error {
	fabric := &networkingv1beta1.InternalFabric{ObjectMeta: metav1.ObjectMeta{
		Namespace: gateway.GetNamespace(), Name: string(e.Remote.ID),
	}}
	err := e.Leaf.Persist(ctx, func() error {
		return e.Leaf.Read(ctx, client.ObjectKeyFromObject(fabric), fabric)
	})
	if err != nil {
		return cluster.IgnoreAbsent(err)
	}
	former := fabric.Spec.GatewayIP
	address, err := e.activeAddress(ctx, gateway)
	if err == nil && address == "" {
		if err = e.WaitForRollout(ctx, gateway); err == nil {
			address, err = e.activeAddress(ctx, gateway)
		}
	}
	if err != nil || address == "" || address == former {
		return err
	}
	err = e.Leaf.UntilObject(ctx, fabric, func(exists bool) bool { return !exists || fabric.Spec.GatewayIP != former })
	if err != nil {
		return explain.Wait(ctx, e.Subject(), "Liqo to lead the nodes to the gateway's new pod", err)
	}
	select {
	case <-time.After(timeToLink):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// activeAddress returns the address of the pod that holds a gateway's tunnel. It is empty if the kubelet has not
// reported it yet.
func (e *End) activeAddress(ctx context.Context, gateway client.Object) (networkingv1beta1.IP, error) {
	pods, err := liqo.PodsOf(ctx, e.Leaf, gateway)
	if active := activeOf(pods); active != nil {
		return networkingv1beta1.IP(active.Status.PodIP), nil
	}
	return "", err
}
