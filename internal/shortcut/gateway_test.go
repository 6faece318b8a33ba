package shortcut

import (
	"context"
	"reflect"
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

// inRome is Milan's [keySecret] as Rome would have it.
func inRome(secret *corev1.Secret) *corev1.Secret {
	secret.Namespace = "liqo-tenant-milan"
	return secret
}

func TestTheGatewaysHaveEverySettingOfTheSpec(t *testing.T) {
	spec := everything()
	s := New(clustertest.Leaf(t, "rome", inRome(keySecret(newKeys(t)))), clustertest.Leaf(t, "milan", keySecret(newKeys(t)))).OwnedBy(me)
	if _, err := s.server.ensureGatewayServer(t.Context(), "liqo-tenant-rome", spec.Server); err != nil {
		t.Fatal(err)
	}
	if _, err := s.client.ensureGatewayClient(t.Context(), "liqo-tenant-milan", Endpoint{Addresses: []string{"172.18.0.2"}, Port: 31000, Protocol: "UDP"}, spec.Client); err != nil {
		t.Fatal(err)
	}
	state, err := s.Observe(t.Context(), false)
	if err != nil || !state.Exists {
		t.Fatalf("exists: %t (%v)", state.Exists, err)
	}
	if state.ServerGateway == nil || !reflect.DeepEqual(*state.ServerGateway, spec.Server) {
		t.Errorf("the server's gateway is %+v", state.ServerGateway)
	}
	if state.ClientGateway == nil || *state.ClientGateway != spec.Client {
		t.Errorf("the client's gateway is %+v", state.ClientGateway)
	}
	if state.Client.MTU != 1400 || state.Server.MTU != 1400 || state.Client.Namespace != "liqo-tenant-milan" || state.Server.Namespace != "liqo-tenant-rome" {
		t.Errorf("the ends are %+v and %+v", state.Client, state.Server)
	}
}

func TestAGatewayThatExistsIsChangedAndNotMadeTwice(t *testing.T) {
	exposed, dialling := ours(serverGateway("rome", 51840)), ours(clientGateway("172.18.0.2"))
	exposed.Name, dialling.Name = "of-another-name", "of-another-name"
	s := New(clustertest.Leaf(t, "rome", dialling), clustertest.Leaf(t, "milan", exposed))
	spec := overNodePort
	spec.Server.MTU, spec.Client.MTU = 1400, 1400
	if _, err := s.server.ensureGatewayServer(t.Context(), "liqo-tenant-rome", spec.Server); err != nil {
		t.Fatal(err)
	}
	if _, err := s.client.ensureGatewayClient(t.Context(), "liqo-tenant-milan", Endpoint{Addresses: []string{"172.18.0.2"}, Port: 31000}, spec.Client); err != nil {
		t.Fatal(err)
	}
	state, err := s.Observe(t.Context(), false)
	if err != nil || state.Client.MTU != 1400 || state.Server.MTU != 1400 {
		t.Errorf("the MTUs are %d and %d (%v)", state.Client.MTU, state.Server.MTU, err)
	}
	for _, on := range s.ends() {
		if found, err := on.find(t.Context()); err != nil || len(found.made()) != 1 || len(found.extra) != 0 {
			t.Errorf("on %s are %d objects and %d more (%v)", on.leaf.Name, len(found.made()), len(found.extra), err)
		}
	}
}

func TestAGatewayWithoutItsKeysIsNotMade(t *testing.T) {
	s := New(clustertest.Leaf(t, "rome", namespaceNamed("liqo-tenant-milan")), clustertest.Leaf(t, "milan", namespaceNamed("liqo-tenant-rome")))
	if _, err := s.server.ensureGatewayServer(t.Context(), "liqo-tenant-rome", everything().Server); Summary(err) != `Secret liqo-tenant-rome/my-keys does not exist on leaf "milan"` {
		t.Errorf("the server: %v", err)
	}
	if _, err := s.client.ensureGatewayClient(t.Context(), "liqo-tenant-milan", Endpoint{}, everything().Client); Summary(err) != `Secret liqo-tenant-milan/my-keys does not exist on leaf "rome"` {
		t.Errorf("the client: %v", err)
	}
	if state, err := s.Observe(t.Context(), false); err != nil || state.Joined {
		t.Errorf("there is a gateway all the same (%v)", err)
	}
}

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

func TestKeysAreMissedOnlyWhereLiqoHasMadeThem(t *testing.T) {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "liqo-tenant-milan", Name: "gw-milan"}}
	reference := &corev1.ObjectReference{Namespace: secret.Namespace, Name: secret.Name}
	for name, test := range map[string]struct {
		objects []client.Object
		keys    *corev1.ObjectReference
		brought string
		lost    bool
	}{
		"not made yet":     {nil, nil, "", false},
		"made":             {[]client.Object{secret}, reference, "", false},
		"made and deleted": {nil, reference, "", true},
		"the user's own":   {nil, reference, secret.Name, false}, // an error tells of it, later
	} {
		client := New(clustertest.Leaf(t, "rome", test.objects...), clustertest.Leaf(t, "milan")).client
		lost, err := client.keysLost(t.Context(), test.keys, corev1.LocalObjectReference{Name: test.brought})
		if err != nil || lost != test.lost {
			t.Errorf("%s: lost: %t (%v)", name, lost, err)
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

func TestWhatAnInterruptedRemovalHasLeftIsFound(t *testing.T) {
	left := &networkingv1beta1.WgGatewayServer{
		ObjectMeta: metav1.ObjectMeta{Name: "rome", Namespace: "default", Labels: map[string]string{"liqo.io/remote-cluster-id": "rome"}},
		Spec:       networkingv1beta1.WgGatewayServerSpec{SecretRef: corev1.LocalObjectReference{Name: "my-keys"}},
	}
	ofAnother := left.DeepCopy()
	ofAnother.Name, ofAnother.Labels = "turin", map[string]string{"liqo.io/remote-cluster-id": "turin"}
	milan := clustertest.Leaf(t, "milan", left, ofAnother)
	found, err := New(clustertest.Leaf(t, "rome"), milan).server.orphans(t.Context())
	if err != nil || len(found) != 1 {
		t.Fatalf("got %v (%v)", found, err)
	}
	inDefault := func(name string) client.ObjectKey { return client.ObjectKey{Namespace: "default", Name: name} }
	if got := found[0]; got.name != inDefault("gw-rome") || got.technology.key != inDefault("rome") || got.brought != inDefault("my-keys") || got.keys != nil {
		t.Errorf("got %+v", got)
	}
}
