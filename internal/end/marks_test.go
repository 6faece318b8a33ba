package end

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

func TestItIsRecordedWhetherTheTunnelWasSeenUp(t *testing.T) {
	configuration, gateway := clustertest.Configuration("rome"), clustertest.GatewayServer("rome", 51840)
	me.Mark(configuration)
	me.Mark(gateway)
	server := milansEnd(t, configuration, gateway)
	server.Owner = me
	for _, test := range []struct{ sees, recorded bool }{{false, false}, {true, true}, {false, true}} {
		must(t, server.RecordComplete(t.Context(), test.sees))
		objects := found(t, server)
		if wasConnected(objects) != test.recorded || !owner.IsComplete(objects.Written(), me.Token) {
			t.Errorf("seen: %t; it says %q", test.sees, objects.Gateway.GetAnnotations()[owner.ManagedBy+"/complete"])
		}
		if objects.Configuration.Annotations[owner.ManagedBy+"/complete"] != "" {
			t.Error("the Configuration is changed, so Liqo writes its firewall rules again")
		}
	}
}

func TestANamespaceThatKubernetesIsDeletingGetsNoMarks(t *testing.T) {
	namespace := romesNamespace(me)
	namespace.DeletionTimestamp, namespace.Finalizers = new(metav1.Now()), []string{"kubernetes"}
	milan := milansEnd(t, ours(clustertest.Configuration("rome")), namespace)
	marked, err := milan.Markable(t.Context())
	if err != nil || len(marked) != 1 || !isConfiguration(marked[0]) {
		t.Errorf("got %v (%v)", marked, err)
	}
}

func TestANewObjectIsTheOwners(t *testing.T) {
	gateway := clustertest.GatewayServer("rome", 51840)
	gateway.UID = "gateway"
	server := milansEnd(t, gateway)
	server.Owner = me
	_, err := server.EnsurePublicKey(t.Context(), make([]byte, 32), EnsuredGateway{Object: gateway})
	must(t, err)
	ensure(t, server, overNodePort())
	objects := found(t, server)
	if len(objects.Made()) != 2 {
		t.Fatalf("got %v", objects.Made())
	}
	for _, object := range objects.Made() {
		if !me.Marked(object) {
			t.Errorf("%s is not mine", server.Leaf.Describe(object))
		}
	}
	if owners := objects.PublicKey.OwnerReferences; len(owners) != 1 || owners[0].UID != gateway.UID {
		t.Errorf("the PublicKey would not go with the gateway: %v", owners)
	}
}
