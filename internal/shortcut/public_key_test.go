package shortcut

import (
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/forge"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
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
		server := New(clustertest.Leaf(t, "rome"), clustertest.Leaf(t, "milan", append(test.more, gateway, ours(known))...)).server
		if err := server.ensurePublicKey(t.Context(), key, gateway); err != nil {
			t.Fatal(err)
		}
		left, err := server.find(t.Context())
		if err != nil || left.publicKey == nil || (left.publicKey.UID != "known") != test.anew {
			t.Errorf("%s: the PublicKey is %v (%v)", name, left.publicKey, err)
		}
	}
}
