package shortcut

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

func TestANamespaceOfOnesOwnHoldsOneGateway(t *testing.T) {
	own := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "own"}}
	inOwn := func(remote string) client.Object {
		gateway := serverGateway(remote, 51840)
		gateway.Namespace = "own"
		return gateway
	}
	for name, test := range map[string]struct {
		objects []client.Object
		summary string // of the problem; empty for none
	}{
		"nothing":                        {[]client.Object{own}, ""},
		"this shortcut's":                {[]client.Object{own, inOwn("rome")}, ""},
		"another's":                      {[]client.Object{own, inOwn("turin")}, `namespace own has a gateway for another cluster on leaf "milan"`},
		"another's in another":           {[]client.Object{own, serverGateway("turin", 51840)}, ""},
		"nothing, for it does not exist": {nil, `namespace own does not exist on leaf "milan"`},
	} {
		server := New(clustertest.Leaf(t, "rome"), clustertest.Leaf(t, "milan", test.objects...)).server
		_, err := server.ensureNamespace("own")(t.Context())
		if (err == nil) != (test.summary == "") || (err != nil && Summary(err) != test.summary) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
