package shortcut

import (
	"maps"
	"slices"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

func TestAnAdoptionThatFailsLeavesEverybodyWhatTheyHad(t *testing.T) {
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
			if !maps.Equal(before.Labels, after.Labels) || tokenOf(before) != tokenOf(after) {
				t.Errorf("it was marked %v, %v and is %v, %v", before.Labels, before.Annotations, after.Labels, after.Annotations)
			}
		})
	}
}

func TestAnImportClaimsWhatHasNoOtherOwner(t *testing.T) {
	claimed := me
	claimed.Claims = true
	for name, objects := range belongings() {
		state, err := joinedAtRome(t, objects).OwnedBy(claimed).Observe(t.Context(), false)
		if expected := tokenOf(objects[0]) != somebody.Token; err != nil || state.Exists != expected {
			t.Errorf("%s: exists: %t (%v)", name, state.Exists, err)
		}
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
		if err := s.take(t.Context(), s.client, Spec{Adopt: true}); err != nil {
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

func TestKeysThatOthersHaveBroughtStayTheirs(t *testing.T) {
	owner := Owner{Token: "ours"}
	ownKey, left := romesKey(t), romesKey(t)
	owner.mark(ownKey)
	Owner{}.mark(left)
	for name, test := range map[string]struct {
		key   client.Object
		taken bool
	}{
		"somebody else's":                    {romesKey(t), false},
		"the owner's from before":            {ownKey, true},
		"what a killed create has left over": {left, true},
	} {
		shortcut := New(clustertest.Leaf(t, "rome"), clustertest.Leaf(t, "milan", test.key)).OwnedBy(owner)
		spec := Spec{KeysByOthers: true}
		if err := shortcut.CheckFree(t.Context(), spec); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := shortcut.take(t.Context(), shortcut.server, spec); err != nil {
			t.Fatal(err)
		}
		if found, err := shortcut.server.find(t.Context()); err != nil || owner.owns(found.publicKey) != test.taken {
			t.Errorf("%s: it is marked %v (%v)", name, found.publicKey.Annotations, err)
		}
	}
}
