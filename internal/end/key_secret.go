package end

import (
	"bytes"
	"cmp"
	"context"
	"crypto/ecdh"
	"encoding/json"
	"fmt"

	"github.com/liqotech/liqo/pkg/consts"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// keyOf returns the namespace and name of the Secret.
func (e *End) keyOf(secret liqo.KeySecret) client.ObjectKey {
	return client.ObjectKey{Namespace: cmp.Or(secret.Namespace, e.forgeTenantNamespace().Name), Name: secret.Name}
}

// CheckKeySecret fails if a gateway could not take its keys from the Secret. With adopt, a tenant namespace of someone
// else becomes the owner's.
func (e *End) CheckKeySecret(ctx context.Context, secret liqo.KeySecret, adopt bool) error {
	if secret.Name == "" || secret.Namespace != "" {
		return e.checkKeys(ctx, secret.Namespace, secret.Name)
	}
	tenant, err := e.TenantNamespace(ctx)
	switch {
	case err != nil:
		return err
	case tenant == nil:
		return e.secretNotKept(e.forgeTenantNamespace().Name, secret.Name)
	case adopt:
		return e.secretNotKept(tenant.Name, secret.Name)
	default:
		return e.checkKeys(ctx, tenant.Name, secret.Name)
	}
}

// checkKeys fails if the user's Secret lacks the keys of a gateway, or if a destroy would delete the Secret. It
// succeeds if name is empty. Liqo's controller would only log that it can't use the Secret, and a gateway whose keys do
// not belong together never gets an answer. Another check reports a missing namespace.
func (e *End) checkKeys(ctx context.Context, namespace, name string) error {
	if name == "" {
		return nil
	}
	var place corev1.Namespace
	if err := e.Leaf.Live.Get(ctx, client.ObjectKey{Name: namespace}, &place); err != nil {
		return e.Leaf.Explain(client.IgnoreNotFound(err))
	}
	if _, tenant := place.Labels[consts.TenantNamespaceLabel]; tenant && owner.Managed(&place) {
		return e.secretNotKept(namespace, name)
	}
	problem := func(id trouble.ID, summary, detail string, err error) error {
		return &trouble.Problem{
			ID: id, Leaf: e.Leaf.Name, Err: err,
			Summary: fmt.Sprintf("Secret %s/%s %s", namespace, name, summary),
			Advice: detail +
				" The field `privateKey` must be a WireGuard key of 32 bytes. The field `publicKey` must be the " +
				"public key that belongs to it, also of 32 bytes. These are the outputs of `wg genkey` and `wg pubkey`, " +
				"decoded from base64 once.",
		}
	}
	var secret corev1.Secret
	err := e.Leaf.Live.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, &secret)
	if apierrors.IsNotFound(err) {
		return problem("key-secret-missing", "does not exist",
			"Create the Secret that `key_secret` names, in the namespace of the gateway.", err)
	}
	if err != nil {
		return e.Leaf.Explain(err)
	}
	private, err := ecdh.X25519().NewPrivateKey(secret.Data[consts.PrivateKeyField])
	if err != nil {
		return problem("private-key-invalid", "has no private key", "Its `privateKey` is not a private key.", err)
	}
	if !bytes.Equal(private.PublicKey().Bytes(), secret.Data[consts.PublicKeyField]) {
		return problem("key-pair-mismatch", "has another public key",
			"Its `publicKey` does not belong to its `privateKey`.", nil)
	}
	return nil
}

// prepareKeys fails as checkKeys does, and else sets the labels by which Liqo finds the user's Secret. Liqo 1.0.0 never
// gets a gateway up without them. Later versions set them themselves.
func (e *End) prepareKeys(ctx context.Context, gateway client.Object) error {
	namespace, name := gateway.GetNamespace(), fieldsOfGateway(gateway).userSecret.Name
	if err := e.checkKeys(ctx, namespace, name); err != nil || name == "" {
		return err
	}
	return e.labelKeySecret(ctx, liqo.KeySecret{Namespace: namespace, Name: name}, "", map[string]any{
		consts.RemoteClusterID: string(e.Remote.ID), consts.GatewayResourceLabel: consts.GatewayResourceLabelValue,
	})
}

// secretNotKept returns the problem of a user's Secret in a tenant namespace that is deleted with the shortcut.
func (e *End) secretNotKept(namespace, name string) *trouble.Problem {
	return &trouble.Problem{
		ID: "key-secret-not-kept", Leaf: e.Leaf.Name,
		Summary: fmt.Sprintf("Secret %s/%s would be deleted with the shortcut", namespace, name),
		Advice: fmt.Sprintf("A destroy must not delete the Secret that `key_secret` names. But namespace %s is a tenant "+
			"namespace: the provider creates it or takes it over, and deletes it on destroy with everything in it. "+
			"Set the namespace at this end (`client_namespace`, `server_namespace` or `namespace`) to one of your own, and put "+
			"the Secret there.", namespace),
	}
}

// ReleaseKeySecret removes Liqo's labels from a Secret that earlier settings set for the gateway. If the gateway still
// uses the Secret, the labels stay until the gateway is removed.
func (e *End) ReleaseKeySecret(ctx context.Context, former liqo.KeySecret) error {
	objects, err := e.Find(ctx)
	if err != nil || e.keyOf(objects.KeySecret()) == e.keyOf(former) {
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
	return client.IgnoreNotFound(e.patchSecret(ctx, secret, map[string]any{"metadata": map[string]any{"labels": labels}}))
}

// readSecret reads the metadata of a Secret, and not its keys. It returns nil if there is no such Secret.
func (e *End) readSecret(ctx context.Context, key client.ObjectKey) (*metav1.PartialObjectMetadata, error) {
	secret := &metav1.PartialObjectMetadata{}
	secret.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	err := e.Leaf.Live.Get(ctx, key, secret)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return secret, e.Leaf.Explain(err)
}

// patchSecret merges changes into a Secret.
func (e *End) patchSecret(ctx context.Context, secret *metav1.PartialObjectMetadata, changes map[string]any) error {
	patch, err := json.Marshal(changes)
	if err != nil {
		return err
	}
	return e.Leaf.Persist(ctx, func() error {
		return e.Leaf.Live.Patch(
			ctx, secret, client.RawPatch(types.MergePatchType, patch), client.FieldOwner(cluster.FieldManager))
	})
}
