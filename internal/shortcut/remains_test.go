package shortcut

import (
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestOnlyKeysThatLiqoMadeGoWithTheGateway(t *testing.T) {
	used := &corev1.ObjectReference{Namespace: "liqo-tenant-rome", Name: "keys"}
	for asked, goes := range map[string]bool{"": true, "keys": false} {
		meta, spec := metav1.ObjectMeta{Namespace: "liqo-tenant-rome", Name: "rome"}, corev1.LocalObjectReference{Name: asked}
		server := &networkingv1beta1.GatewayServer{ObjectMeta: meta}
		server.Spec.SecretRef, server.Status.SecretRef = spec, used
		client := &networkingv1beta1.GatewayClient{ObjectMeta: meta}
		client.Spec.SecretRef, client.Status.SecretRef = spec, used
		Owner{}.mark(server)
		Owner{}.mark(client)
		for _, found := range []objects{{server: server}, {client: client}} {
			if all := found.madeForGateways(Owner{}); len(all) != 1 || (all[0].keys != nil) != goes {
				t.Errorf("with key_secret %q, the Secret goes: %v, want %v", asked, all, goes)
			}
		}
	}
}
