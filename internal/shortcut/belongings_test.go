package shortcut

import (
	"slices"
	"strings"
	"testing"
	"time"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/forge"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
)

func TestARivalIsNamedByWhereItMadeTheShortcut(t *testing.T) {
	err := joinedAtRome(t, belongings()["another's"]).CheckFree(t.Context(), overNodePort)
	if explain.Summary(err) != `a shortcut with "milan" exists already on leaf "rome"` || !strings.Contains(explain.Detail(err), "made by alice@ci, in folder theirs. One pair") {
		t.Errorf("got %q:\n%s", explain.Summary(err), explain.Detail(err))
	}
}

func TestWhatWasOnceWholeIsARivalsAndNotAbandoned(t *testing.T) {
	abandoned := belongings()["abandoned by a create that was killed"]
	s := joinedAtRome(t, abandoned).OwnedBy(somebody)
	for _, on := range s.sides() { // Milan has nothing that it could record it on
		if err := on.complete(true)(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.OwnedBy(me).CheckFree(t.Context(), overNodePort); !IsRival(err) {
		t.Errorf("got: %v", err)
	}
	if err := s.Disconnect(t.Context(), Removal{}); err != nil || s.atRome(t) == nil {
		t.Errorf("somebody's Configuration is gone (%v)", err)
	}
}

// aKey is the key of Milan's gateway, as somebody has told it to Rome.
func aKey(t *testing.T) *networkingv1beta1.PublicKey {
	t.Helper()
	key, err := forge.PublicKey("liqo-tenant-milan", nil, "milan", make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func TestAKeyOfOthersIsInTheWayOnlyOfWhoeverSharesTheKeys(t *testing.T) {
	for _, byOthers := range []bool{false, true} {
		spec := overNodePort
		spec.KeysByOthers = byOthers
		err := joinedAtRome(t, []client.Object{aKey(t)}).CheckFree(t.Context(), spec)
		if (err == nil) != byOthers {
			t.Errorf("keys by others: %t: %v", byOthers, err)
		}
		if err != nil && !strings.Contains(explain.Detail(err), "This provider did not make PublicKey liqo-tenant-milan/") {
			t.Errorf("got:\n%s", explain.Detail(err))
		}
	}
}

func TestAnImportTakesTheOneOwnerThereIs(t *testing.T) {
	abandoned := theirs("rome")
	for name, test := range map[string]struct {
		atMilan  Owner
		expected string
	}{
		"one for both ends":   {somebody, somebody.Token},
		"one for one end":     {Owner{}, somebody.Token},
		"two":                 {me, ""},
		"nobody's, and one's": {Owner{Token: ""}, somebody.Token},
	} {
		object := abandoned.DeepCopy()
		test.atMilan.mark(object)
		s := New(clustertest.Leaf(t, "rome", completed(somebody, theirs("milan"))), clustertest.Leaf(t, "milan", object))
		if token, err := s.SoleOwner(t.Context()); err != nil || token != test.expected {
			t.Errorf("%s: %q (%v)", name, token, err)
		}
	}
}

func TestWhatIsMadeIsTheOwners(t *testing.T) {
	gateway := wireGuard(serverGateway("rome", 51840))
	s := New(clustertest.Leaf(t, "rome"), clustertest.Leaf(t, "milan", gateway)).OwnedBy(me)
	if err := s.server.ensurePublicKey(t.Context(), make([]byte, 32), gateway); err != nil {
		t.Fatal(err)
	}
	if _, err := s.server.ensureGatewayServer(t.Context(), "liqo-tenant-rome", overNodePort); err != nil {
		t.Fatal(err)
	}
	found, err := s.server.find(t.Context())
	if err != nil || len(found.made()) != 2 {
		t.Fatalf("got %v (%v)", found.made(), err)
	}
	for _, object := range found.made() {
		if !me.marked(object) {
			t.Errorf("%s is not mine", s.server.leaf.Describe(object))
		}
	}
	if owners := found.publicKey.OwnerReferences; len(owners) != 1 || owners[0].UID != gateway.UID {
		t.Errorf("the PublicKey would not go with the gateway: %v", owners)
	}
}

func TestAKeyThatWasEditedIsSeenWithoutTheGatewaysSecret(t *testing.T) {
	gateway := wireGuard(serverGateway("rome", 51840))
	s := New(clustertest.Leaf(t, "rome"), clustertest.Leaf(t, "milan", gateway))
	if err := s.server.ensurePublicKey(t.Context(), make([]byte, 32), gateway); err != nil {
		t.Fatal(err)
	}
	found, err := s.server.find(t.Context())
	if err != nil || edited(found.publicKey) {
		t.Fatalf("it is edited already (%v)", err)
	}
	found.publicKey.Spec.PublicKey = append(make([]byte, 31), 1)
	if err := s.server.leaf.Live.Update(t.Context(), found.publicKey); err != nil {
		t.Fatal(err)
	}
	if found, err = s.server.find(t.Context()); err != nil || !edited(found.publicKey) {
		t.Errorf("nobody notices (%v)", err)
	}
}

func TestLiqosRecordOfTheOtherClusterGoesWithTheLastNetwork(t *testing.T) {
	record := func() client.Object {
		foreign := peer("milan", liqov1beta1.UnknownRole)
		foreign.Status.Modules = liqov1beta1.Modules{}
		return foreign
	}
	elsewhere := theirs("milan")
	elsewhere.Namespace = "elsewhere"
	for name, test := range map[string]struct {
		more []client.Object
		goes bool
	}{
		"the last":               {nil, true},
		"not the last":           {[]client.Object{elsewhere}, false},
		"the last, of a peering": {[]client.Object{peer("milan", liqov1beta1.ProviderRole)}, false},
	} {
		objects := slices.Concat(belongings()["mine"], test.more)
		if name != "the last, of a peering" {
			objects = append(objects, record())
		}
		s := joinedAtRome(t, objects)
		if err := s.Disconnect(t.Context(), Removal{EvenFromPeering: true}); err != nil {
			t.Fatal(err)
		}
		err := s.client.leaf.Live.Get(t.Context(), client.ObjectKey{Name: "milan"}, &liqov1beta1.ForeignCluster{})
		if gone := client.IgnoreNotFound(err) == nil && err != nil; gone != test.goes {
			t.Errorf("%s: gone: %t (%v)", name, gone, err)
		}
	}
}

func TestASurveyTellsWhoOwnsANetworkAndHowItIsReached(t *testing.T) {
	owned := func(objects []client.Object, complete bool) []client.Object {
		for _, object := range objects[:3] {
			somebody.mark(object)
		}
		if complete {
			setAnnotation(objects[0], completeAnnotation, somebody.Token+" "+time.Now().UTC().Format(time.RFC3339))
		}
		return objects
	}
	atRome, atMilan := end(asClient, "milan", up), end(asServer, "rome", up)
	atMilan[1].(*networkingv1beta1.GatewayServer).Spec.MTU = 1400 //nolint:errcheck,forcetypeassert // the second is
	for _, complete := range []bool{false, true} {
		survey := Look(t.Context(), []string{"rome", "milan"}, among(t, map[string][]client.Object{
			"rome": owned(atRome, false), "milan": owned(atMilan, complete),
		}))
		link := survey.Networks[0]
		if link.Owner == nil || link.Owner.Origin != somebody.Origin || link.Owner.Complete != complete {
			t.Errorf("complete: %t: the owner is %+v", complete, link.Owner)
		}
		if link.MTU != 1400 || link.ServerEndpoint == nil || link.ServerEndpoint.Port != 31000 || link.Client != (Party{"rome", "rome"}) {
			t.Errorf("got %+v", link)
		}
	}
	unowned := Look(t.Context(), []string{"rome", "milan"}, among(t, map[string][]client.Object{"rome": end(asClient, "milan", up), "milan": {}}))
	if link := unowned.Networks[0]; link.Owner != nil || link.MTU != 1340 || link.ServerEndpoint != nil {
		t.Errorf("got %+v", link)
	}
}

func TestAnAdoptionMarksEverythingAndCanGiveItBack(t *testing.T) {
	objects := func() []client.Object { return []client.Object{theirs("milan"), clientGateway("172.18.0.2"), aKey(t)} }
	anothers := objects()
	for _, object := range anothers {
		somebody.mark(object)
	}
	setAnnotation(anothers[0], completeAnnotation, somebody.Token+" "+time.Now().UTC().Format(time.RFC3339))
	for name, test := range map[string]struct {
		objects []client.Object
		before  Owner
	}{"people's": {objects(), Owner{}}, "another's": {anothers, somebody}} {
		s := joinedAtRome(t, test.objects)
		if err := s.client.take(t.Context(), s, Spec{Adopt: true}); err != nil {
			t.Fatal(err)
		}
		taken, err := s.client.find(t.Context())
		if err != nil || len(taken.made()) != 3 || slices.ContainsFunc(taken.made(), func(object client.Object) bool { return !me.marked(object) }) {
			t.Errorf("%s: not all of it is mine (%v)", name, err)
		}
		if err := s.client.giveBack(t.Context()); err != nil {
			t.Fatal(err)
		}
		given, err := s.client.find(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, object := range given.made() {
			if tokenOf(object) != test.before.Token || managed(object) != (test.before.Token != "") {
				t.Errorf("%s: %s has labels %v and annotations %v", name, s.client.leaf.Describe(object), object.GetLabels(), object.GetAnnotations())
			}
		}
	}
}

func TestAnAdoptionThatWasKilledLeavesTheNetworkWithItsOwner(t *testing.T) {
	const third = "third"
	for name, test := range map[string]struct {
		before previous
		free   bool
	}{
		"people's":  {previous{}, false},
		"nobody's":  {previous{ManagedBy: ManagedBy}, true},
		"another's": {previous{ManagedBy: ManagedBy, Owner: third}, false},
	} {
		adopting := theirs("milan")
		setAnnotation(adopting, previousAnnotation, test.before.encode())
		somebody.mark(adopting)
		if err := joinedAtRome(t, []client.Object{adopting}).CheckFree(t.Context(), overNodePort); (err == nil) != test.free {
			t.Errorf("%s: %v", name, err)
		}
	}
}
