package end

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

func TestOnlyKeysByLiqoAreDeletedWithTheGateway(t *testing.T) {
	used := &corev1.ObjectReference{Namespace: "liqo-tenant-rome", Name: "keys"}
	for name, goes := range map[string]bool{"": true, "keys": false} {
		meta := metav1.ObjectMeta{Namespace: "liqo-tenant-rome", Name: "rome"}
		spec := corev1.LocalObjectReference{Name: name}
		server := &networkingv1beta1.GatewayServer{ObjectMeta: meta}
		server.Spec.SecretRef, server.Status.SecretRef = spec, used
		dialling := &networkingv1beta1.GatewayClient{ObjectMeta: meta}
		dialling.Spec.SecretRef, dialling.Status.SecretRef = spec, used
		owner.Owner{}.Mark(server)
		owner.Owner{}.Mark(dialling)
		for _, objects := range []liqo.Objects{{GatewayServer: server}, {GatewayClient: dialling}} {
			if all := dependentsIn(objects, owner.Owner{}); len(all) != 1 || (all[0].keys != nil) != goes {
				t.Errorf("with key_secret %q, the Secret goes: %v, want %v", name, all, goes)
			}
		}
	}
}

func TestOnlyKeysByLiqoCanBeLost(t *testing.T) {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "liqo-tenant-milan", Name: "gw-milan"}}
	reference := &corev1.ObjectReference{Namespace: secret.Namespace, Name: secret.Name}
	for name, test := range map[string]struct {
		objects    []client.Object
		keys       *corev1.ObjectReference
		userSecret string
		lost       bool
	}{
		"not made yet":     {nil, nil, "", false},
		"made":             {[]client.Object{secret}, reference, "", false},
		"made and deleted": {nil, reference, "", true},
		"the user's own":   {nil, reference, secret.Name, false}, // another check reports it later
	} {
		client := romesEnd(t, test.objects...)
		lost, err := client.keysLost(t.Context(), test.keys, corev1.LocalObjectReference{Name: test.userSecret})
		if err != nil || lost != test.lost {
			t.Errorf("%s: lost: %t (%v)", name, lost, err)
		}
	}
}

func TestARemovalWaitsForAllDependentsOfTheGateway(t *testing.T) {
	inNamespace := metav1.ObjectMeta{Namespace: "liqo-tenant-rome", Name: "rome"}
	for expected, left := range map[string]client.Object{
		"Deployment liqo-tenant-rome/gw-rome":   clustertest.GatewayDeployment("rome"),
		"Service liqo-tenant-rome/gw-rome":      clustertest.GatewayService("rome"),
		"WgGatewayServer liqo-tenant-rome/rome": &networkingv1beta1.WgGatewayServer{ObjectMeta: inNamespace},
		"Secret liqo-tenant-rome/gw-rome": &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: "liqo-tenant-rome", Name: "gw-rome"},
		},
	} {
		synctest.Test(t, func(t *testing.T) { // no controller runs here, so the time runs out at once
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			milan := clustertest.Leaf(t, "milan", clustertest.WithServerKeys(exposedGateway()), left)
			err := endAt(milan, "rome").RemoveGateways(ctx)
			if err == nil || !strings.Contains(err.Error(), "waiting for "+expected+" to be deleted") {
				t.Errorf("%s: got %v", expected, err)
			}
		})
	}
}

func TestDependentsOfAnInterruptedRemovalAreFound(t *testing.T) {
	left := &networkingv1beta1.WgGatewayServer{
		ObjectMeta: metav1.ObjectMeta{Name: "rome", Namespace: "default",
			Labels: map[string]string{"liqo.io/remote-cluster-id": "rome"}},
		Spec: networkingv1beta1.WgGatewayServerSpec{SecretRef: corev1.LocalObjectReference{Name: "my-keys"}},
	}
	ofAnother := left.DeepCopy()
	ofAnother.Name, ofAnother.Labels = "turin", map[string]string{"liqo.io/remote-cluster-id": "turin"}
	milan := clustertest.Leaf(t, "milan", left, ofAnother)
	found, err := endAt(milan, "rome").orphans(t.Context())
	if err != nil || len(found) != 1 {
		t.Fatalf("got %v (%v)", found, err)
	}
	inDefault := func(name string) client.ObjectKey { return client.ObjectKey{Namespace: "default", Name: name} }
	if got := found[0]; got.name != inDefault("gw-rome") || got.technology.key != inDefault("rome") ||
		got.userSecret != liqo.KeySecret(inDefault("my-keys")) || got.keys != nil {
		t.Errorf("got %+v", got)
	}
}

func TestANewGatewayWaitsForTheKeysOfAFormerOneToGo(t *testing.T) {
	keysOf := func(uid types.UID) *corev1.Secret {
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "liqo-tenant-milan", Name: "gw-milan"}}
		if uid != "" {
			secret.OwnerReferences = []metav1.OwnerReference{{Kind: "GatewayClient", Name: "milan", UID: uid}}
		}
		return secret
	}
	gateway := clustertest.GatewayClient("milan")
	gateway.UID = "present"
	for name, test := range map[string]struct {
		objects []client.Object
		waits   bool
	}{
		"no keys":                   {nil, false},
		"of a gateway that is gone": {[]client.Object{keysOf("gone")}, true},
		"of a replaced gateway":     {[]client.Object{gateway, keysOf("gone")}, true},
		"of the gateway":            {[]client.Object{gateway, keysOf("present")}, false},
		"of the user":               {[]client.Object{keysOf("")}, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rome := romesEnd(t, test.objects...)
				ended := make(chan error)
				go func() { ended <- rome.UntilFormerKeysGone(t.Context(), "") }()
				synctest.Wait()
				select {
				case err := <-ended:
					if err != nil || test.waits {
						t.Errorf("it does not wait (%v)", err)
					}
					return
				default:
				}
				if !test.waits {
					t.Error("it waits")
				}
				must(t, rome.Leaf.Live.Delete(t.Context(), keysOf("gone")))
				must(t, <-ended)
			})
		})
	}
}
