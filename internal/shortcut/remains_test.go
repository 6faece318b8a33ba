package shortcut

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

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
		"Service liqo-tenant-rome/gw-rome":      gatewayService(),
		"WgGatewayServer liqo-tenant-rome/rome": &networkingv1beta1.WgGatewayServer{ObjectMeta: inNamespace},
		"Secret liqo-tenant-rome/gw-rome":       &corev1.Secret{ObjectMeta: inTenant("keys")},
	} {
		synctest.Test(t, func(t *testing.T) { // nobody collects it here: time runs out as soon as nothing else is going on
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			milan := clustertest.Leaf(t, "milan", withServerKeys(exposedGateway()), left)
			err := New(clustertest.Leaf(t, "rome"), milan).server.removeGateways(ctx)
			if err == nil || !strings.Contains(err.Error(), "waiting for "+expected+" to be deleted") {
				t.Errorf("%s: got %v", expected, err)
			}
		})
	}
}
