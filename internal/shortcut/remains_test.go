package shortcut

import (
	"context"
	"strings"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

func TestOnlyKeysThatLiqoMadeGoWithTheGateway(t *testing.T) {
	used := &corev1.ObjectReference{Namespace: "liqo-tenant-rome", Name: "keys"}
	for asked, goes := range map[string]bool{"": true, "keys": false} {
		meta, spec := metav1.ObjectMeta{Namespace: "liqo-tenant-rome", Name: "rome"}, corev1.LocalObjectReference{Name: asked}
		server := &networkingv1beta1.GatewayServer{ObjectMeta: meta}
		server.Spec.SecretRef, server.Status.SecretRef = spec, used
		dialling := &networkingv1beta1.GatewayClient{ObjectMeta: meta}
		dialling.Spec.SecretRef, dialling.Status.SecretRef = spec, used
		Owner{}.mark(server)
		Owner{}.mark(dialling)
		for _, found := range []objects{{server: server}, {client: dialling}} {
			if all := found.madeForGateways(Owner{}); len(all) != 1 || (all[0].keys != nil) != goes {
				t.Errorf("with key_secret %q, the Secret goes: %v, want %v", asked, all, goes)
			}
		}
	}
}

func TestARemovalWaitsForAllThatLiqoHasMadeForTheGateway(t *testing.T) {
	inNamespace := metav1.ObjectMeta{Namespace: "liqo-tenant-rome", Name: "rome"}
	for expected, left := range map[string]client.Object{
		"Deployment liqo-tenant-rome/gw-rome":   gatewayDeployment(),
		"Service liqo-tenant-rome/gw-rome":      gatewayService(corev1.ServiceTypeNodePort),
		"WgGatewayServer liqo-tenant-rome/rome": &networkingv1beta1.WgGatewayServer{ObjectMeta: inNamespace},
		"Secret liqo-tenant-rome/gw-rome":       &corev1.Secret{ObjectMeta: inTenant("keys")},
	} {
		gateway := withServerKeys(exposedGateway())
		milan := clustertest.Leaf(t, "milan", gateway, left)

		// Nobody collects it here, so the removal gets as far as waiting for it.
		ctx, cancel := context.WithCancel(t.Context())
		unsubscribe, err := milan.Events.Subscribe(ctx, func(client.Object) {
			if err := milan.Live.Get(ctx, client.ObjectKeyFromObject(gateway), &networkingv1beta1.GatewayServer{}); err != nil {
				cancel() // the gateway itself is gone
			}
		}, &networkingv1beta1.GatewayServer{})
		if err != nil {
			t.Fatal(err)
		}
		err = New(clustertest.Leaf(t, "rome"), milan).server.removeGateways(ctx)
		if err == nil || !strings.Contains(err.Error(), "waiting for "+expected+" to be deleted") {
			t.Errorf("%s: got %v", expected, err)
		}
		unsubscribe()
		cancel()
	}
}
