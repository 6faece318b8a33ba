package shortcut

import (
	"slices"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo/liqotest"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

func TestANetworkOfAPeeringIsNotChangedAndTheErrorNamesThePeering(t *testing.T) {
	s := joinedAtRome(t, belongings()["a peering's"])
	refused(t, s.Connect(t.Context(), overNodePort), `a network with "milan" exists already on leaf "rome"`,
		`the peering with "milan" (ForeignCluster milan, role Provider) did.`,
		"end the peering first with `liqoctl unpeer`")
	if state := s.seen(t); state.Exists || !state.Joined {
		t.Errorf("exists: %t, joined: %t", state.Exists, state.Joined)
	}
	must(t, s.Disconnect(t.Context(), Removal{})) // there is nothing to remove, so nothing is refused
	if s.atRome(t) == nil {
		t.Error("the peering has lost its Configuration")
	}
	refused(t, s.OwnedBy(owner.Owner{Claims: true}).Disconnect(t.Context(), Removal{}),
		`a peering uses the network on leaf "rome"`, "`liqoctl` also removes the network")
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
	const inOrder = "import it, with the address of this resource after `to`:\n\n" +
		"import {\n  to = liqo_shortcut.rome_milan\n  id = \"rome/milan\"\n}\n\n"
	for name, test := range map[string]struct {
		objects []client.Object // on Rome
		spec    Spec
		says    string
	}{
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
			clustertest.Has(t, explain.Detail(s.CheckFree(t.Context(), test.spec)), test.says)
		})
	}
}

func TestAnImportClaimsObjectsWithoutAnotherOwner(t *testing.T) {
	for name, objects := range belongings() {
		t.Run(name, func(t *testing.T) {
			state, token := joinedAtRome(t, objects).OwnedBy(claims).seen(t), owner.TokenOf(objects[0])
			if state.Exists != (token != somebody.Token && token != killed.Token) || state.Unmarked != (token == "") {
				t.Errorf("exists: %t, unmarked: %t", state.Exists, state.Unmarked)
			}
		})
	}
}

func TestTheFirstUpdateAfterAnImportMarksWhatNobodyOwnsAndNothingElse(t *testing.T) {
	unowned := func() []client.Object {
		return append(clustertest.ClientEnd("milan", up)[:3], clustertest.TenantNamespace("milan"))
	}
	halfMarked := unowned()
	me.Mark(halfMarked[0]) // by an update that was killed
	theirs := unowned()
	somebody.Mark(theirs[0])
	somebody.Mark(theirs[1])
	for name, test := range map[string]struct {
		objects []client.Object
		owners  []string // afterwards, by kind
	}{
		"people's":    {unowned(), []string{"me", "me", "me", "me"}},
		"half marked": {halfMarked, []string{"me", "me", "me", "me"}},
		"another's":   {theirs, []string{"somebody", "somebody", "me", "me"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := joinedAtRome(t, test.objects).OwnedBy(claims)
			must(t, s.take(t.Context(), s.Client, nil))
			marked, err := s.Client.Markable(t.Context())
			var owners []string
			for _, object := range marked {
				owners = append(owners, owner.TokenOf(object))
			}
			if err != nil || !slices.Equal(owners, test.owners) {
				t.Errorf("the owners are %q (%v)", owners, err)
			}
		})
	}
}

func TestAnUpdateThatFailsKeepsWhatAnImportHasFound(t *testing.T) {
	rome := liqotest.Leaf(t, "rome", append(ranges("10.1.0.0/16"), clustertest.Configuration("milan"))...)
	milan := liqotest.Leaf(t, "milan", append(ranges("10.1.0.0/16"), clustertest.Configuration("rome"))...)
	s := New(rome, milan).OwnedBy(claims)
	spec := overNodePort
	spec.ForbidRemapping = true
	if err := s.Connect(t.Context(), spec); err == nil {
		t.Fatal("the ranges are the same")
	}
	if n := s.found(t); n.client.Configuration == nil || n.server.Configuration == nil {
		t.Error("a Configuration is gone")
	}
}

func TestTheOwnerOfTheNetworkIsShownWhatAnotherShortcutHasMarkedAndTakesItBack(t *testing.T) {
	mine := joined(t)
	must(t, mine.Client.Leaf.Edit(t.Context(), mine.found(t).client.Gateway.Object, somebody.Mark))
	expected := []string{`GatewayClient liqo-tenant-milan/milan on leaf "rome"`}
	if strays := mine.seen(t).Strays; !slices.Equal(strays, expected) {
		t.Errorf("got %v", strays)
	}
	theirs, err := New(mine.Client.Leaf, mine.Server.Leaf).OwnedBy(somebody).hasStrays(t.Context())
	if err != nil || theirs {
		t.Errorf("the other owner has strays, too (%v)", err)
	}
	mine.connects(t, overNodePort)
	for _, object := range mine.found(t).made() {
		if owner.TokenOf(object) != me.Token {
			t.Errorf("%T has the token %q", object, owner.TokenOf(object))
		}
	}
}
