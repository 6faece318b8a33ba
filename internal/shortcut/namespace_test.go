package shortcut

import (
	"testing"

	tenantnamespace "github.com/liqotech/liqo/pkg/tenantNamespace"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
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
		if (err == nil) != (test.summary == "") || (err != nil && explain.Summary(err) != test.summary) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestATenantNamespaceThatAnEarlierShortcutHasLeftIsTakenAndNoOther(t *testing.T) {
	tenant := func() *corev1.Namespace { return tenantnamespace.NewManager(nil, nil).ForgeNamespace("rome", nil) }
	left := tenant()
	Owner{}.mark(left)
	for name, test := range map[string]struct {
		namespace *corev1.Namespace
		taken     bool
	}{"left": {left, true}, "somebody else's": {tenant(), false}} {
		server := New(clustertest.Leaf(t, "rome"), clustertest.Leaf(t, "milan", test.namespace)).OwnedBy(me).server
		if namespace, err := server.ensureTenantNamespace(t.Context()); err != nil || namespace != "liqo-tenant-rome" {
			t.Errorf("%s: %s (%v)", name, namespace, err)
		}
		if found, err := server.tenantNamespace(t.Context()); err != nil || me.marked(found) != test.taken {
			t.Errorf("%s: it has labels %v and annotations %v (%v)", name, found.Labels, found.Annotations, err)
		}
	}
}

func TestANamespaceWithTheNameOfTheTenantNamespaceIsInTheWay(t *testing.T) {
	taken := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "liqo-tenant-rome"}}
	server := New(clustertest.Leaf(t, "rome"), clustertest.Leaf(t, "milan", taken)).server
	if _, err := server.ensureTenantNamespace(t.Context()); explain.Summary(err) != `namespace liqo-tenant-rome is taken on leaf "milan"` {
		t.Errorf("got %v", err)
	}
}
