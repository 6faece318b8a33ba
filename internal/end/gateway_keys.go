package end

import (
	"bytes"
	"cmp"
	"context"
	"crypto/ecdh"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/liqotech/liqo/pkg/consts"
	gatewayforge "github.com/liqotech/liqo/pkg/gateway/forge"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// A gateway reads its WireGuard keys from a Secret when it starts. Liqo creates this Secret once, unless the user sets
// one. A rotation writes new keys to Liqo's Secret, and restarts the gateway's pods. Gateway, Service and address stay.

// keyOf returns the namespace and name of the user's Secret.
func (e *End) keyOf(secret liqo.KeySecret) client.ObjectKey {
	return client.ObjectKey{Namespace: cmp.Or(secret.Namespace, e.forgeTenantNamespace().Name), Name: secret.Name}
}

// checkKeySecret fails if the gateway could not take its keys from the user's Secret. A shortcut that claims the
// network also gets the tenant namespace.
func (e *End) checkKeySecret(ctx context.Context, intent Intent) error {
	key := client.ObjectKey{Namespace: *intent.Namespace, Name: intent.Gateway.KeySecret}
	if key.Name == "" || key.Namespace != "" {
		return e.checkKeys(ctx, key)
	}
	tenant, err := e.TenantNamespace(ctx)
	if err != nil {
		return err
	}
	key.Namespace = e.forgeTenantNamespace().Name
	if tenant != nil {
		key.Namespace = tenant.Name
	}
	if tenant == nil || e.Owner.Claims && e.Owner.Resource == "" {
		return e.secretNotKept(key)
	}
	return e.checkKeys(ctx, key)
}

// checkKeys fails if the user's Secret lacks the keys of a gateway, or if a destroy would delete the Secret. It
// succeeds if the key has no name. Liqo's controller would only log that it can't use the Secret, and a gateway whose
// keys do not belong together never gets an answer. Another check reports a missing namespace.
func (e *End) checkKeys(ctx context.Context, key client.ObjectKey) error {
	if key.Name == "" {
		return nil
	}
	var place corev1.Namespace
	if exists, err := e.Leaf.Get(ctx, client.ObjectKey{Name: key.Namespace}, &place); !exists {
		return err
	}
	if _, tenant := place.Labels[consts.TenantNamespaceLabel]; tenant && owner.Managed(&place) {
		return e.secretNotKept(key)
	}
	problem := func(summary, detail string, err error) error {
		return &trouble.Problem{
			ID: trouble.NoEntry, Leaf: e.Leaf.Name, Err: err,
			Summary: fmt.Sprintf("Secret %s %s", key, summary),
			Advice: detail +
				" The field `privateKey` must be a WireGuard key of 32 bytes. The field `publicKey` must be the " +
				"public key that belongs to it, also of 32 bytes. These are the outputs of `wg genkey` and `wg pubkey`, " +
				"decoded from base64 once.",
		}
	}
	var secret corev1.Secret
	exists, err := e.Leaf.Get(ctx, key, &secret)
	if err != nil {
		return err
	}
	if !exists {
		return problem("does not exist",
			"Create the Secret that `key_secret_name` names, in the namespace of the gateway.", errMissing)
	}
	private, err := ecdh.X25519().NewPrivateKey(secret.Data[consts.PrivateKeyField])
	if err != nil {
		return problem("has no private key", "Its `privateKey` is not a private key.", err)
	}
	if !bytes.Equal(private.PublicKey().Bytes(), secret.Data[consts.PublicKeyField]) {
		return problem("has another public key",
			"Its `publicKey` does not belong to its `privateKey`.", nil)
	}
	return nil
}

// secretNotKept returns the problem of a user's Secret in a tenant namespace that is deleted with the shortcut.
func (e *End) secretNotKept(key client.ObjectKey) *trouble.Problem {
	return &trouble.Problem{
		ID: trouble.NoEntry, Leaf: e.Leaf.Name,
		Summary: fmt.Sprintf("Secret %s would be deleted with the shortcut", key),
		Advice: fmt.Sprintf("A destroy must not delete the Secret that `key_secret_name` names. But namespace %s is a "+
			"tenant "+
			"namespace: the provider creates it or takes it over, and deletes it on destroy with everything in it. "+
			"Set the namespace at this end (`client_namespace`, `server_namespace` or `namespace`) to one of your own, and put "+
			"the Secret there.", key.Namespace),
	}
}

// labelKeys sets the labels by which Liqo finds the user's Secret of a gateway, if there is one. Liqo 1.0.0 never gets
// a gateway up without them. Later versions set them themselves.
func (e *End) labelKeys(ctx context.Context, gateway *liqo.Gateway) error {
	return e.labelKeySecret(ctx, gateway.UserSecret(), "", map[string]any{
		consts.RemoteClusterID: string(e.Remote.ID), consts.GatewayResourceLabel: consts.GatewayResourceLabelValue,
	})
}

// ReleaseKeySecret removes Liqo's labels from a Secret that earlier settings set for the gateway. If the gateway still
// uses the Secret, the labels stay until the gateway is removed.
func (e *End) ReleaseKeySecret(ctx context.Context, former liqo.KeySecret) error {
	objects, err := e.Find(ctx)
	if err != nil || e.keyOf(objects.Gateway.UserSecret()) == e.keyOf(former) {
		return err
	}
	return e.unlabelKeySecret(ctx, former)
}

// unlabelKeySecret removes from the user's Secret the labels by which Liqo finds a gateway's keys. Liqo never removes
// them. A later gateway would get the keys of this Secret. If it has its own Secret, Liqo would find two and give up.
func (e *End) unlabelKeySecret(ctx context.Context, userSecret liqo.KeySecret) error {
	return e.labelKeySecret(ctx, userSecret, string(e.Remote.ID), map[string]any{
		consts.RemoteClusterID: nil, consts.GatewayResourceLabel: nil,
	})
}

// labelKeySecret sets labels of the user's Secret, or removes those that are nil. It leaves a Secret alone whose label
// is not for the cluster with the ID remote. An empty ID stands for a Secret without that label. A missing Secret is
// not an error.
func (e *End) labelKeySecret(
	ctx context.Context, userSecret liqo.KeySecret, remote string, labels map[string]any,
) error {
	if userSecret.Name == "" {
		return nil
	}
	secret, err := e.readSecret(ctx, e.keyOf(userSecret))
	if err != nil || secret == nil || cluster.RemoteID(secret) != remote {
		return err
	}
	return cluster.IgnoreAbsent(e.patchSecret(ctx, secret, map[string]any{"metadata": map[string]any{"labels": labels}}))
}

// setRotation records the rotation of the keys on a gateway that is to be written. Without a rotation, it records
// nothing.
func setRotation(gateway client.Object, rotation string) {
	if rotation != "" {
		cluster.SetAnnotation(gateway, liqo.RotationAnnotation, rotation)
	}
}

// rotation is the rotation of the keys of an existing gateway.
type rotation struct {
	value    string                        // of `key_rotation_trigger`, or empty
	secret   *metav1.PartialObjectMetadata // nil if Liqo has made no keys
	restarts bool                          // the gateway's pods still have the former keys
}

// rotates reports whether the gateway gets new keys. One without keys gets new ones from Liqo anyway. An empty rotation
// keeps the keys.
func rotates(o liqo.Objects, rotation string) bool {
	return rotation != "" && rotation != o.TunnelSettings().KeyRotation && o.Keys() != nil
}

// rotateKeys writes new keys to the Secret of an existing gateway, if they are due. The keys of an interrupted rotation
// stay, also if its value is no longer wanted: the other leaf may know them already.
func (e *End) rotateKeys(ctx context.Context, objects liqo.Objects, value string) (rotation, error) {
	r := rotation{value: value}
	keys := keysByLiqo(objects.Gateway.Keys, objects.Gateway.Secret.Name)
	if keys == nil {
		return r, nil
	}
	var err error
	if r.secret, err = e.readSecret(ctx, keys.key); err != nil || r.secret == nil {
		return r, err // without it, the gateway is replaced
	}
	made, due := r.secret.Annotations[liqo.RotationAnnotation], rotates(objects, value)
	r.restarts = due || made != "" && made != objects.TunnelSettings().KeyRotation
	if !due || made == value {
		return r, nil
	}
	private, err := ecdh.X25519().GenerateKey(rand.Reader)
	if err != nil {
		return r, err
	}
	return r, e.patchKeys(ctx, r, map[string][]byte{
		consts.PrivateKeyField: private.Bytes(), consts.PublicKeyField: private.PublicKey().Bytes(),
	})
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

// keysByLiqo returns the Secret that Liqo has created for a gateway's keys, as the gateway reports it. It returns nil
// before that, or if the user set one with this name.
func keysByLiqo(keys *corev1.ObjectReference, userSecret string) *dependent {
	if keys == nil || userSecret != "" {
		return nil
	}
	key := client.ObjectKey{Namespace: keys.Namespace, Name: keys.Name}
	return &dependent{corev1.SchemeGroupVersion.WithKind("Secret"), key}
}

// keysLost reports whether someone deleted the Secret that Liqo had created for a gateway's keys. Liqo creates another
// one, with other keys, only when it reconciles the gateway again. Until then the other leaf can't get a key, but a
// tunnel that is up stays up.
func (e *End) keysLost(ctx context.Context, gateway *liqo.Gateway) (bool, error) {
	secret := keysByLiqo(gateway.Keys, gateway.Secret.Name)
	if secret == nil {
		return false, nil
	}
	return e.Leaf.Gone(ctx, secret.kind, secret.key)
}

// UntilFormerKeysGone waits until Kubernetes has deleted the keys of a gateway that no longer exists, which an
// interrupted destroy has left. Otherwise Liqo would give them to the next gateway just before they go. Namespace is
// the one that the user set, or empty.
func (e *End) UntilFormerKeysGone(ctx context.Context, namespace string) error {
	key := e.keyOf(liqo.KeySecret{Namespace: namespace, Name: gatewayforge.GatewayResourceName(string(e.Remote.ID))})
	secret, err := e.readSecret(ctx, key)
	if err != nil || secret == nil {
		return err
	}
	objects, err := e.Find(ctx)
	if err != nil {
		return err
	}
	gateway := objects.Gateway
	for _, reference := range secret.OwnerReferences {
		if slices.Contains(gatewayKinds, reference.Kind) && (gateway == nil || gateway.GetUID() != reference.UID) {
			return e.untilGone(ctx, secret.GroupVersionKind(), key)
		}
	}
	return nil
}

// readSecret reads the metadata of a Secret, and not its keys. It returns nil if there is no such Secret.
func (e *End) readSecret(ctx context.Context, key client.ObjectKey) (*metav1.PartialObjectMetadata, error) {
	secret := &metav1.PartialObjectMetadata{}
	secret.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	if exists, err := e.Leaf.Get(ctx, key, secret); !exists {
		return nil, err
	}
	return secret, nil
}

// patchSecret merges changes into a Secret.
func (e *End) patchSecret(ctx context.Context, secret *metav1.PartialObjectMetadata, changes map[string]any) error {
	patch, err := json.Marshal(changes)
	if err != nil {
		return err
	}
	return e.Leaf.Patch(ctx, secret, client.RawPatch(types.MergePatchType, patch))
}
