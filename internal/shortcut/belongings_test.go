package shortcut

import (
	"slices"
	"testing"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo/liqotest"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

// killed is the owner of a create that was killed.
var killed = owner.Owner{Token: "killed", Origin: owner.Origin{CreatedBy: "carol@ci", Directory: "gone"}}

// leftBehind is the Lease that the create of killed has left behind long ago. Interrupted says that Terraform has ended
// the create.
func leftBehind(interrupted bool) *coordinationv1.Lease {
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{
		Namespace: "liqo", Name: "terraform-provider-liqo.milan.rome",
	}}
	killed.Mark(lease)
	owner.Unfinished{killed.Token: {Origin: killed.Origin, Interrupted: interrupted}}.Mark(lease)
	return lease
}

// marked marks an object as the owner's.
func marked[T client.Object](self owner.Owner, object T) T {
	self.Mark(object)
	return object
}

// belongings are networks of every kind of owner on Rome. Each is one Configuration and the other objects that show
// whose it is.
func belongings() map[string][]client.Object {
	return map[string][]client.Object{
		"mine":                                  {marked(me, clustertest.Configuration("milan"))},
		"another's":                             {marked(somebody, clustertest.Configuration("milan"))},
		"nobody's":                              {ours(clustertest.Configuration("milan"))},
		"abandoned by a create that was killed": {marked(killed, clustertest.Configuration("milan"))},
		"made by liqoctl":                       {clustertest.Configuration("milan")},
		"a peering's": {clustertest.Configuration("milan"),
			clustertest.Peering("milan", liqov1beta1.ProviderRole)},
	}
}

// joinedAtRome is my shortcut. Rome has these objects, and Milan the Lease of a create that was killed.
func joinedAtRome(t *testing.T, objects []client.Object) *Shortcut {
	t.Helper()
	return New(leafWith(t, "rome", objects...), leafWith(t, "milan", leftBehind(false))).OwnedBy(me)
}

// atRome returns the Configuration on Rome, or nil.
func (s *Shortcut) atRome(t *testing.T) *networkingv1beta1.Configuration {
	t.Helper()
	objects, err := s.Client.Find(t.Context())
	must(t, err)
	return objects.Configuration
}

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
