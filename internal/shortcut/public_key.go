package shortcut

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/forge"
	"github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/getters"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// appliedKeyAnnotation remembers, on a PublicKey, the digest of the key that was written, so that one which somebody has edited is found without reading
// the gateway's Secret.
const appliedKeyAnnotation = ManagedBy + "/key-sha256"

func isPublicKey(object client.Object) bool {
	_, ok := object.(*networkingv1beta1.PublicKey)
	return ok
}

func digest(key []byte) string {
	sum := sha256.Sum256(key)
	return hex.EncodeToString(sum[:])
}

// ensurePublicKey tells this leaf's gateway the public key of the other one's. The PublicKey goes when the gateway goes.
//
// A gateway makes its Connection only when a PublicKey is new or changed, so where somebody has deleted the Connection, the PublicKey is written anew. That makes
// the gateway shake hands again, which interrupts traffic for some seconds; a new gateway would do so too, and might get another address.
func (s *side) ensurePublicKey(ctx context.Context, key []byte, gateway client.Object) error {
	found, err := s.find(ctx)
	if err != nil {
		return err
	}
	var name *string
	if found.publicKey != nil {
		name = &found.publicKey.Name
		if found.connection == nil {
			if err := s.delete(ctx, found.publicKey); err != nil {
				return err
			}
		}
	}
	publicKey, err := forge.PublicKey(gateway.GetNamespace(), name, s.remote.ID, key)
	if err != nil {
		return err
	}
	s.owner.mark(publicKey)
	setAnnotation(publicKey, appliedKeyAnnotation, digest(key))
	if err := controllerutil.SetOwnerReference(gateway, publicKey, s.leaf.Live.Scheme()); err != nil {
		return err
	}
	return s.leaf.Apply(ctx, publicKey)
}

// edited reports whether a PublicKey has another key than the one that was written. Of one that somebody else wrote, nothing is known.
func edited(publicKey *networkingv1beta1.PublicKey) bool {
	applied, ok := publicKey.Annotations[appliedKeyAnnotation]
	return ok && applied != digest(publicKey.Spec.PublicKey)
}

// waitForKey returns the public key of this leaf's gateway, once Liqo has made it.
func (s *side) waitForKey(ctx context.Context) ([]byte, error) {
	var secret *corev1.ObjectReference
	err := s.until(ctx, "Liqo to make the gateway's keys", func(found objects) bool {
		switch {
		case found.server != nil:
			secret = found.server.Status.SecretRef
		case found.client != nil:
			secret = found.client.Status.SecretRef
		}
		return secret != nil
	}, &networkingv1beta1.GatewayServer{}, &networkingv1beta1.GatewayClient{})
	if err != nil {
		return nil, err
	}
	key, err := getters.ExtractKeyFromSecretRef(ctx, s.leaf.Live, secret)
	return key, s.leaf.Explain(err)
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
