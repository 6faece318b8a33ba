package end

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"sync"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	"github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/forge"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

// appliedKeyAnnotation is on a PublicKey. It is the digest of the key that was written. It shows whether someone has
// edited the key, without reading the gateway's Secret.
const appliedKeyAnnotation = owner.ManagedBy + "/key-sha256"

// handshakeAnnotation is on a PublicKey. It is the time of the last [End.RepeatHandshake].
const handshakeAnnotation = owner.ManagedBy + "/handshake"

// isPublicKey reports whether an object is a PublicKey.
func isPublicKey(object client.Object) bool {
	_, ok := object.(*networkingv1beta1.PublicKey)
	return ok
}

func digest(key []byte) string {
	sum := sha256.Sum256(key)
	return hex.EncodeToString(sum[:])
}

// EnsurePublicKey gives this leaf's gateway the public key of the other leaf's gateway. Kubernetes deletes the
// PublicKey with the gateway. The result reports whether the PublicKey was written. Then the gateway forgets its
// session with the other one, also if the key is the same.
//
// A gateway creates its Connection when it starts, and when a PublicKey is new or changes. So if someone has deleted
// the Connection, the PublicKey changes. The gateway then repeats its handshake, which interrupts traffic for a moment.
// A new gateway would do the same, and might get another address.
func (e *End) EnsurePublicKey(ctx context.Context, key []byte, gateway EnsuredGateway) (bool, error) {
	return e.ensurePublicKey(ctx, key, gateway.GetNamespace(), gateway)
}

// EnsureLonePublicKey does the same for a PublicKey that a resource of its own manages. The gateway may not exist yet,
// and Kubernetes does not delete the PublicKey with it.
func (e *End) EnsureLonePublicKey(ctx context.Context, namespace string, key []byte) error {
	_, err := e.ensurePublicKey(ctx, key, namespace, EnsuredGateway{})
	return err
}

// ensurePublicKey writes the PublicKey. The gateway is its owner, unless the gateway is empty. It reports whether there
// was something to write.
func (e *End) ensurePublicKey(
	ctx context.Context, key []byte, namespace string, gateway EnsuredGateway,
) (bool, error) {
	objects, err := e.findWithoutLeavingKey(ctx)
	if err != nil {
		return false, err
	}
	former := objects.PublicKey
	publicKey, err := e.forgePublicKey(key, namespace, gateway, former)
	if err != nil {
		return false, err
	}
	if err := e.renewConnection(ctx, objects, publicKey, gateway); err != nil {
		return false, err
	}
	if err := e.Leaf.Apply(ctx, publicKey); err != nil {
		return false, err
	}
	if former != nil && objects.Connection == nil && !gateway.Restarts {
		return true, e.RepeatHandshake(ctx)
	}
	return former == nil || former.ResourceVersion != publicKey.ResourceVersion, nil
}

// forgePublicKey returns the PublicKey as it shall be. The former one may be nil.
func (e *End) forgePublicKey(
	key []byte, namespace string, gateway EnsuredGateway, former *networkingv1beta1.PublicKey,
) (*networkingv1beta1.PublicKey, error) {
	var name *string
	if former != nil {
		name = &former.Name
	}
	publicKey, err := forge.PublicKey(namespace, name, e.Remote.ID, key)
	if err != nil {
		return nil, err
	}
	e.Owner.Mark(publicKey)
	cluster.SetAnnotation(publicKey, appliedKeyAnnotation, digest(key))
	if gateway.Object != nil {
		return publicKey, controllerutil.SetOwnerReference(gateway.Object, publicKey, e.Leaf.Scheme())
	}
	if former != nil {
		e.Owner.KeepOrigin(publicKey, former)
	}
	return publicKey, nil
}

// findWithoutLeavingKey is [End.Find] once a PublicKey that is marked for deletion is gone.
func (e *End) findWithoutLeavingKey(ctx context.Context) (liqo.Objects, error) {
	objects, err := e.Find(ctx)
	if err != nil || objects.PublicKey == nil || !Leaving(objects.PublicKey) {
		return objects, err
	}
	objects.PublicKey = nil
	return objects, e.RemovePublicKeys(ctx)
}

// renewConnection deletes the Connection before a write of the PublicKey makes the gateway reset its status, as Liqo
// before 1.2 does. Otherwise a wait for the tunnel could still see the old status. The gateway creates another
// Connection.
func (e *End) renewConnection(
	ctx context.Context, objects liqo.Objects, publicKey *networkingv1beta1.PublicKey, gateway EnsuredGateway,
) error {
	if objects.Connection == nil || gateway.Restarts {
		return nil
	}
	if objects.PublicKey != nil {
		desired := publicKey.DeepCopy()
		desired.TypeMeta = objects.PublicKey.TypeMeta
		if cluster.Includes(objects.PublicKey, desired) {
			return nil // nothing is written
		}
	}
	able, err := liqo.CapabilitiesOf(ctx, e.Leaf)
	if err != nil || able.KeepsConnections {
		return err
	}
	return e.delete(ctx, objects.Connection)
}

// RepeatHandshake lets this leaf's gateway shake hands with the other one again, by a change of its PublicKey that does
// not change the key. A client whose server restarts would otherwise notice only after 15 seconds without an answer.
func (e *End) RepeatHandshake(ctx context.Context) error {
	objects, err := e.Find(ctx)
	if err != nil || objects.PublicKey == nil {
		return err
	}
	return e.Leaf.Edit(ctx, objects.PublicKey, func(object client.Object) {
		cluster.SetAnnotation(object, handshakeAnnotation, time.Now().UTC().Format(time.RFC3339Nano))
	})
}

// KeyInPlace reports whether the gateway has the key of the other gateway, and nobody has edited it since. A key that
// someone else wrote counts as in place.
func KeyInPlace(o liqo.Objects) bool {
	if o.PublicKey == nil {
		return false
	}
	applied, ok := o.PublicKey.Annotations[appliedKeyAnnotation]
	return !ok || applied == digest(o.PublicKey.Spec.PublicKey)
}

// RemovePublicKeys deletes the owner's PublicKey on this leaf, and returns when it is gone. A tunnel that is up stays
// up until a gateway restarts.
func (e *End) RemovePublicKeys(ctx context.Context) error {
	own := func(objects liqo.Objects) []client.Object {
		return slices.DeleteFunc(owned(objects, e.Owner), func(object client.Object) bool { return !isPublicKey(object) })
	}
	objects, err := e.Find(ctx)
	if err != nil {
		return err
	}
	for _, publicKey := range own(objects) {
		if err := e.delete(ctx, publicKey); err != nil {
			return err
		}
	}
	return e.until(ctx, "the PublicKey to be gone", func(left liqo.Objects) bool {
		return len(own(left)) == 0
	}, &networkingv1beta1.PublicKey{})
}

// WaitForKey waits until Liqo reports where the public key of this leaf's gateway is, and reads it. The Secret of a new
// gateway may have been seen by then, which is a round trip earlier.
func (e *End) WaitForKey(ctx context.Context, gateway EnsuredGateway) ([]byte, error) {
	var secret *corev1.ObjectReference
	err := e.waitForGateway(ctx, "Liqo to create the gateway's keys", e.Find, func(objects liqo.Objects) bool {
		secret = objects.Keys()
		return secret != nil
	})
	if err != nil {
		return nil, err
	}
	return e.readKey(ctx, gateway, secret)
}

// readKey asks for the public key in a Secret, and returns what comes first: the answer, or the Secret as it is seen.
func (e *End) readKey(ctx context.Context, gateway EnsuredGateway, secret *corev1.ObjectReference) ([]byte, error) {
	var (
		key     []byte
		err     error
		reading sync.WaitGroup
	)
	defer reading.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	answered := make(chan struct{})
	reading.Go(func() {
		defer close(answered)
		key, err = e.askForKey(ctx, secret)
	})
	for {
		select {
		case seen := <-gateway.keys:
			if shown := gateway.keyIn(seen, secret); shown != nil {
				return shown, nil
			}
		case <-answered:
			return key, err
		}
	}
}

// askForKey reads the public key in a Secret, which must exist.
func (e *End) askForKey(ctx context.Context, reference *corev1.ObjectReference) ([]byte, error) {
	var secret corev1.Secret
	name := client.ObjectKey{Namespace: reference.Namespace, Name: reference.Name}
	err := e.Leaf.Read(ctx, name, &secret)
	key, ok := secret.Data[consts.PublicKeyField]
	if err == nil && !ok {
		err = fmt.Errorf("secret %q does not contain %s field", name, consts.PublicKeyField)
	}
	return key, e.Leaf.Explain(err)
}

// keyIn returns the public key in a Secret. It returns nil unless Liqo has made the Secret for this gateway: a former
// one may have had one of the same name.
func (g EnsuredGateway) keyIn(object client.Object, reference *corev1.ObjectReference) []byte {
	secret, ok := object.(*corev1.Secret)
	if !ok || secret.Name != reference.Name || secret.Namespace != reference.Namespace || !liqo.OwnedBy(secret, g) {
		return nil
	}
	return secret.Data[consts.PublicKeyField]
}

// Key returns the public key of this leaf's gateway, or nil if there is none yet or any longer. Without permission to
// read Secrets, the error is one of Kubernetes.
func (e *End) Key(ctx context.Context, objects liqo.Objects) ([]byte, error) {
	secret := objects.Keys()
	if secret == nil {
		return nil, nil
	}
	key, err := e.askForKey(ctx, secret)
	return key, cluster.IgnoreAbsent(err)
}

// HasOutdatedKey reports whether the public key of this end's gateway is gone or differs from the one that the owner
// has published in the other leaf's PublicKey. The objects are those of this end. The result is false without
// permission to read Secrets, as for a user who may only plan.
func (e *End) HasOutdatedKey(
	ctx context.Context, objects liqo.Objects, published *networkingv1beta1.PublicKey,
) (bool, error) {
	if objects.Keys() == nil || published == nil || !e.Owner.Owns(published) {
		return false, nil
	}
	key, err := e.Key(ctx, objects)
	switch {
	case apierrors.IsForbidden(err):
		return false, nil
	case err != nil:
		return false, err
	}
	return key == nil || !bytes.Equal(key, published.Spec.PublicKey), nil
}
