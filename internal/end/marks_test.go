package end

import (
	"maps"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo/liqotest"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

func TestItIsRecordedWhetherTheTunnelWasSeenUp(t *testing.T) {
	ours := owner.Owner{Token: "ours"}
	configuration, gateway := clustertest.Configuration("rome"), clustertest.GatewayServer("rome", 51840)
	ours.Mark(configuration)
	ours.Mark(gateway)
	server := milansEnd(t, configuration, gateway)
	server.Owner = ours
	for _, test := range []struct{ sees, recorded bool }{{false, false}, {true, true}, {false, true}} {
		if err := server.RecordComplete(t.Context(), test.sees); err != nil {
			t.Fatal(err)
		}
		objects, err := server.Find(t.Context())
		if err != nil || wasConnected(objects) != test.recorded || !owner.IsComplete(objects.Written(), "ours") {
			t.Errorf("seen: %t; it says %q (%v)", test.sees, objects.GatewayServer.Annotations[owner.ManagedBy+"/complete"], err)
		}
		if objects.Configuration.Annotations[owner.ManagedBy+"/complete"] != "" {
			t.Error("the Configuration is changed, so Liqo writes its firewall rules again")
		}
	}
}

func TestTheRecordOfAnAdoptionOutlivesTheGatewayAndAnotherConfiguration(t *testing.T) {
	configuration, gateway := clustertest.Configuration("rome"), clustertest.GatewayServer("rome", 51840)
	me.Adopt(configuration, false)
	me.Mark(gateway)
	server := endAt(liqotest.Leaf(t, "milan", append(ranges(), configuration, gateway)...), "rome")
	server.Owner = me
	must(t, server.RecordComplete(t.Context(), true))
	must(t, server.RemoveGateways(t.Context()))
	must(t, server.EnsureConfiguration(t.Context(), "mine", romesNetworks))
	objects, err := server.Find(t.Context())
	if err != nil || objects.GatewayServer != nil || objects.Configuration.Namespace != "mine" ||
		!owner.IsComplete(objects.Written(), me.Token) || !wasConnected(objects) {
		t.Errorf("it is lost: %v (%v)", objects.Configuration, err)
	}
}

func TestATakenObjectCanBeGivenBackUnchanged(t *testing.T) {
	for name, before := range map[string]owner.Owner{"people's": {}, "another's": somebody} {
		configuration := clustertest.Configuration("rome")
		if before.Token != "" {
			before.Origin = owner.Origin{Directory: "theirs"}
			before.Mark(configuration)
			owner.Completion{Owner: before.Token, Connected: true}.Mark(configuration)
		}
		marks := maps.Clone(configuration.Annotations)
		milan := milansEnd(t, configuration)
		milan.Owner = me
		if err := milan.Adopt(t.Context(), configuration, false); err != nil {
			t.Fatal(err)
		}
		if objects, err := milan.Find(t.Context()); err != nil || !me.Marked(objects.Configuration) {
			t.Errorf("%s: it is not mine: %v (%v)", name, objects.Configuration.Annotations, err)
		}
		if err := milan.GiveBack(t.Context()); err != nil {
			t.Fatal(err)
		}
		objects, err := milan.Find(t.Context())
		if err != nil || owner.Managed(objects.Configuration) != (before.Token != "") ||
			!maps.Equal(objects.Configuration.Annotations, marks) {
			t.Errorf("%s: it is marked %v, %v (%v)", name, objects.Configuration.Labels, objects.Configuration.Annotations,
				err)
		}
	}
}

func TestASecondAdoptionGivesBackToTheOriginalOwnerUnlessTheFirstWasComplete(t *testing.T) {
	for unfinished, expected := range map[bool]string{true: "", false: somebody.Token} {
		configuration := clustertest.Configuration("rome") // people's, before somebody adopted it
		somebody.Adopt(configuration, false)
		milan := milansEnd(t, configuration)
		milan.Owner = me
		if err := milan.Adopt(t.Context(), configuration, unfinished); err != nil {
			t.Fatal(err)
		}
		if err := milan.GiveBack(t.Context()); err != nil {
			t.Fatal(err)
		}
		if objects, err := milan.Find(t.Context()); err != nil || owner.TokenOf(objects.Configuration) != expected {
			t.Errorf("unfinished: %t: it is %q's (%v)", unfinished, owner.TokenOf(objects.Configuration), err)
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
	if _, err := server.EnsurePublicKey(t.Context(), make([]byte, 32), EnsuredGateway{Object: gateway}); err != nil {
		t.Fatal(err)
	}
	if _, err := server.EnsureGatewayServer(t.Context(), "liqo-tenant-rome", overNodePort()); err != nil {
		t.Fatal(err)
	}
	objects, err := server.Find(t.Context())
	if err != nil || len(objects.Made()) != 2 {
		t.Fatalf("got %v (%v)", objects.Made(), err)
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
