package end

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/liqotech/liqo/pkg/consts"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// keysOf is the Secret that Liqo makes for the gateway for another cluster.
func keysOf(remote string, keys map[string][]byte) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: "liqo-tenant-" + remote, Name: "gw-" + remote}, Data: keys,
	}
}

// usersKeys is a Secret of the user's own for Milan's gateway. It has no label yet.
func usersKeys(t *testing.T, namespace string) *corev1.Secret {
	t.Helper()
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "my-keys", Labels: map[string]string{"team": "network"}},
		Data:       clustertest.NewKeys(t),
	}
}

// withKeys are Milan's settings with keys of the user's own.
func withKeys() liqo.GatewaySettings {
	settings := overNodePort()
	settings.KeySecret = "my-keys"
	return settings
}

func TestASecretWithoutUsableKeysIsRefused(t *testing.T) {
	keys, others := clustertest.NewKeys(t), clustertest.NewKeys(t)
	const text = "yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk="
	for name, test := range map[string]struct {
		keys     map[string][]byte
		headline string // of the problem; empty for none
	}{
		"its own keys":  {keys, ""},
		"nothing in it": {nil, `Secret liqo-tenant-rome/my-keys has no private key on leaf "milan"`},
		"text": {
			map[string][]byte{"privateKey": []byte(text)},
			`Secret liqo-tenant-rome/my-keys has no private key on leaf "milan"`,
		},
		"keys of two pairs": {
			map[string][]byte{"privateKey": keys["privateKey"], "publicKey": others["publicKey"]},
			`Secret liqo-tenant-rome/my-keys has another public key on leaf "milan"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			secret := clustertest.KeySecret("rome", test.keys)
			err := milansEnd(t, clustertest.TenantNamespace("rome"), secret).
				checkKeys(t.Context(), client.ObjectKeyFromObject(secret))
			says(t, err, test.headline)
			if err != nil && strings.Contains(err.Error(), text[:5]) {
				t.Errorf("the error shows the key: %v", err)
			}
		})
	}
}

func TestAUsersSecretIsLabelledForItsGatewayUnlessItIsForAnotherOne(t *testing.T) {
	for before, after := range map[string]string{"": "rome", "rome": "rome", "naples": "naples"} {
		t.Run(before, func(t *testing.T) {
			secret := usersKeys(t, "liqo-tenant-rome")
			if before != "" {
				secret.Labels[consts.RemoteClusterID] = before
			}
			milan := milansEnd(t, secret)
			ensure(t, milan, withKeys())
			if reread(t, milan, secret); cluster.RemoteID(secret) != after || secret.Labels["team"] != "network" {
				t.Errorf("it is labelled for %q, and now %v", before, secret.Labels)
			}
		})
	}
}

func TestAGatewayWithoutItsKeysIsRefused(t *testing.T) {
	namespace, settings := "own", withKeys()
	err := milansEnd(t, clustertest.Namespace(namespace)).
		CheckAgain(t.Context(), Intent{Namespace: &namespace, Gateway: &settings, NewNamespace: true})
	if says(t, err, `Secret own/my-keys does not exist on leaf "milan"`); !explain.Refused(err) {
		t.Errorf("got %v", err)
	}
}

func TestAUsersSecretMustOutliveTheShortcut(t *testing.T) {
	const refused = `Secret liqo-tenant-rome/my-keys would be deleted with the shortcut on leaf "milan"`
	of := func(namespace *corev1.Namespace) []client.Object {
		return []client.Object{namespace, usersKeys(t, namespace.Name)}
	}
	made, own := of(ours(clustertest.TenantNamespace("rome"))), liqo.KeySecret{Namespace: "own"}
	for name, test := range map[string]struct {
		objects  []client.Object
		keys     liqo.KeySecret
		claims   bool
		headline string // of the problem; empty for none
	}{
		"Liqo's":                          {},
		"in a namespace of one's own":     {objects: of(clustertest.Namespace("own")), keys: own},
		"in one that does not exist":      {keys: own}, // another check reports it
		"in a peering's tenant namespace": {objects: of(clustertest.TenantNamespace("rome"))},
		"in one that an import claims":    {of(clustertest.TenantNamespace("rome")), liqo.KeySecret{}, true, refused},
		"in one that will be made":        {nil, liqo.KeySecret{}, false, refused},
		"in one that was made":            {made, liqo.KeySecret{}, false, refused},
		"although it was asked for":       {made, liqo.KeySecret{Namespace: "liqo-tenant-rome"}, false, refused},
	} {
		t.Run(name, func(t *testing.T) {
			if name != "Liqo's" {
				test.keys.Name = "my-keys"
			}
			milan := milansEnd(t, test.objects...)
			milan.Owner.Claims = test.claims
			says(t, milan.checkKeySecret(t.Context(), Intent{
				Namespace: &test.keys.Namespace, Gateway: &liqo.GatewaySettings{KeySecret: test.keys.Name},
			}), test.headline)
		})
	}
}

func TestAUsersSecretOutlivesTheGatewayUnchanged(t *testing.T) {
	gateway := exposedGateway()
	gateway.Spec.SecretRef.Name = "my-keys"
	gateway.Status.SecretRef = &corev1.ObjectReference{Namespace: "liqo-tenant-rome", Name: "my-keys"}
	for name, objects := range map[string][]client.Object{"": {gateway}, "which is gone already": nil} {
		t.Run(name, func(t *testing.T) {
			keys := clustertest.NewKeys(t)
			left := clustertest.KeySecret("rome", keys)
			milan := milansEnd(t, append(objects, left)...)
			untilTimeIsUp(t, func(ctx context.Context, t *testing.T) {
				t.Helper()
				must(t, milan.RemoveGateways(ctx, liqo.KeySecret{Name: left.Name}))
			})
			if reread(t, milan, left); len(left.Labels) != 1 || left.Labels["team"] != "network" ||
				!bytes.Equal(left.Data["privateKey"], keys["privateKey"]) {
				t.Errorf("the Secret has labels %v and %d fields", left.Labels, len(left.Data))
			}
		})
	}
}

func TestARepairUnlabelsOnlyAFormerSecret(t *testing.T) {
	for name, test := range map[string]struct {
		uses     string // the gateway; empty if it is gone
		labelled bool
	}{
		"the gateway is gone":         {"", false},
		"the gateway uses another":    {"other-keys", false},
		"the gateway still uses that": {"my-keys", true},
	} {
		t.Run(name, func(t *testing.T) {
			secret, gateway := clustertest.KeySecret("rome", nil), exposedGateway()
			objects := []client.Object{secret}
			if gateway.Spec.SecretRef.Name = test.uses; test.uses != "" {
				objects = append(objects, gateway)
			}
			milan := milansEnd(t, objects...)
			must(t, milan.ReleaseKeySecret(t.Context(), liqo.KeySecret(client.ObjectKeyFromObject(secret))))
			if reread(t, milan, secret); (cluster.RemoteID(secret) != "") != test.labelled {
				t.Errorf("labels are %v", secret.Labels)
			}
		})
	}
}

func TestOnlyKeysByLiqoCanBeLost(t *testing.T) {
	secret := keysOf("milan", nil)
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
	of := func(gateway types.UID) *corev1.Secret {
		secret := keysOf("milan", nil)
		secret.OwnerReferences = []metav1.OwnerReference{{Kind: "GatewayClient", Name: "milan", UID: gateway}}
		return secret
	}
	gateway := clustertest.GatewayClient("milan")
	gateway.UID = "present"
	for name, test := range map[string]struct {
		objects []client.Object
		waits   bool
	}{
		"no keys":                   {nil, false},
		"of a gateway that is gone": {[]client.Object{of("gone")}, true},
		"of a replaced gateway":     {[]client.Object{gateway, of("gone")}, true},
		"of the gateway":            {[]client.Object{gateway, of("present")}, false},
		"of the user":               {[]client.Object{keysOf("milan", nil)}, false},
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
				must(t, rome.Leaf.Clients().Live.Delete(t.Context(), of("gone")))
				must(t, <-ended)
			})
		})
	}
}
