package shortcut

import (
	"errors"
	"strings"
	"testing"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

func TestANetworkOfSomeoneElseIsNotChanged(t *testing.T) {
	rome, milan := leafWith(t, "rome", clustertest.Configuration("milan")), leafWith(t, "milan")
	err := New(rome, milan).Connect(t.Context(), overNodePort)
	var problem *trouble.Problem
	if !errors.As(err, &problem) || problem.Leaf != "rome" ||
		!strings.Contains(problem.Detail(), "Configuration liqo-tenant-milan/milan") {
		t.Fatalf("got: %v", err)
	}
	for _, leaf := range []*cluster.Leaf{rome, milan} {
		var namespaces corev1.NamespaceList
		if err := leaf.Clients().Live.List(t.Context(), &namespaces); err != nil || len(namespaces.Items) != 0 {
			t.Errorf("something was written on %s (%v)", leaf.Name, err)
		}
	}
}

func TestAPairHasOneShortcut(t *testing.T) {
	first, second := owner.Owner{Token: "first", Origin: owner.Origin{Directory: "one"}}, owner.Owner{Token: "second",
		Origin: owner.Origin{Directory: "two"}}
	configuration, gateway := clustertest.Configuration("milan"), clustertest.GatewayServer("milan", 51840)
	for _, object := range []client.Object{configuration, gateway} {
		first.Mark(object)
	}
	shortcut := New(leafWith(t, "rome", configuration, gateway), leafWith(t, "milan")).OwnedBy(second)
	if err := shortcut.Connect(t.Context(), overNodePort); err == nil ||
		!strings.Contains(err.Error(), "a shortcut with \"milan\" exists already") {
		t.Errorf("got: %v", err)
	}
}

func TestANetworkOfAPeeringIsNotChangedAndTheErrorNamesThePeering(t *testing.T) {
	shortcut := New(leafWith(t, "rome", clustertest.Configuration("milan"),
		clustertest.Peering("milan", liqov1beta1.ProviderRole)), leafWith(t, "milan"))
	err := shortcut.Connect(t.Context(), overNodePort)
	var problem *trouble.Problem
	if !errors.As(err, &problem) || !strings.Contains(problem.Detail(),
		`the peering with "milan" (ForeignCluster milan, role Provider) did.`) ||
		!strings.Contains(problem.Detail(), "end the peering first with `liqoctl unpeer`") {
		t.Errorf("got: %v", err)
	}
	if state, err := shortcut.Observe(t.Context()); err != nil || state.Exists || !state.Joined {
		t.Errorf("exists: %t, joined: %t (%v)", state.Exists, state.Joined, err)
	}
	// There is nothing to remove, so nothing is refused.
	if err := shortcut.Disconnect(t.Context(), Removal{}); err != nil {
		t.Error(err)
	}
	if left, err := shortcut.Client.Find(t.Context()); err != nil || left.Configuration == nil {
		t.Errorf("the peering has lost its Configuration (%v)", err)
	}
	if err := shortcut.OwnedBy(owner.Owner{Claims: true}).Disconnect(t.Context(), Removal{}); err == nil ||
		!strings.Contains(err.Error(), "a peering uses the network") ||
		!strings.Contains(err.Error(), "`liqoctl` also removes the network") {
		t.Errorf("got: %v", err)
	}
}

func TestOnlyTheResourceOfADirectoryOfThisNameMayBeInThisState(t *testing.T) {
	for directory, expected := range map[string]bool{somebody.Origin.Directory: true, "elsewhere": false} {
		t.Run(directory, func(t *testing.T) {
			asks := owner.Owner{Token: "asks", Origin: owner.Origin{Directory: directory}}
			for name, objects := range belongings() {
				s := joinedAtRome(t, objects).OwnedBy(asks)
				err := s.CheckFree(t.Context(), overNodePort)
				if MayShareState(asks, err) != (expected && name == "another's") {
					t.Errorf("%s, asked from %s: %v", name, directory, err)
				}
			}
		})
	}
}

func TestTheErrorNamesTheOriginOfARival(t *testing.T) {
	err := joinedAtRome(t, belongings()["another's"]).CheckFree(t.Context(), overNodePort)
	if explain.Summary(err) != `a shortcut with "milan" exists already on leaf "rome"` ||
		!strings.Contains(explain.Detail(err), "made by alice@ci, in directory theirs. A pair") {
		t.Errorf("got %q:\n%s", explain.Summary(err), explain.Detail(err))
	}
}

func TestACreateThatWasCompleteBelongsToARivalAlthoughItHasLeftItsLease(t *testing.T) {
	s := joinedAtRome(t, []client.Object{
		marked(killed, clustertest.Configuration("milan")), marked(killed, clustertest.GatewayClient("milan")),
	})
	if err := s.CheckFree(t.Context(), overNodePort); err != nil {
		t.Fatalf("before it was complete: %v", err)
	}
	must(t, s.OwnedBy(killed).Client.RecordComplete(t.Context(), true))
	refused(t, s.OwnedBy(me).CheckFree(t.Context(), overNodePort), `a shortcut with "milan" exists already on leaf "rome"`)
	if err := s.OwnedBy(somebody).Disconnect(t.Context(), Removal{}); err != nil || s.atRome(t) == nil {
		t.Errorf("the Configuration is gone (%v)", err)
	}
}

func TestAShortcutWithoutItsGatewaysBelongsToARival(t *testing.T) {
	rome, milan := romeAndMilan(t)
	theirs := New(rome, milan).OwnedBy(somebody)
	spec := overNodePort
	spec.Create = true
	must(t, theirs.Connect(t.Context(), spec))
	for _, e := range theirs.Ends() { // as `liqoctl network disconnect` does
		must(t, e.RemoveGateways(t.Context()))
	}
	err := New(rome, milan).OwnedBy(me).Connect(t.Context(), spec)
	refused(t, err, `a shortcut with "milan" exists already on leaf "rome"`, "made by alice@ci")
}

func TestWhatAnInterruptedCreateHasLeftIsForItsOwnDirectory(t *testing.T) {
	for directory, free := range map[string]bool{killed.Origin.Directory: true, "another": false} {
		t.Run(directory, func(t *testing.T) {
			asks := owner.Owner{Token: "asks", Origin: owner.Origin{Directory: directory}}
			s := New(leafWith(t, "rome", marked(killed, clustertest.Configuration("milan"))),
				leafWith(t, "milan", leftBehind(true))).OwnedBy(asks)
			if err := s.CheckFree(t.Context(), overNodePort); (err == nil) != free {
				t.Error(err)
			}
		})
	}
}

func TestAnImportTakesTheOwnerOfMostObjects(t *testing.T) {
	for name, test := range map[string]struct {
		server   owner.Owner // of Milan's objects; that of Rome's is somebody
		expected string
	}{
		"of both ends": {somebody, somebody.Token},
		"of one end":   {owner.Owner{}, somebody.Token},
		"of the larger part, after two have worked on the pair": {me, me.Token},
	} {
		t.Run(name, func(t *testing.T) {
			s := New(clustertest.Leaf(t, "rome", marked(somebody, clustertest.Configuration("milan"))),
				clustertest.Leaf(t, "milan", marked(test.server, clustertest.Configuration("rome")),
					marked(test.server, clustertest.GatewayServer("rome", 51840))))
			if token, _, err := s.ImportedFrom(t.Context()); err != nil || token != test.expected {
				t.Errorf("%q (%v)", token, err)
			}
		})
	}
}

func TestARefusedCreateSaysHowToImportInstead(t *testing.T) {
	asks, create := owner.Owner{Token: "asks", Origin: owner.Origin{Directory: "elsewhere"}}, overNodePort
	create.Create = true
	const byName = "import it, with the address of this resource after `to`:\n\nimport {\n  to = liqo_shortcut."
	inOrder := byName + "rome_milan\n  id = \"rome/milan\"\n}\n\n"
	for name, test := range map[string]struct {
		objects []client.Object // on Rome
		spec    Spec
		says    string
	}{
		"made by liqoctl": {
			[]client.Object{clustertest.GatewayClient("milan")}, create,
			"liqoctl or another program did. To manage it here, " + inOrder + "To begin anew, remove it first",
		},
		"in the opposite direction": {
			[]client.Object{clustertest.GatewayServer("milan", 51840)}, create,
			"To manage it here, swap `client` and `server` of this resource, because \"milan\" dials \"rome\", and " + byName +
				"milan_rome\n  id = \"milan/rome\"\n}",
		},
		"of a resource that has a state": {
			[]client.Object{clustertest.GatewayClient("milan")}, overNodePort,
			"To manage it here, forget this resource with `terraform state rm`, then " + inOrder,
		},
		"of another state": {
			[]client.Object{marked(somebody, clustertest.Configuration("milan"))}, create,
			"made by alice@ci, in directory theirs. A pair of leaves can have only one shortcut, in one direction.\n\n" +
				"If nobody needs it any longer, run `terraform destroy` there. To manage it here instead, first forget it " +
				"there, with a `removed` block or `terraform state rm`. Then, or if that state is lost, " + inOrder +
				"If it is this resource under its former address, add a `moved` block.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := New(leafWith(t, "rome", test.objects...), leafWith(t, "milan")).OwnedBy(asks)
			if text := explain.Detail(s.CheckFree(t.Context(), test.spec)); !strings.Contains(text, test.says) {
				t.Errorf("%s:\n%s\ndoes not contain\n%s", name, text, test.says)
			}
		})
	}
}
