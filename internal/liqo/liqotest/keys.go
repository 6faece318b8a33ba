package liqotest

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo/reactions"
)

// KeySecret is a Secret with new keys that a gateway can take.
func KeySecret(tb testing.TB, namespace, name string) *corev1.Secret {
	tb.Helper()
	secret, err := reactions.Keys(metav1.ObjectMeta{Namespace: namespace, Name: name})
	if err != nil {
		tb.Fatal(err)
	}
	return secret
}
