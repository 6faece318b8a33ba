package shortcut

import (
	"slices"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/forge"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestAKeyIsWrittenAnewOnlyWhereTheConnectionIsMissing(t *testing.T) {
	connection := &networkingv1beta1.Connection{ObjectMeta: metav1.ObjectMeta{
		Name: "gw-rome", Namespace: "liqo-tenant-rome", Labels: map[string]string{"liqo.io/remote-cluster-id": "rome"},
	}}
	for name, test := range map[string]struct {
		more []client.Object
		anew bool
	}{
		"a Connection":  {[]client.Object{connection}, false},
		"no Connection": {nil, true},
	} {
		gateway := wireGuard(ours(serverGateway("rome", 51840)))
		key := make([]byte, 32)
		known, err := forge.PublicKey("liqo-tenant-rome", nil, "rome", key)
		if err != nil {
			t.Fatal(err)
		}
		known.UID = "known"
		server := milansEnd(t, append(test.more, gateway, ours(known))...)
		if err := server.ensurePublicKey(t.Context(), key, gateway); err != nil {
			t.Fatal(err)
		}
		left, err := server.find(t.Context())
		if err != nil || left.publicKey == nil || (left.publicKey.UID != "known") != test.anew {
			t.Errorf("%s: the PublicKey is %v (%v)", name, left.publicKey, err)
		}
	}
}

func TestAKeyThatWasEditedIsSeenWithoutTheGatewaysSecret(t *testing.T) {
	gateway := wireGuard(serverGateway("rome", 51840))
	server := milansEnd(t, gateway)
	if err := server.ensurePublicKey(t.Context(), make([]byte, 32), gateway); err != nil {
		t.Fatal(err)
	}
	found, err := server.find(t.Context())
	if err != nil || edited(found.publicKey) {
		t.Fatalf("it is edited already (%v)", err)
	}
	found.publicKey.Spec.PublicKey = append(make([]byte, 31), 1)
	if err := server.leaf.Live.Update(t.Context(), found.publicKey); err != nil {
		t.Fatal(err)
	}
	if found, err = server.find(t.Context()); err != nil || !edited(found.publicKey) {
		t.Errorf("nobody notices (%v)", err)
	}
}

func TestTheKeyOfAGatewayIsReadWhicheverEndItIs(t *testing.T) {
	ofClient, ofServer := newKeys(t), newKeys(t)
	secret := func(remote string, keys map[string][]byte) *corev1.Secret {
		secret := keySecret(keys)
		secret.Name, secret.Namespace = "gw-"+remote, "liqo-tenant-"+remote
		return secret
	}
	for _, end := range []struct {
		on   *side
		keys map[string][]byte
	}{
		{romesEnd(t, withKeys(clientGateway("172.18.0.2")), secret("milan", ofClient)), ofClient},
		{milansEnd(t, withServerKeys(serverGateway("rome", 51840)), secret("rome", ofServer)), ofServer},
	} {
		if key, err := end.on.waitForKey(t.Context()); err != nil || !slices.Equal(key, end.keys["publicKey"]) {
			t.Errorf("%s: another key (%v)", end.on.leaf.Name, err)
		}
	}
}
