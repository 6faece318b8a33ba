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
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
)

// KeySecret names a Secret of the user's own with the keys of a gateway. Without a name there is none; without a
// namespace it is in the tenant namespace.
type KeySecret struct{ Namespace, Name string }

// keySecret is the Secret of the user's own that the gateway was given; without a name where there is none.
func (o Objects) keySecret() KeySecret {
	switch {
	case o.GatewayServer != nil && o.GatewayServer.Spec.SecretRef.Name != "":
		return KeySecret{Namespace: o.GatewayServer.Namespace, Name: o.GatewayServer.Spec.SecretRef.Name}
	case o.GatewayClient != nil && o.GatewayClient.Spec.SecretRef.Name != "":
		return KeySecret{Namespace: o.GatewayClient.Namespace, Name: o.GatewayClient.Spec.SecretRef.Name}
	default:
		return KeySecret{}
	}
}

// keyOf is where the Secret is.
func (e *End) keyOf(secret KeySecret) client.ObjectKey {
	return client.ObjectKey{Namespace: cmp.Or(secret.Namespace, e.forgeTenantNamespace().Name), Name: secret.Name}
}

// CheckKeySecret fails if a gateway could not take its keys from that Secret. With adopt, a tenant namespace of
// somebody else's becomes the owner's.
func (e *End) CheckKeySecret(ctx context.Context, secret KeySecret, adopt bool) error {
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

// checkKeys makes sure that a Secret of the user's own holds what a gateway takes from it, and that a destroy leaves it
// alone; nothing is asked where there is none. Liqo's controller would only repeat in its log that it can't be used,
// and a gateway with keys that do not belong together never gets an answer. A namespace that does not exist is another
// check's finding.
func (e *End) checkKeys(ctx context.Context, namespace, name string) error {
	if name == "" {
		return nil
	}
	var place corev1.Namespace
	if err := e.Leaf.Live.Get(ctx, client.ObjectKey{Name: namespace}, &place); err != nil {
		return e.Leaf.Explain(client.IgnoreNotFound(err))
	}
	if _, tenant := place.Labels[consts.TenantNamespaceLabel]; tenant && managed(&place) {
		return e.secretNotKept(namespace, name)
	}
	problem := func(summary, detail string, err error) error {
		return &explain.Problem{
			Leaf: e.Leaf.Name, Summary: fmt.Sprintf("Secret %s/%s %s", namespace, name, summary), Err: err,
			Detail: detail + " The field `privateKey` must be a WireGuard key and `publicKey` the one that belongs to it, each of 32 bytes, " +
				"which is what `wg genkey` and `wg pubkey` print, decoded from base64 once.",
		}
	}
	var secret corev1.Secret
	err := e.Leaf.Live.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, &secret)
	if apierrors.IsNotFound(err) {
		return problem("does not exist", "`key_secret` names a Secret that you make yourself, in the namespace of the gateway.", err)
	}
	if err != nil {
		return e.Leaf.Explain(err)
	}
	private, err := ecdh.X25519().NewPrivateKey(secret.Data[consts.PrivateKeyField])
	if err != nil {
		return problem("has no private key", "What it has as `privateKey` is none.", err)
	}
	if !bytes.Equal(private.PublicKey().Bytes(), secret.Data[consts.PublicKeyField]) {
		return problem("has another public key", "What it has as `publicKey` does not belong to its `privateKey`.", nil)
	}
	return nil
}

// secretNotKept is the problem that a Secret of the user's own is to be in a tenant namespace which goes with the
// shortcut.
func (e *End) secretNotKept(namespace, name string) *explain.Problem {
	return &explain.Problem{
		Leaf:    e.Leaf.Name,
		Summary: fmt.Sprintf("Secret %s/%s would go with the shortcut", namespace, name),
		Detail: fmt.Sprintf("`key_secret` names a Secret that a destroy leaves alone, but namespace %s is a tenant namespace that the provider makes or takes over, and "+
			"removes on destroy with all that is in it. Set `client_namespace` or `server_namespace`, whichever is this leaf's, to a namespace of your own, and put "+
			"the Secret there.", namespace),
	}
}

// ReleaseKeySecret takes Liqo's labels off a Secret that earlier settings have given to the gateway, unless it still
// uses that: then it loses them when the gateway goes.
func (e *End) ReleaseKeySecret(ctx context.Context, former KeySecret) error {
	found, err := e.Find(ctx)
	if err != nil || e.keyOf(found.keySecret()) == e.keyOf(former) {
		return err
	}
	return e.unlabelKeySecret(ctx, former)
}

// unlabelKeySecret takes from a Secret of the user's own the labels by which Liqo finds a gateway's keys. Liqo sets
// them and never takes them away: a later gateway would be given the keys of this Secret, or, with a Secret of its own,
// Liqo would find two and give up. There may be no such Secret.
func (e *End) unlabelKeySecret(ctx context.Context, of KeySecret) error {
	if of.Name == "" {
		return nil
	}
	secret := &metav1.PartialObjectMetadata{} // the keys stay where they are
	secret.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	if err := e.Leaf.Live.Get(ctx, e.keyOf(of), secret); err != nil {
		return e.Leaf.Explain(client.IgnoreNotFound(err))
	}
	if cluster.RemoteID(secret) != string(e.Remote.ID) {
		return nil // Liqo has not found it, or it is for another gateway
	}
	labels := map[string]any{consts.RemoteClusterID: nil, consts.GatewayResourceLabel: nil}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"labels": labels}})
	if err != nil {
		return err
	}
	err = e.Leaf.Live.Patch(ctx, secret, client.RawPatch(types.MergePatchType, patch), client.FieldOwner(cluster.FieldManager))
	return e.Leaf.Explain(client.IgnoreNotFound(err))
}
