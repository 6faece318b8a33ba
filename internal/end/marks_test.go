package end

import (
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

func TestItIsRecordedWhetherTheTunnelWasSeenUp(t *testing.T) {
	owner := Owner{Token: "ours"}
	configuration := clustertest.Configuration("rome")
	owner.Mark(configuration)
	server := milansEnd(t, configuration)
	server.Owner = owner
	for _, test := range []struct{ sees, recorded bool }{{false, false}, {true, true}, {false, true}} {
		if err := server.RecordComplete(t.Context(), test.sees); err != nil {
			t.Fatal(err)
		}
		found, err := server.Find(t.Context())
		if err != nil || found.wasConnected() != test.recorded || completeBy(found.Configuration) != "ours" {
			t.Errorf("seen: %t; it says %q (%v)", test.sees, found.Configuration.Annotations[completeAnnotation], err)
		}
	}
}

func TestATakenObjectCanBeGivenBackUnchanged(t *testing.T) {
	for name, before := range map[string]Owner{"people's": {}, "another's": somebody} {
		configuration := clustertest.Configuration("rome")
		if before.Token != "" {
			before.Mark(configuration)
		}
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
		if err != nil || TokenOf(found.Configuration) != before.Token ||
			managed(found.Configuration) != (before.Token != "") {
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
