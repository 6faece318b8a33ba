package shortcut

import (
	"maps"
	"slices"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

func TestAFailedAdoptionGivesEverythingBack(t *testing.T) {
	given := []string{"another's", "made by liqoctl", "a peering's"}
	for name, objects := range belongings() {
		t.Run(name, func(t *testing.T) {
			spec := overNodePort
			spec.Adopt = true
			s := joinedAtRome(t, objects)
			before := s.atRome(t)
			if err := s.connectUntilTaken(t, spec); err == nil {
				t.Fatal("without Liqo, it can't succeed")
			}
			after := s.atRome(t)
			if !slices.Contains(given, name) {
				return
			}
			if !maps.Equal(before.Labels, after.Labels) || owner.TokenOf(before) != owner.TokenOf(after) {
				t.Errorf("it was marked %v, %v and is %v, %v", before.Labels, before.Annotations, after.Labels,
					after.Annotations)
			}
		})
	}
}

func TestAnImportClaimsObjectsWithoutAnotherOwner(t *testing.T) {
	claimed := me
	claimed.Claims = true
	for name, objects := range belongings() {
		state, err := joinedAtRome(t, objects).OwnedBy(claimed).Observe(t.Context())
		token := owner.TokenOf(objects[0])
		if expected := token != somebody.Token && token != killed.Token; err != nil || state.Exists != expected {
			t.Errorf("%s: exists: %t (%v)", name, state.Exists, err)
		}
	}
}

func TestAnAdoptionMarksEverythingAndCanGiveItBack(t *testing.T) {
	objects := func() []client.Object {
		return []client.Object{clustertest.Configuration("milan"), clustertest.GatewayClient("milan"),
			clustertest.PublicKey("milan")}
	}
	anothers := objects()
	for _, object := range anothers {
		somebody.Mark(object)
	}
	for name, test := range map[string]struct {
		objects []client.Object
		before  owner.Owner
	}{"people's": {objects(), owner.Owner{}}, "another's": {anothers, somebody}} {
		s := joinedAtRome(t, test.objects)
		if err := s.take(t.Context(), s.Client, Spec{Adopt: true}, nil); err != nil {
			t.Fatal(err)
		}
		taken, err := s.Client.Find(t.Context())
		if err != nil || len(taken.Made()) != 3 || slices.ContainsFunc(taken.Made(),
			func(object client.Object) bool { return !me.Marked(object) }) {
			t.Errorf("%s: not all of it is mine (%v)", name, err)
		}
		if err := s.Client.GiveBack(t.Context()); err != nil {
			t.Fatal(err)
		}
		given, err := s.Client.Find(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, object := range given.Made() {
			if owner.TokenOf(object) != test.before.Token ||
				(object.GetLabels()[owner.ManagedByLabel] == owner.ManagedBy) != (test.before.Token != "") {
				t.Errorf("%s: %s has labels %v and annotations %v", name, s.Client.Leaf.Describe(object),
					object.GetLabels(), object.GetAnnotations())
			}
		}
	}
}

func TestAKilledAdoptionLeavesTheNetworkToItsOwner(t *testing.T) {
	for name, test := range map[string]struct {
		before string // how it was marked, as JSON
		free   bool
	}{
		"people's":  {`{"managedBy":"","owner":""}`, false},
		"nobody's":  {`{"managedBy":"terraform-provider-liqo","owner":""}`, true},
		"another's": {`{"managedBy":"terraform-provider-liqo","owner":"third"}`, false},
	} {
		adopting := clustertest.Configuration("milan")
		annotate(adopting, "previous", test.before)
		killed.Mark(adopting)
		if err := joinedAtRome(t, []client.Object{adopting}).CheckFree(t.Context(),
			overNodePort); (err == nil) != test.free {
			t.Errorf("%s: %v", name, err)
		}
	}
}
