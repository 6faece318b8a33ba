package liqotest

import (
	"crypto/ecdh"
	"crypto/rand"
	"testing"

	"github.com/liqotech/liqo/pkg/consts"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// KeySecret is a Secret with new keys that a gateway can take.
func KeySecret(tb testing.TB, namespace, name string) *corev1.Secret {
	tb.Helper()
	secret, err := newKeySecret(namespace, name)
	if err != nil {
		tb.Fatal(err)
	}
	return secret
}

func newKeySecret(namespace, name string) (*corev1.Secret, error) {
	private, err := ecdh.X25519().GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Data: map[string][]byte{
			consts.PrivateKeyField: private.Bytes(), consts.PublicKeyField: private.PublicKey().Bytes(),
		},
	}, nil
}
