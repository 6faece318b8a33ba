package end

import (
	"cmp"
	"context"
	"slices"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	"github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/forge"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// This file has what a GatewayServer and a GatewayClient have in common.

// DefaultMTU is the default MTU of a tunnel, in bytes, as in liqoctl.
const DefaultMTU = forge.DefaultMTU

// gatewayMeta names and labels a gateway as liqoctl does, and marks it as the owner's.
func (e *End) gatewayMeta(namespace string) metav1.ObjectMeta {
	object := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Name: string(e.Remote.ID), Namespace: namespace,
		Labels: map[string]string{consts.RemoteClusterID: string(e.Remote.ID)},
	}}
	e.Owner.Mark(object)
	return object.ObjectMeta
}

// MTU returns the MTU of the gateway, in bytes, or 0 if there is none.
func (o Objects) MTU() int {
	switch {
	case o.GatewayServer != nil:
		return o.GatewayServer.Spec.MTU
	case o.GatewayClient != nil:
		return o.GatewayClient.Spec.MTU
	default:
		return 0
	}
}

// activeLabel marks the replica of a gateway that holds the tunnel. Liqo defines it in
// pkg/gateway/concurrent, which imports controller-runtime's whole manager.
const activeLabel = "networking.liqo.io/active"

// GatewayPod is a pod of a gateway.
type GatewayPod struct {
	Name, Namespace string
	Node            string // empty until it is scheduled
	Active          bool   // this replica holds the tunnel
}

// GatewayPods returns the pods of a gateway, sorted by name. This includes pods that are marked for
// deletion. It reads live.
func (e *End) GatewayPods(ctx context.Context, gateway client.Object) ([]GatewayPod, error) {
	running, err := e.Leaf.GatewayPods(ctx, gateway)
	if err != nil {
		return nil, err
	}
	var pods []GatewayPod
	for i := range running {
		pod := &running[i]
		pods = append(pods, GatewayPod{
			Name: pod.Name, Namespace: pod.Namespace, Node: pod.Spec.NodeName,
			Active: pod.Labels[activeLabel] == "true",
		})
	}
	slices.SortFunc(pods, func(a, b GatewayPod) int { return cmp.Compare(a.Name, b.Name) })
	return pods, nil
}

// RemoveGateways deletes the leaf's gateway and its PublicKey. It returns once everything that Liqo
// created for the gateway is gone, too. Until then a gateway of the same name would inherit the keys
// and the Service. It also removes Liqo's labels from the Secrets that the user set: the gateway's,
// and the given ones.
func (e *End) RemoveGateways(ctx context.Context, given ...KeySecret) error {
	found, err := e.Find(ctx)
	if err != nil {
		return err
	}
	for _, object := range found.ownGateways(e.Owner) {
		if err := e.delete(ctx, object); err != nil {
			return err
		}
	}
	dependents := found.dependents(e.Owner)
	if found.Gateway() == nil {
		if dependents, err = e.orphans(ctx); err != nil {
			return err
		}
	}
	for _, one := range dependents {
		if err := e.untilDependentsGone(ctx, one); err != nil {
			return err
		}
		given = append(given, one.given)
	}
	for _, secret := range given {
		if err := e.unlabelKeySecret(ctx, secret); err != nil {
			return err
		}
	}
	return e.until(ctx, "the gateway to be gone", func(left Objects) bool {
		return len(left.ownGateways(e.Owner)) == 0 && (left.Connection == nil || left.Gateway() != nil)
	},
		&networkingv1beta1.GatewayServer{}, &networkingv1beta1.GatewayClient{},
		&networkingv1beta1.PublicKey{}, &networkingv1beta1.Connection{})
}

// ownGateways returns the gateways that the owner may remove, and their PublicKeys.
func (o Objects) ownGateways(owner Owner) []client.Object {
	return slices.DeleteFunc(o.owned(owner), isConfiguration)
}
