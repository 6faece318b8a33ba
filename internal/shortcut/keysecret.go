package shortcut

import (
	"bytes"
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

// KeySecret names a Secret of the user's own with the keys of a gateway. Without a name there is none; without a namespace it is in the tenant namespace.
type KeySecret struct{ Namespace, Name string }

// checkKeySecret makes sure that a Secret of the user's own holds what a gateway takes from it, and that a destroy leaves it alone; nothing is asked where there is none.
// Liqo's controller would only repeat in its log that it can't be used, and a gateway with keys that do not belong together never gets an answer. A namespace that does
// not exist is another check's finding.
func (s *side) checkKeySecret(ctx context.Context, namespace, name string) error {
	if name == "" {
		return nil
	}
	var place corev1.Namespace
	if err := s.leaf.Live.Get(ctx, client.ObjectKey{Name: namespace}, &place); err != nil {
		return s.leaf.Explain(client.IgnoreNotFound(err))
	}
	if _, tenant := place.Labels[consts.TenantNamespaceLabel]; tenant && managed(&place) {
		return s.secretNotKept(namespace, name)
	}
	problem := func(summary, detail string, err error) error {
		return &explain.Problem{
			Leaf: s.leaf.Name, Summary: fmt.Sprintf("Secret %s/%s %s", namespace, name, summary), Err: err,
			Detail: detail + " The field `privateKey` must be a WireGuard key and `publicKey` the one that belongs to it, each of 32 bytes, " +
				"which is what `wg genkey` and `wg pubkey` print, decoded from base64 once.",
		}
	}
	var secret corev1.Secret
	err := s.leaf.Live.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, &secret)
	if apierrors.IsNotFound(err) {
		return problem("does not exist", "`key_secret` names a Secret that you make yourself, in the namespace of the gateway.", err)
	}
	if err != nil {
		return s.leaf.Explain(err)
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

// secretNotKept is the problem that a Secret of the user's own is to be in a tenant namespace which goes with the shortcut.
func (s *side) secretNotKept(namespace, name string) *explain.Problem {
	return &explain.Problem{
		Leaf:    s.leaf.Name,
		Summary: fmt.Sprintf("Secret %s/%s would go with the shortcut", namespace, name),
		Detail: fmt.Sprintf("`key_secret` names a Secret that a destroy leaves alone, but namespace %s is a tenant namespace that the provider makes or takes over, and "+
			"removes on destroy with all that is in it. Set `client_namespace` or `server_namespace`, whichever is this leaf's, to a namespace of your own, and put "+
			"the Secret there.", namespace),
	}
}

// unlabel takes from a Secret of the user's own the labels by which Liqo finds a gateway's keys. Liqo sets them and never takes them away: a later gateway
// would be given the keys of this Secret, or, with a Secret of its own, Liqo would find two and give up. There may be no such Secret.
func (s *side) unlabel(ctx context.Context, key client.ObjectKey) error {
	if key.Name == "" {
		return nil
	}
	secret := &metav1.PartialObjectMetadata{} // the keys stay where they are
	secret.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	if err := s.leaf.Live.Get(ctx, key, secret); err != nil {
		return s.leaf.Explain(client.IgnoreNotFound(err))
	}
	if cluster.RemoteID(secret) != string(s.remote.ID) {
		return nil // Liqo has not found it, or it is for another gateway
	}
	labels := map[string]any{consts.RemoteClusterID: nil, consts.GatewayResourceLabel: nil}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"labels": labels}})
	if err != nil {
		return err
	}
	err = s.leaf.Live.Patch(ctx, secret, client.RawPatch(types.MergePatchType, patch), client.FieldOwner(cluster.FieldManager))
	return s.leaf.Explain(client.IgnoreNotFound(err))
}
