package shortcut

import (
	"slices"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

// taken returns a complete shortcut of an owner, of which another owner has marked one gateway.
func taken(t *testing.T) *Shortcut {
	t.Helper()
	rome, milan := romeAndMilan(t)
	mine := New(rome, milan).OwnedBy(me)
	must(t, mine.Connect(t.Context(), overNodePort))
	n, err := mine.find(t.Context())
	must(t, err)
	must(t, rome.Edit(t.Context(), n.client.Gateway.Object, func(o client.Object) { somebody.Mark(o) }))
	return mine
}

func TestAnObjectThatAnotherShortcutHasMarkedIsShownToTheOwnerOfTheNetwork(t *testing.T) {
	mine := taken(t)
	state, err := mine.Observe(t.Context())
	expected := []string{`GatewayClient liqo-tenant-milan/milan on leaf "rome"`}
	if err != nil || !slices.Equal(state.Strays, expected) {
		t.Errorf("got %v (%v)", state.Strays, err)
	}
	theirs, err := New(mine.Client.Leaf, mine.Server.Leaf).OwnedBy(somebody).hasStrays(t.Context())
	if err != nil || theirs {
		t.Errorf("the other owner has strays, too (%v)", err)
	}
}

func TestTheOwnerOfTheNetworkTakesBackWhatAnotherShortcutHasMarked(t *testing.T) {
	mine := taken(t)
	must(t, mine.Connect(t.Context(), overNodePort))
	n, err := mine.find(t.Context())
	must(t, err)
	for _, object := range n.made() {
		if owner.TokenOf(object) != me.Token {
			t.Errorf("%T has the token %q", object, owner.TokenOf(object))
		}
	}
}
