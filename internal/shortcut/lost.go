package shortcut

import (
	"bytes"
	"context"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/getters"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// Lost reports whether a shortcut whose tunnel is down lacks something that [Shortcut.Connect] puts back, and that its [Status] does not tell of: the Service of the
// server's gateway, a gateway's keys, or a Connection. It asks the leaves.
func (s *Shortcut) Lost(ctx context.Context) (bool, error) {
	found, err := s.look(ctx)
	if err != nil || found.client.client == nil || found.server.server == nil {
		return false, err
	}
	if found.client.connectionLost() || found.server.connectionLost() {
		return true, nil
	}
	if lost, err := s.server.serviceLost(ctx, found.server); err != nil || lost {
		return lost, err
	}
	if lost, err := s.client.keyUntold(ctx, found.client.client.Status.SecretRef, found.server.publicKey); err != nil || lost {
		return lost, err
	}
	return s.server.keyUntold(ctx, found.server.server.Status.SecretRef, found.client.publicKey)
}

// connectionLost reports whether somebody has deleted the Connection of a gateway that has all it needs: the gateway makes another one only when it is told the
// other's key anew. A tunnel that was never seen up may not have had one yet.
func (o objects) connectionLost() bool {
	return o.connection == nil && o.publicKey != nil && o.wasConnected()
}

// serviceLost reports whether a gateway has no Service, and will get none. Liqo makes a gateway's Deployment and then its Service; where it finds the one without the
// other, because somebody deleted the Service or the API server refused it, its controller of WireGuard gateways stops before it comes to making one, and keeps the
// old address in the status. As long as the tunnel is up, nobody needs to ask.
func (s *side) serviceLost(ctx context.Context, found objects) (bool, error) {
	technology := found.server.Status.ServerRef
	if technology == nil || technology.Kind != networkingv1beta1.WgGatewayServerKind || found.connected(found.server) == networkingv1beta1.Connected {
		return false, nil
	}
	name := cluster.MadeForGateway(found.server)
	if lost, err := s.leaf.Gone(ctx, corev1.SchemeGroupVersion.WithKind("Service"), name); err != nil || !lost {
		return false, err
	}
	lost, err := s.leaf.Gone(ctx, appsv1.SchemeGroupVersion.WithKind("Deployment"), name)
	return !lost, err
}

// keysLost reports whether the Secret is gone that Liqo has made for a gateway's keys. Liqo makes another one, with other keys, only when something makes it look at
// the gateway again; until then there is no key to tell the other leaf, though a tunnel that is up stays up. The arguments are those of [keysByLiqo].
func (s *side) keysLost(ctx context.Context, keys *corev1.ObjectReference, brought corev1.LocalObjectReference) (bool, error) {
	secret := keysByLiqo(keys, brought)
	if secret == nil {
		return false, nil
	}
	return s.leaf.Gone(ctx, secret.kind, secret.key)
}

// keyUntold reports whether the gateway of this leaf has another public key by now than the other leaf was told by the owner, or none. Keys is from the gateway's status.
// Somebody who may only plan may read no Secret, and learns nothing.
func (s *side) keyUntold(ctx context.Context, keys *corev1.ObjectReference, told *networkingv1beta1.PublicKey) (bool, error) {
	if keys == nil || told == nil || !s.owner.owns(told) {
		return false, nil
	}
	key, err := getters.ExtractKeyFromSecretRef(ctx, s.leaf.Live, keys)
	switch {
	case apierrors.IsNotFound(err):
		return true, nil
	case apierrors.IsForbidden(err):
		return false, nil
	case err != nil:
		return false, s.leaf.Explain(err)
	}
	return !bytes.Equal(key, told.Spec.PublicKey), nil
}

// keySecret is the Secret of the user's own that the gateway was given; without a name where there is none.
func (o objects) keySecret() KeySecret {
	switch {
	case o.server != nil && o.server.Spec.SecretRef.Name != "":
		return KeySecret{Namespace: o.server.Namespace, Name: o.server.Spec.SecretRef.Name}
	case o.client != nil && o.client.Spec.SecretRef.Name != "":
		return KeySecret{Namespace: o.client.Namespace, Name: o.client.Spec.SecretRef.Name}
	default:
		return KeySecret{}
	}
}
