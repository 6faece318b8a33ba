package end

import (
	"maps"
	"testing"

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

func TestTheRecordOfAnAdoptionOutlivesTheGatewayAndAnotherConfiguration(t *testing.T) {
	configuration, gateway := clustertest.Configuration("rome"), clustertest.GatewayServer("rome", 51840)
	setAnnotation(configuration, previousAnnotation, previous{}.encode())
	me.Mark(configuration)
	me.Mark(gateway)
	server := endAt(liqotest.Leaf(t, "milan", append(ranges(), configuration, gateway)...), "rome")
	server.Owner = me
	must(t, server.RecordComplete(t.Context(), true))
	must(t, server.RemoveGateways(t.Context()))
	must(t, server.EnsureConfiguration(t.Context(), "mine", romesNetworks))
	found, err := server.Find(t.Context())
	if err != nil || found.GatewayServer != nil || found.Configuration.Namespace != "mine" ||
		!found.CompleteBy(me.Token) || !found.wasConnected() {
		t.Errorf("it is lost: %v (%v)", found.Configuration, err)
	}
}

func TestATakenObjectCanBeGivenBackUnchanged(t *testing.T) {
	for name, before := range map[string]Owner{"people's": {}, "another's": somebody} {
		configuration := clustertest.Configuration("rome")
		if before.Token != "" {
			before.Origin = Origin{Folder: "theirs"}
			before.Mark(configuration)
			record{Owner: before.Token, Connected: true}.mark(configuration)
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
	for unfinished, expected := range map[bool]string{true: "", false: somebody.Token} {
		configuration := clustertest.Configuration("rome") // people's, before somebody adopted it
		setAnnotation(configuration, previousAnnotation, previous{}.encode())
		somebody.Mark(configuration)
		milan := milansEnd(t, configuration)
		milan.Owner = me
		if err := milan.Take(t.Context(), configuration, true, unfinished); err != nil {
			t.Fatal(err)
		}
		if err := milan.GiveBack(t.Context()); err != nil {
			t.Fatal(err)
		}
		if found, err := milan.Find(t.Context()); err != nil || TokenOf(found.Configuration) != expected {
			t.Errorf("unfinished: %t: it is %q's (%v)", unfinished, TokenOf(found.Configuration), err)
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
