package end

import (
	"maps"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/liqotest"
)

func TestItIsRecordedWhetherTheTunnelWasSeenUp(t *testing.T) {
	owner := Owner{Token: "ours"}
	configuration, gateway := clustertest.Configuration("rome"), clustertest.GatewayServer("rome", 51840)
	owner.Mark(configuration)
	owner.Mark(gateway)
	server := milansEnd(t, configuration, gateway)
	server.Owner = owner
	for _, test := range []struct{ sees, recorded bool }{{false, false}, {true, true}, {false, true}} {
		if err := server.RecordComplete(t.Context(), test.sees); err != nil {
			t.Fatal(err)
		}
		found, err := server.Find(t.Context())
		if err != nil || found.wasConnected() != test.recorded || !found.CompleteBy("ours") {
			t.Errorf("seen: %t; it says %q (%v)", test.sees, found.GatewayServer.Annotations[completeAnnotation], err)
		}
		if found.Configuration.Annotations[completeAnnotation] != "" {
			t.Error("the Configuration is changed, so Liqo writes its firewall rules again")
		}
	}
}

func TestARecordOutlivesItsGateway(t *testing.T) {
	for name, adopted := range map[string]bool{"of a gateway that is replaced": false, "of an adoption": true} {
		configuration, gateway := clustertest.Configuration("rome"), clustertest.GatewayServer("rome", 51840)
		if adopted {
			setAnnotation(configuration, previousAnnotation, previous{}.encode())
		}
		me.Mark(configuration)
		me.Mark(gateway)
		server := milansEnd(t, configuration, gateway)
		server.Owner = me
		must(t, server.RecordComplete(t.Context(), true))
		if !adopted { // an adopted one also outlives a gateway that someone else deletes
			must(t, server.KeepRecord(t.Context(), "liqo-tenant-rome"))
		}
		must(t, server.RemoveGateways(t.Context()))
		found, err := server.Find(t.Context())
		if err != nil || found.GatewayServer != nil || !found.CompleteBy(me.Token) || !found.wasConnected() {
			t.Errorf("%s: it is lost: %v (%v)", name, found.Configuration.Annotations, err)
		}
	}
}

func TestATakenObjectCanBeGivenBackUnchanged(t *testing.T) {
	for name, before := range map[string]Owner{"people's": {}, "another's": somebody} {
		configuration := clustertest.Configuration("rome")
		if before.Token != "" {
			before.Origin = Origin{Folder: "theirs"}
			before.Mark(configuration)
			setAnnotation(configuration, completeAnnotation, before.Token+" 2026-11-20T01:02:03Z")
		}
		marks := maps.Clone(configuration.Annotations)
		milan := milansEnd(t, configuration)
		milan.Owner = me
		if err := milan.Take(t.Context(), configuration, true, false); err != nil {
			t.Fatal(err)
		}
		if found, err := milan.Find(t.Context()); err != nil || !me.Marked(found.Configuration) {
			t.Errorf("%s: it is not mine: %v (%v)", name, found.Configuration.Annotations, err)
		}
		if err := milan.GiveBack(t.Context()); err != nil {
			t.Fatal(err)
		}
		found, err := milan.Find(t.Context())
		if err != nil || managed(found.Configuration) != (before.Token != "") ||
			!maps.Equal(found.Configuration.Annotations, marks) {
			t.Errorf("%s: it is marked %v, %v (%v)", name, found.Configuration.Labels, found.Configuration.Annotations,
				err)
		}
	}
}

func TestASecondAdoptionGivesBackToTheOriginalOwnerUnlessTheFirstWasComplete(t *testing.T) {
	for complete, expected := range map[bool]string{false: "", true: somebody.Token} {
		configuration := clustertest.Configuration("rome") // people's, before somebody adopted it
		setAnnotation(configuration, previousAnnotation, previous{}.encode())
		somebody.Mark(configuration)
		milan := milansEnd(t, configuration)
		milan.Owner = me
		if err := milan.Take(t.Context(), configuration, true, complete); err != nil {
			t.Fatal(err)
		}
		if err := milan.GiveBack(t.Context()); err != nil {
			t.Fatal(err)
		}
		if found, err := milan.Find(t.Context()); err != nil || TokenOf(found.Configuration) != expected {
			t.Errorf("complete: %t: it is %q's (%v)", complete, TokenOf(found.Configuration), err)
		}
	}
}

func TestARecordMovesWithItsConfiguration(t *testing.T) {
	configuration, gateway := clustertest.Configuration("rome"), clustertest.GatewayServer("rome", 51840)
	me.Mark(configuration)
	me.Mark(gateway)
	server := endAt(liqotest.Leaf(t, "milan", append(ranges(), configuration, gateway)...), "rome")
	server.Owner = me
	must(t, server.RecordComplete(t.Context(), true))
	must(t, server.EnsureConfiguration(t.Context(), "mine", romesNetworks))
	found, err := server.Find(t.Context())
	if err != nil || found.Configuration.Namespace != "mine" || recordOf(found.Configuration) == "" ||
		TokenOf(found.Configuration) != me.Token {
		t.Errorf("it has stayed behind: %v (%v)", found.Configuration, err)
	}
}

func TestARecordOutlivesAGatewayOfAnotherTechnologyThatChanges(t *testing.T) {
	configuration, gateway := clustertest.Configuration("rome"), clustertest.GatewayServer("rome", 51840)
	gateway.Status.ServerRef = &corev1.ObjectReference{
		APIVersion: "example.com/v1", Kind: "OtherGatewayServer", Namespace: gateway.Namespace, Name: gateway.Name,
	}
	me.Mark(configuration)
	me.Mark(gateway)
	server := milansEnd(t, configuration, gateway)
	server.Owner = me
	must(t, server.RecordComplete(t.Context(), true))
	changed := overNodePort()
	changed.MTU = 1400
	ensured, err := server.EnsureGatewayServer(t.Context(), "liqo-tenant-rome", changed, nil)
	must(t, err)
	found, err := server.Find(t.Context())
	if err != nil || !ensured.New || !found.CompleteBy(me.Token) || !found.wasConnected() {
		t.Errorf("new: %t; it is lost: %v (%v)", ensured.New, found.Configuration.Annotations, err)
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
