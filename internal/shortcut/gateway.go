package shortcut

import (
	"context"
	"slices"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// What a GatewayServer and a GatewayClient have in common is in this file.

// gatewayMeta names and labels a gateway as liqoctl does, and marks it as the owner's.
func (s *side) gatewayMeta(namespace string) metav1.ObjectMeta {
	object := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Name: string(s.remote.ID), Namespace: namespace, Labels: map[string]string{consts.RemoteClusterID: string(s.remote.ID)},
	}}
	s.owner.mark(object)
	return object.ObjectMeta
}

// gateway is the leaf's end of the tunnel; nil where there is none.
func (o objects) gateway() client.Object {
	switch {
	case o.server != nil:
		return o.server
	case o.client != nil:
		return o.client
	default:
		return nil
	}
}

// mtu is that of the gateway, in bytes; 0 where there is none.
func (o objects) mtu() int {
	switch {
	case o.server != nil:
		return o.server.Spec.MTU
	case o.client != nil:
		return o.client.Spec.MTU
	default:
		return 0
	}
}

// activeLabel marks, of a gateway's replicas, the one that holds the tunnel. Liqo has it in pkg/gateway/concurrent, which would bring the whole of
// controller-runtime's manager along.
const activeLabel = "networking.liqo.io/active"

// removeGateways deletes the leaf's gateway and the key that it trusts, and returns once all that Liqo made for it is gone too. Until then a gateway of the
// same name would inherit the old one's keys and Service. Secrets of the user's own are as they were then: those that the gateway was given, and these.
func (s *side) removeGateways(ctx context.Context, given ...KeySecret) error {
	found, err := s.find(ctx)
	if err != nil {
		return err
	}
	for _, object := range found.ownGateways(s.owner) {
		if err := s.delete(ctx, object); err != nil {
			return err
		}
	}
	remains := found.madeForGateways(s.owner)
	if found.gateway() == nil {
		if remains, err = s.orphans(ctx); err != nil {
			return err
		}
	}
	for _, one := range remains {
		if err := s.untilAllGone(ctx, one); err != nil {
			return err
		}
		given = append(given, KeySecret(one.brought))
	}
	for _, secret := range given {
		if err := s.unlabelKeySecret(ctx, secret); err != nil {
			return err
		}
	}
	return s.until(ctx, "the gateway to be gone", func(left objects) bool {
		return len(left.ownGateways(s.owner)) == 0 && (left.connection == nil || left.gateway() != nil)
	}, &networkingv1beta1.GatewayServer{}, &networkingv1beta1.GatewayClient{}, &networkingv1beta1.PublicKey{}, &networkingv1beta1.Connection{})
}

// ownGateways are the gateways that the owner may remove, and the keys that they trust.
func (o objects) ownGateways(owner Owner) []client.Object {
	return slices.DeleteFunc(o.owned(owner), isConfiguration)
}
