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

// What a GatewayServer and a GatewayClient have in common is in this file.

// DefaultMTU is that of a tunnel, in bytes, as liqoctl has it.
const DefaultMTU = forge.DefaultMTU

// gatewayMeta names and labels a gateway as liqoctl does, and marks it as the owner's.
func (e *End) gatewayMeta(namespace string) metav1.ObjectMeta {
	object := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Name: string(e.Remote.ID), Namespace: namespace, Labels: map[string]string{consts.RemoteClusterID: string(e.Remote.ID)},
	}}
	e.Owner.Mark(object)
	return object.ObjectMeta
}

// Gateway is the leaf's end of the tunnel; nil where there is none.
func (o Objects) Gateway() client.Object {
	switch {
	case o.GatewayServer != nil:
		return o.GatewayServer
	case o.GatewayClient != nil:
		return o.GatewayClient
	default:
		return nil
	}
}

// MTU is that of the gateway, in bytes; 0 where there is none.
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

// activeLabel marks, of a gateway's replicas, the one that holds the tunnel. Liqo has it in pkg/gateway/concurrent,
// which would bring the whole of controller-runtime's manager along.
const activeLabel = "networking.liqo.io/active"

// GatewayPod is one of the pods that a gateway runs in.
type GatewayPod struct {
	Name, Namespace string
	Node            string // empty until it is scheduled
	Active          bool   // of several replicas, the one that holds the tunnel
}

// GatewayPods lists the pods that Liqo runs a gateway in, sorted by name, those included that are being deleted. It
// asks the leaf.
func (e *End) GatewayPods(ctx context.Context, gateway client.Object) ([]GatewayPod, error) {
	running, err := e.Leaf.GatewayPods(ctx, gateway)
	if err != nil {
		return nil, err
	}
	var pods []GatewayPod
	for i := range running {
		pod := &running[i]
		pods = append(pods, GatewayPod{
			Name: pod.Name, Namespace: pod.Namespace, Node: pod.Spec.NodeName, Active: pod.Labels[activeLabel] == "true",
		})
	}
	slices.SortFunc(pods, func(a, b GatewayPod) int { return cmp.Compare(a.Name, b.Name) })
	return pods, nil
}

// RemoveGateways deletes the leaf's gateway and the key that it trusts, and returns once all that Liqo made for it is
// gone too. Until then a gateway of the same name would inherit the old one's keys and Service. Secrets of the user's
// own are as they were then: those that the gateway was given, and these.
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
	}, &networkingv1beta1.GatewayServer{}, &networkingv1beta1.GatewayClient{}, &networkingv1beta1.PublicKey{}, &networkingv1beta1.Connection{})
}

// ownGateways are the gateways that the owner may remove, and the keys that they trust.
func (o Objects) ownGateways(owner Owner) []client.Object {
	return slices.DeleteFunc(o.owned(owner), isConfiguration)
}
