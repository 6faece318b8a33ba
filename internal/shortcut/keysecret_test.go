package shortcut

import (
	"bytes"
	"crypto/ecdh"
	"crypto/rand"
	"strings"
	"testing"

	"github.com/liqotech/liqo/pkg/consts"
	tenantnamespace "github.com/liqotech/liqo/pkg/tenantNamespace"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
)

// newKeys are the two keys of a gateway, as a Secret has them.
func newKeys(t *testing.T) map[string][]byte {
	t.Helper()
	private, err := ecdh.X25519().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return map[string][]byte{"privateKey": private.Bytes(), "publicKey": private.PublicKey().Bytes()}
}

// keySecret is a Secret of the user's own in Milan's namespace for Rome, after Liqo has used it.
func keySecret(data map[string][]byte) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "my-keys", Namespace: "liqo-tenant-rome", Labels: map[string]string{
			"team": "network", consts.RemoteClusterID: "rome", consts.GatewayResourceLabel: consts.GatewayResourceLabelValue,
		}},
		Data: data,
	}
}

func TestASecretWithoutUsableKeysIsRefused(t *testing.T) {
	keys, others := newKeys(t), newKeys(t)
	for name, test := range map[string]struct {
		secret  []client.Object
		summary string // of the problem; empty for none
	}{
		"its own keys":  {[]client.Object{keySecret(keys)}, ""},
		"none":          {nil, "Secret liqo-tenant-rome/my-keys does not exist"},
		"nothing in it": {[]client.Object{keySecret(nil)}, "Secret liqo-tenant-rome/my-keys has no private key"},
		"text": {
			[]client.Object{keySecret(map[string][]byte{"privateKey": []byte("yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk=")})},
			"Secret liqo-tenant-rome/my-keys has no private key",
		},
		"keys of two pairs": {
			[]client.Object{keySecret(map[string][]byte{"privateKey": keys["privateKey"], "publicKey": others["publicKey"]})},
			"Secret liqo-tenant-rome/my-keys has another public key",
		},
	} {
		tenant := tenantnamespace.NewManager(nil, nil).ForgeNamespace("rome", nil) // of a peering
		server := New(clustertest.Leaf(t, "rome"), clustertest.Leaf(t, "milan", append(test.secret, tenant)...)).server
		err := server.checkKeySecret(t.Context(), "liqo-tenant-rome", "my-keys")
		if (err == nil) != (test.summary == "") || (err != nil && explain.Summary(err) != test.summary+` on leaf "milan"`) {
			t.Errorf("%s: got %v", name, err)
		}
		if err != nil && strings.Contains(err.Error(), "yAnz5") {
			t.Errorf("%s: the error shows the key: %v", name, err)
		}
	}
}

func TestASecretOfTheUsersOwnOutlivesTheGatewayAndIsAsItWas(t *testing.T) {
	gateway := wireGuard(ours(serverGateway("rome", 51840)))
	gateway.Spec.SecretRef.Name = "my-keys"
	gateway.Status.SecretRef = &corev1.ObjectReference{Namespace: "liqo-tenant-rome", Name: "my-keys"}
	keys := newKeys(t)
	leaf := clustertest.Leaf(t, "milan", gateway, keySecret(keys))
	server := New(clustertest.Leaf(t, "rome"), leaf).server
	if err := server.removeGateways(t.Context()); err != nil {
		t.Fatal(err)
	}
	var left corev1.Secret
	if err := leaf.Live.Get(t.Context(), client.ObjectKey{Namespace: "liqo-tenant-rome", Name: "my-keys"}, &left); err != nil {
		t.Fatal(err)
	}
	if len(left.Labels) != 1 || left.Labels["team"] != "network" || !bytes.Equal(left.Data["privateKey"], keys["privateKey"]) {
		t.Errorf("the Secret has labels %v and %d fields", left.Labels, len(left.Data))
	}
}
