package end

import (
	"context"
	"crypto/ecdh"
	"crypto/rand"

	"github.com/liqotech/liqo/pkg/consts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// Liqo creates the keys of a gateway once, and a gateway reads them when it starts. A rotation writes new keys to the
// gateway's Secret, and restarts the gateway's pods. Gateway, Service and address stay.

// setRotation records the rotation of the keys on a gateway that is to be written. Without a rotation, it records
// nothing.
func setRotation(gateway client.Object, rotation string) {
	if rotation != "" {
		cluster.SetAnnotation(gateway, liqo.RotationAnnotation, rotation)
	}
}

// rotation is the rotation of the keys of an existing gateway.
type rotation struct {
	value    string                        // of `key_rotation`, or empty
	secret   *metav1.PartialObjectMetadata // nil if Liqo has made no keys
	restarts bool                          // the gateway's pods still have the former keys
}

// rotateKeys writes new keys to the Secret of an existing gateway, if they are due. The keys of an interrupted rotation
// stay, also if its value is no longer wanted: the other leaf may know them already.
func (e *End) rotateKeys(ctx context.Context, objects liqo.Objects, value string) (rotation, error) {
	r := rotation{value: value}
	if objects.Keys() == nil || objects.KeySecret().Name != "" {
		return r, nil
	}
	key := client.ObjectKey{Namespace: objects.Keys().Namespace, Name: objects.Keys().Name}
	secret, err := e.readSecret(ctx, key)
	if err != nil || secret == nil {
		return r, err // without it, the gateway is replaced
	}
	r.secret = secret
	made := secret.Annotations[liqo.RotationAnnotation]
	if !objects.Rotates(value) {
		r.restarts = made != "" && made != objects.KeyRotation()
		return r, nil
	}
	r.restarts = true
	if made == value {
		return r, nil
	}
	keys, err := newKeys()
	if err != nil {
		return r, err
	}
	return r, e.patchKeys(ctx, r, keys)
}

// recordRotation records on the Secret that no rotation is under way, once the gateway has its record.
func (e *End) recordRotation(ctx context.Context, r rotation) error {
	if r.secret == nil || r.secret.Annotations[liqo.RotationAnnotation] == r.value {
		return nil
	}
	return e.patchKeys(ctx, r, nil)
}

// patchKeys writes the record of a rotation to the Secret, and keys unless they are nil.
func (e *End) patchKeys(ctx context.Context, r rotation, keys map[string][]byte) error {
	annotations := map[string]any{liqo.RotationAnnotation: r.value}
	if r.value == "" {
		annotations[liqo.RotationAnnotation] = nil
	}
	changes := map[string]any{"metadata": map[string]any{"annotations": annotations}}
	if keys != nil {
		changes["data"] = keys
	}
	return e.patchSecret(ctx, r.secret, changes)
}

// newKeys returns a new private key of WireGuard and its public key, by the name of their field in a Secret.
func newKeys() (map[string][]byte, error) {
	private, err := ecdh.X25519().GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	return map[string][]byte{
		consts.PrivateKeyField: private.Bytes(), consts.PublicKeyField: private.PublicKey().Bytes(),
	}, nil
}

// deletePods deletes the pods of a gateway. Its Deployment creates others. Liqo would undo a change of the Deployment.
func (e *End) deletePods(ctx context.Context, gateway client.Object) error {
	pods, err := liqo.PodsOf(ctx, e.Leaf, gateway)
	if err != nil {
		return err
	}
	for i := range pods {
		if err := e.delete(ctx, &pods[i]); err != nil {
			return err
		}
	}
	return nil
}
