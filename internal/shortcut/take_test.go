package shortcut

import (
	"slices"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo/liqotest"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

// claims is me after an import.
var claims = owner.Owner{Token: me.Token, Origin: me.Origin, Claims: true}

func TestAnImportClaimsObjectsWithoutAnotherOwner(t *testing.T) {
	for name, objects := range belongings() {
		state, err := joinedAtRome(t, objects).OwnedBy(claims).Observe(t.Context())
		token := owner.TokenOf(objects[0])
		if expected := token != somebody.Token && token != killed.Token; err != nil || state.Exists != expected {
			t.Errorf("%s: exists: %t (%v)", name, state.Exists, err)
		}
		if expected := name == "nobody's" || name == "made by liqoctl" || name == "a peering's"; state.Unmarked != expected {
			t.Errorf("%s: unmarked: %t", name, state.Unmarked)
		}
	}
}

func TestTheFirstUpdateAfterAnImportMarksWhatNobodyOwnsAndNothingElse(t *testing.T) {
	unowned := func() []client.Object {
		return []client.Object{clustertest.Configuration("milan"), clustertest.GatewayClient("milan"),
			clustertest.PublicKey("milan"), clustertest.TenantNamespace("milan")}
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
	if n, err := s.find(t.Context()); err != nil || n.client.Configuration == nil || n.server.Configuration == nil {
		t.Errorf("a Configuration is gone (%v)", err)
	}
}
