package end

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

func TestOnlyKeysByLiqoAreDeletedWithTheGateway(t *testing.T) {
	used := &corev1.ObjectReference{Namespace: "liqo-tenant-rome", Name: "keys"}
	for name, goes := range map[string]bool{"": true, "keys": false} {
		t.Run(name, func(t *testing.T) {
			meta := metav1.ObjectMeta{Namespace: "liqo-tenant-rome", Name: "rome"}
			spec := corev1.LocalObjectReference{Name: name}
			server := &networkingv1beta1.GatewayServer{ObjectMeta: meta}
			server.Spec.SecretRef, server.Status.SecretRef = spec, used
			dialling := &networkingv1beta1.GatewayClient{ObjectMeta: meta}
			dialling.Spec.SecretRef, dialling.Status.SecretRef = spec, used
			owner.Owner{}.Mark(server)
			owner.Owner{}.Mark(dialling)
			for _, objects := range []liqo.Objects{{Gateway: liqo.GatewayOf(server)}, {Gateway: liqo.GatewayOf(dialling)}} {
				if all := dependentsIn(objects, owner.Owner{}); len(all) != 1 || (all[0].keys != nil) != goes {
					t.Errorf("with key_secret_name %q, the Secret goes: %v, want %v", name, all, goes)
				}
			}
		})
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
		t.Run(expected, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // no controller runs here, so the time runs out at once
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				milan := clustertest.Leaf(t, "milan", clustertest.WithServerKeys(exposedGateway()), left)
				err := endAt(milan, "rome").RemoveGateways(ctx)
				if err == nil || !strings.Contains(err.Error(), "waiting for "+expected+" to be deleted") {
					t.Errorf("got %v", err)
				}
			})
		})
	}
}

func TestAWaitForAGatewayEndsOnceTheLeafHasRefusedTwice(t *testing.T) {
	for name, test := range map[string]struct {
		passes bool // the refusal does
		ended  string
	}{
		"a refusal that stays":  {false, `A refusal was found while waiting for the tunnel to come up on "milan".`},
		"a refusal that passes": {true, `Time ran out while waiting for the tunnel to come up on "milan".`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // no controller runs here
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				refused := clustertest.GatewayDeployment("rome")
				refused.Status.Conditions = []appsv1.DeploymentCondition{{
					Type: appsv1.DeploymentReplicaFailure, Status: corev1.ConditionTrue, Message: "exceeded quota",
				}}
				milan := clustertest.Leaf(t, "milan", exposedGateway(), clustertest.GatewayService("rome"), refused)
				if test.passes {
					time.AfterFunc(firstLook+time.Second, func() { must(t, milan.Clients().Live.Delete(ctx, refused)) })
				}
				began := time.Now()
				err := endAt(milan, "rome").WaitForConnection(ctx)
				if detail := explain.Detail(err); !strings.HasPrefix(detail, test.ended) {
					t.Errorf("got:\n%s", detail)
				}
				if took := time.Since(began); !test.passes && (took > 10*time.Second ||
					explain.Summary(err) != `the gateway's pod is refused on leaf "milan"`) {
					t.Errorf("after %v: %v", took, err)
				}
			})
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
	found, _, err := endAt(milan, "rome").orphans(t.Context())
	if err != nil || len(found) != 1 {
		t.Fatalf("got %v (%v)", found, err)
	}
	inDefault := func(name string) client.ObjectKey { return client.ObjectKey{Namespace: "default", Name: name} }
	if got := found[0]; got.name != inDefault("gw-rome") || got.technology.key != inDefault("rome") ||
		got.userSecret != liqo.KeySecret(inDefault("my-keys")) || got.keys != nil {
		t.Errorf("got %+v", got)
	}
}
