package shortcut

import (
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/forge"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

// milansConnection is what Milan's gateway for Rome says of the tunnel.
func milansConnection(value networkingv1beta1.ConnectionStatusValue) *networkingv1beta1.Connection {
	return &networkingv1beta1.Connection{
		ObjectMeta: metav1.ObjectMeta{
			Name: "gw-rome", Namespace: "liqo-tenant-rome", Labels: map[string]string{"liqo.io/remote-cluster-id": "rome"},
			OwnerReferences: []metav1.OwnerReference{{UID: "gateway"}},
		},
		Status: networkingv1beta1.ConnectionStatus{Value: value},
	}
}

func TestAServiceIsMissedOnlyWhileTheTunnelIsDown(t *testing.T) {
	for name, test := range map[string]struct {
		objects []client.Object
		lost    bool
	}{
		"no Service, the tunnel down":                             {[]client.Object{gatewayDeployment(), milansConnection(networkingv1beta1.ConnectionError)}, true},
		"no Service, the tunnel up":                               {[]client.Object{gatewayDeployment(), milansConnection(networkingv1beta1.Connected)}, false},
		"neither Service nor Deployment, so that Liqo makes both": {[]client.Object{milansConnection(networkingv1beta1.ConnectionError)}, false},
		"a Service, the tunnel down": {
			[]client.Object{gatewayDeployment(), milansConnection(networkingv1beta1.ConnectionError), gatewayService()}, false,
		},
	} {
		gateway := wireGuard(ours(serverGateway("rome", 51840)))
		server := New(clustertest.Leaf(t, "rome"), clustertest.Leaf(t, "milan", append(test.objects, gateway)...)).server
		found, err := server.find(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if lost, err := server.serviceLost(t.Context(), found); err != nil || lost != test.lost {
			t.Errorf("%s: lost: %t (%v)", name, lost, err)
		}
	}
}

func TestWhatAnApplyPutsBackIsLost(t *testing.T) {
	key := make([]byte, 32)
	keyOf := func(leaf string) client.Object {
		return &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: "liqo-tenant-" + leaf, Name: "gw-" + leaf}, Data: map[string][]byte{"publicKey": key},
		}
	}
	told := func(leaf string, key []byte) client.Object {
		publicKey, err := forge.PublicKey("liqo-tenant-"+leaf, nil, "", key)
		if err != nil {
			t.Fatal(err)
		}
		publicKey.Name, publicKey.Labels["liqo.io/remote-cluster-id"] = leaf, leaf
		return ours(publicKey)
	}
	connectedOnce := ours(theirs("rome"))
	setAnnotation(connectedOnce, completeAnnotation, " 2026-11-21T10:00:00Z connected")
	seenOnce := ours(theirs("rome"))
	setAnnotation(seenOnce, completeAnnotation, " 2026-11-21T10:00:00Z")
	down, service := milansConnection(networkingv1beta1.ConnectionError), gatewayService()
	for name, test := range map[string]struct {
		rome, milan []client.Object
		lost        bool
	}{
		"nothing": {
			[]client.Object{keyOf("milan"), told("milan", key)}, []client.Object{down, service, keyOf("rome"), told("rome", key)}, false,
		},
		"the Service": {nil, []client.Object{down}, true},
		"the keys of the client": {
			nil, []client.Object{down, service, keyOf("rome"), told("rome", key)}, true,
		},
		"the server, of which the client knows another key": {
			[]client.Object{keyOf("milan"), told("milan", []byte("another key that has 32 bytes, so"[:32]))},
			[]client.Object{down, service, keyOf("rome"), told("rome", key)}, true,
		},
		"a Connection": {
			[]client.Object{keyOf("milan"), told("milan", key)}, []client.Object{connectedOnce, service, keyOf("rome"), told("rome", key)}, true,
		},
		"a Connection that there may never have been": {
			[]client.Object{keyOf("milan"), told("milan", key)}, []client.Object{seenOnce, service, keyOf("rome"), told("rome", key)}, false,
		},
	} {
		rome := clustertest.Leaf(t, "rome", append(test.rome, ours(withKeys(clientGateway("172.18.0.2"))))...)
		milan := clustertest.Leaf(t, "milan", append(test.milan, gatewayDeployment(), withServerKeys(exposedGateway()))...)
		if lost, err := New(rome, milan).Lost(t.Context()); err != nil || lost != test.lost {
			t.Errorf("%s: lost: %t (%v)", name, lost, err)
		}
	}
}

func TestItIsRecordedWhetherTheTunnelWasSeenUp(t *testing.T) {
	owner := Owner{Token: "ours"}
	configuration := theirs("rome")
	owner.mark(configuration)
	server := New(clustertest.Leaf(t, "rome"), clustertest.Leaf(t, "milan", configuration)).OwnedBy(owner).server
	for _, test := range []struct{ sees, recorded bool }{{false, false}, {true, true}, {false, true}} {
		if err := server.complete(test.sees)(t.Context()); err != nil {
			t.Fatal(err)
		}
		found, err := server.find(t.Context())
		if err != nil || found.wasConnected() != test.recorded || completeBy(found.configuration) != "ours" {
			t.Errorf("seen: %t; it says %q (%v)", test.sees, found.configuration.Annotations[completeAnnotation], err)
		}
	}
}
