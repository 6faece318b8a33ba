package end

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/liqotech/liqo/pkg/consts"
	tenantnamespace "github.com/liqotech/liqo/pkg/tenantNamespace"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

func TestASecretWithoutUsableKeysIsRefused(t *testing.T) {
	keys, others := clustertest.NewKeys(t), clustertest.NewKeys(t)
	for name, test := range map[string]struct {
		secret  []client.Object
		summary string // of the problem; empty for none
	}{
		"its own keys": {[]client.Object{clustertest.KeySecret("rome", keys)}, ""},
		"none":         {nil, "Secret liqo-tenant-rome/my-keys does not exist"},
		"nothing in it": {[]client.Object{clustertest.KeySecret("rome", nil)},
			"Secret liqo-tenant-rome/my-keys has no private key"},
		"text": {
			[]client.Object{clustertest.KeySecret("rome",
				map[string][]byte{"privateKey": []byte("yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk=")})},
			"Secret liqo-tenant-rome/my-keys has no private key",
		},
		"keys of two pairs": {
			[]client.Object{clustertest.KeySecret("rome",
				map[string][]byte{"privateKey": keys["privateKey"], "publicKey": others["publicKey"]})},
			"Secret liqo-tenant-rome/my-keys has another public key",
		},
	} {
		t.Run(name, func(t *testing.T) {
			tenant := tenantnamespace.NewManager(nil, nil).ForgeNamespace("rome", nil) // of a peering
			server := milansEnd(t, append(test.secret, tenant)...)
			err := server.checkKeys(t.Context(), client.ObjectKey{Namespace: "liqo-tenant-rome", Name: "my-keys"})
			if (err == nil) != (test.summary == "") || (err != nil &&
				explain.Summary(err) != test.summary+` on leaf "milan"`) {
				t.Errorf("got %v", err)
			}
			if err != nil && strings.Contains(err.Error(), "yAnz5") {
				t.Errorf("the error shows the key: %v", err)
			}
		})
	}
}

func TestAUsersSecretIsLabelledForItsGatewayUnlessItIsForAnotherOne(t *testing.T) {
	for before, after := range map[string]string{"": "rome", "rome": "rome", "naples": "naples"} {
		t.Run(before, func(t *testing.T) {
			secret := clustertest.KeySecret("rome", clustertest.NewKeys(t))
			secret.Labels = map[string]string{"team": "network"}
			if before != "" {
				secret.Labels[consts.RemoteClusterID] = before
			}
			milan := milansEnd(t, clustertest.Namespace(secret.Namespace), secret)
			if _, err := milan.EnsureGateway(t.Context(), secret.Namespace, liqo.Endpoint{}, exposed()); err != nil {
				t.Fatal(err)
			}
			var found corev1.Secret
			must(t, milan.Leaf.Clients().Live.Get(t.Context(), client.ObjectKeyFromObject(secret), &found))
			if cluster.RemoteID(&found) != after || found.Labels["team"] != "network" {
				t.Errorf("it is labelled for %q, and now %v", before, found.Labels)
			}
		})
	}
}

func TestAGatewayWithoutItsKeysIsRefused(t *testing.T) {
	namespace, settings := "own", dialled()
	rome := romesEnd(t, clustertest.Namespace(namespace))
	err := rome.CheckAgain(t.Context(), Intent{Namespace: &namespace, Gateway: &settings, NewNamespace: true})
	if explain.Summary(err) != `Secret own/my-keys does not exist on leaf "rome"` || !explain.Refused(err) {
		t.Errorf("got %v", err)
	}
}

func TestAUsersSecretMustOutliveTheShortcut(t *testing.T) {
	managedTenant := ours(clustertest.TenantNamespace("rome"))
	inOwn := clustertest.KeySecret("rome", clustertest.NewKeys(t))
	inOwn.Namespace = "own"
	const refused = `Secret liqo-tenant-rome/my-keys would be deleted with the shortcut on leaf "milan"`
	for name, test := range map[string]struct {
		objects []client.Object
		keys    liqo.KeySecret
		claims  bool
		summary string // of the problem; empty for none
	}{
		"Liqo's": {nil, liqo.KeySecret{}, false, ""},
		"in a namespace of one's own": {[]client.Object{clustertest.Namespace("own"), inOwn},
			liqo.KeySecret{Namespace: "own"}, false, ""},
		"in one that does not exist": {nil, liqo.KeySecret{Namespace: "own"}, false,
			""}, // another check reports it
		"in a peering's tenant namespace": {[]client.Object{clustertest.TenantNamespace("rome"),
			clustertest.KeySecret("rome", clustertest.NewKeys(t))}, liqo.KeySecret{}, false, ""},
		"in one that an import claims": {[]client.Object{clustertest.TenantNamespace("rome"),
			clustertest.KeySecret("rome", clustertest.NewKeys(t))}, liqo.KeySecret{}, true, refused},
		"in one that will be made": {nil, liqo.KeySecret{}, false, refused},
		"in one that was made": {[]client.Object{managedTenant,
			clustertest.KeySecret("rome", clustertest.NewKeys(t))}, liqo.KeySecret{}, false, refused},
		"in one that was made, although asked for": {[]client.Object{managedTenant,
			clustertest.KeySecret("rome", clustertest.NewKeys(t))}, liqo.KeySecret{Namespace: managedTenant.Name}, false,
			refused},
	} {
		t.Run(name, func(t *testing.T) {
			if name != "Liqo's" {
				test.keys.Name = "my-keys"
			}
			milan := milansEnd(t, test.objects...)
			milan.Owner.Claims = test.claims
			err := milan.checkKeySecret(t.Context(),
				Intent{Namespace: &test.keys.Namespace, Gateway: &liqo.GatewaySettings{KeySecret: test.keys.Name}})
			if (err == nil) != (test.summary == "") || (err != nil && explain.Summary(err) != test.summary) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestAUsersSecretOutlivesTheGatewayUnchanged(t *testing.T) {
	gateway := clustertest.WireGuard(ours(clustertest.GatewayServer("rome", 51840)))
	gateway.Spec.SecretRef.Name = "my-keys"
	gateway.Status.SecretRef = &corev1.ObjectReference{Namespace: "liqo-tenant-rome", Name: "my-keys"}
	keys := clustertest.NewKeys(t)
	leaf := clustertest.Leaf(t, "milan", gateway, clustertest.KeySecret("rome", keys))
	server := endAt(leaf, "rome")
	must(t, server.RemoveGateways(t.Context()))
	var left corev1.Secret
	must(t, leaf.Clients().Live.Get(t.Context(), client.ObjectKey{Namespace: "liqo-tenant-rome", Name: "my-keys"},
		&left))
	if len(left.Labels) != 1 || left.Labels["team"] != "network" ||
		!bytes.Equal(left.Data["privateKey"], keys["privateKey"]) {
		t.Errorf("the Secret has labels %v and %d fields", left.Labels, len(left.Data))
	}
}

func TestAUsersSecretIsUnlabelledEvenIfTheGatewayIsGone(t *testing.T) {
	milan := clustertest.Leaf(t, "milan", clustertest.KeySecret("rome", nil))
	server := endAt(milan, "rome")
	must(t, server.RemoveGateways(t.Context(), liqo.KeySecret{Name: "my-keys"}))
	var left corev1.Secret
	key := client.ObjectKey{Namespace: "liqo-tenant-rome", Name: "my-keys"}
	if err := milan.Clients().Live.Get(t.Context(), key, &left); err != nil || len(left.Labels) != 1 ||
		left.Labels["team"] != "network" {
		t.Errorf("it has labels %v (%v)", left.Labels, err)
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
		t.Run(name, func(t *testing.T) {
			lost, err := romesEnd(t, test.objects...).keysLost(t.Context(),
				&liqo.Gateway{Keys: test.keys, Secret: &corev1.LocalObjectReference{Name: test.userSecret}})
			if err != nil || lost != test.lost {
				t.Errorf("lost: %t (%v)", lost, err)
			}
		})
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
				must(t, rome.Leaf.Clients().Live.Delete(t.Context(), keysOf("gone")))
				must(t, <-ended)
			})
		})
	}
}
