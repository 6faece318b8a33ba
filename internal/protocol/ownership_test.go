package protocol

import (
	"maps"
	"slices"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestASecondNetworkOfThePairIsAWarning(t *testing.T) {
	l := leavesFor(t)
	p := l.project(t, between("milan", overNodePort))
	p.apply()
	first := inTenant(&networkingv1beta1.Configuration{}, "milan")
	if err := l.of("rome").Get(t.Context(), client.ObjectKeyFromObject(first), first); err != nil {
		t.Fatal(err)
	}
	second := &networkingv1beta1.Configuration{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "default", Name: "milan", Labels: map[string]string{consts.RemoteClusterID: "milan"},
		},
		Spec: first.Spec,
	}
	l.have("rome", second)
	p.plan().says("A second network connects the pair", `Configuration default/milan on leaf "rome"`)
	p.configure(between("milan", overNodePort+"\nmtu = 1400"))
	p.applyOnce().does("update", romeMilan)
	p.destroy().says(`Warning: Some objects were kept on leaf "rome"`,
		"Objects that someone else created stay: Configuration default/milan.")
	if left := slices.Collect(maps.Keys(l.requested())); !slices.Equal(left, []string{"rome Configuration"}) {
		t.Errorf("these are left: %v", left)
	}
}

func TestBothOwnersOfANetworkAreShownAndTheOneWithMostObjectsTakesItBack(t *testing.T) {
	l := leavesFor(t)
	p := l.project(t, between("milan", overNodePort)+`
		data "liqo_shortcuts" "all" {}`)
	p.apply()
	const all = "data.liqo_shortcuts.all"
	own := p.value(romeMilan, "owner_id")
	p.plan()
	p.has(all, own, "shortcuts", 0, "owners", 0, "owner_id")
	p.has(all, "liqo_shortcut", "shortcuts", 0, "owners", 0, "resource")
	p.has(all, p.value(all, "shortcuts", 0, "owner", "made_at"), "shortcuts", 0, "owners", 0, "made_at")

	// This is what is left when another state has lost its lock after its first mark.
	l.patch("rome", inTenant(&networkingv1beta1.Configuration{}, "milan"), `{"metadata":{"annotations":{
		"terraform-provider-liqo/owner": "theirs",
		"terraform-provider-liqo/origin": "{\"who\":\"alice@ci\",\"folder\":\"network\",\"workspace\":\"prod\"}"}}}`)
	planned := p.plan()
	planned.does("update", romeMilan)
	planned.says("Warning: Another resource has changed the shortcut", helpAt("owners-mixed"))
	p.has(all, "null", "shortcuts", 0, "owner")
	p.has(all, "", "import_blocks")
	p.has(all, own, "shortcuts", 0, "owners", 0, "owner_id")
	p.has(all, "theirs", "shortcuts", 0, "owners", 1, "owner_id")
	p.has(all, "alice@ci", "shortcuts", 0, "owners", 1, "who")
	p.has(all, "true", "shortcuts", 0, "owners", 1, "complete")
	p.has(all, `["Configuration liqo-tenant-milan/milan on leaf \"rome\""]`, "shortcuts", 0, "owners", 1, "objects")

	p.apply()
	if owners := at(p.shown[all], "shortcuts", 0, "owners").LengthInt(); owners != 1 {
		t.Errorf("after the apply there are %d owners", owners)
	}
	p.has(all, "default", "shortcuts", 0, "owner", "workspace")
}

func TestLookingAtAShortcutChangesNothing(t *testing.T) {
	l := leavesFor(t)
	p := l.project(t, between("milan", overNodePort))
	p.apply()
	l.writes() // only later ones
	p.plan().isEmpty()
	p.applyOnce()
	if written := l.writes(); len(written) > 0 {
		t.Errorf("the provider has sent %v", written)
	}
}
