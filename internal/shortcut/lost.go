package shortcut

import (
	"context"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// serviceLost tells whether a gateway that has an address has no Service any more. Liqo does not make it again: its controller of WireGuard gateways stops at
// the missing Service before it comes to making one, and keeps the old address in the status. As long as the tunnel is up, nobody needs to ask.
func (s *side) serviceLost(ctx context.Context, found objects) (bool, error) {
	technology := found.server.Status.ServerRef
	if technology == nil || technology.Kind != networkingv1beta1.WgGatewayServerKind || endpointOf(found.server) == nil ||
		found.connected(found.server) == networkingv1beta1.Connected {
		return false, nil
	}
	return s.lost(ctx, made{corev1.SchemeGroupVersion.WithKind("Service"), madeName(found.server)})
}

// keysLost tells whether the Secret is gone that Liqo has made for a gateway's keys. Liqo makes another one, with other keys, only when something makes it look at
// the gateway again; until then there is no key to tell the other leaf, though a tunnel that is up stays up. The arguments are those of [keysByLiqo].
func (s *side) keysLost(ctx context.Context, keys *corev1.ObjectReference, brought corev1.LocalObjectReference) (bool, error) {
	secret := keysByLiqo(keys, brought)
	if secret == nil {
		return false, nil
	}
	return s.lost(ctx, *secret)
}

// lost tells whether an object is not there. Nothing but its metadata is read.
func (s *side) lost(ctx context.Context, one made) (bool, error) {
	object := &metav1.PartialObjectMetadata{}
	object.SetGroupVersionKind(one.kind)
	err := s.leaf.Live.Get(ctx, one.key, object)
	if apierrors.IsNotFound(err) {
		return true, nil
	}
	return false, s.leaf.Explain(err)
}
