package protocol

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// networks returns what the requested objects are, and what they show of whose they are, by leaf and kind.
func (l *leaves) networks() map[string]string {
	l.t.Helper()
	networks := map[string]string{}
	for what, one := range l.requested() {
		networks[what] = fmt.Sprintln(one.UID, one.Generation, one.Labels, one.Annotations)
	}
	return networks
}

// sameNetworks fails the test if any of these objects has changed.
func (l *leaves) sameNetworks(before map[string]string) {
	l.t.Helper()
	if now := l.networks(); !maps.Equal(before, now) {
		l.t.Errorf("the networks have changed from %v to %v", before, now)
	}
}

const (
	inFirst = `{"metadata":{"annotations":{
		"terraform-provider-liqo/origin":"{\"createdBy\":\"alice@ci\",\"directory\":\"first\"}"}}}`
	madeInFirst = "made by alice@ci, in directory first"
)

// madeInFirst lets the network of Rome and Milan be made in a directory first: all projects of a test run in the same
// one.
func (l *leaves) madeInFirst() {
	l.t.Helper()
	l.patch("rome", inTenant(&networkingv1beta1.Configuration{}, "milan"), inFirst)
	l.patch("milan", inTenant(&networkingv1beta1.Configuration{}, "rome"), inFirst)
}

// isRefused applies a project. It must fail, say these sentences, and leave no state.
func (p *project) isRefused(sentences ...string) {
	p.t.Helper()
	p.applyFails(sentences...)
	if len(p.state) > 0 {
		p.t.Errorf("the refused create is in the state: %s", p.state[0].address)
	}
}

func TestASecondNetworkOfThePairIsAWarning(t *testing.T) {
	l := leavesFor(t)
	p := l.project(t, between("milan", overNodePort))
	p.apply()
	first := read(l, "rome", inTenant(&networkingv1beta1.Configuration{}, "milan"))
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
		"Objects that another user created stay: Configuration default/milan.")
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
	p.isRecent(all, "shortcuts", 0, "owners", 0, "created_at")

	// This is what is left when another state has lost its lock after its first mark.
	l.patch("rome", inTenant(&networkingv1beta1.Configuration{}, "milan"), `{"metadata":{"annotations":{
		"terraform-provider-liqo/owner": "theirs",
		"terraform-provider-liqo/origin": "{\"createdBy\":\"alice@ci\",\"directory\":\"network\",\"workspace\":\"prod\"}"}}}`)
	planned := p.plan()
	planned.does("update", romeMilan)
	planned.says("Warning: Another resource has changed the shortcut", helpAt("owners-mixed"))
	p.has(all, own, "shortcuts", 0, "owners", 0, "owner_id")
	p.has(all, "theirs", "shortcuts", 0, "owners", 1, "owner_id")
	p.has(all, "alice@ci", "shortcuts", 0, "owners", 1, "created_by")
	p.has(all, "true", "shortcuts", 0, "owners", 1, "complete")
	p.has(all, `["Configuration liqo-tenant-milan/milan on leaf \"rome\""]`, "shortcuts", 0, "owners", 1, "objects")

	p.forget(romeMilan) // and the state is lost: an import continues as the owner of most objects
	p.imports(romeMilan, "rome/milan")
	p.apply().does("update", romeMilan)
	p.has(romeMilan, own, "owner_id")
	if owners := at(p.shown[all], "shortcuts", 0, "owners").LengthInt(); owners != 1 {
		t.Errorf("after the apply there are %d owners", owners)
	}
	p.has(all, "default", "shortcuts", 0, "owners", 0, "workspace")
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

func TestAShortcutOfAnotherStateIsNeitherTakenOverNorRemoved(t *testing.T) {
	for name, test := range map[string]struct{ client, server string }{
		"in the same direction": {"rome", "milan"}, "in the opposite direction": {"milan", "rome"},
	} {
		t.Run(name, func(t *testing.T) {
			l := leavesFor(t)
			first := l.project(t, between("milan", overNodePort))
			first.apply()
			l.madeInFirst()
			networks := l.networks()
			second := l.project(t, fromTo(test.client, test.server, overNodePort))
			for range 2 { // the second try has the same result
				second.isRefused(
					fmt.Sprintf("Error: A shortcut with %q exists already on leaf %q", test.server, test.client),
					"Another liqo_shortcut owns it, "+madeInFirst)
			}
			second.destroy()
			l.sameNetworks(networks)
			first.plan().isEmpty()
		})
	}
}

// Terraform creates the resource of the new address and destroys that of the old one in any order.
func TestAShortcutWithANewAddressExistsAfterTheApply(t *testing.T) {
	t.Run("which is created first", func(t *testing.T) {
		l := leavesFor(t)
		before, after := l.project(t, between("milan", overNodePort)), l.project(t, between("milan", overNodePort))
		before.apply()
		refused := l.of("milan").gets(http.MethodDelete, "/leases/terraform-provider-liqo.milan.rome")
		created := after.applying(refused) // for the first time: the create has given the lock on the pair back
		before.destroy()
		created()
		after.has(romeMilan, "Connected", "status")
		after.plan().isEmpty()
	})
	t.Run("which is destroyed first", func(t *testing.T) {
		const after = "liqo_shortcut.after"
		l := leavesFor(t)
		p := l.project(t, between("milan", overNodePort))
		p.apply()
		p.configure(renamed(between("milan", overNodePort)))
		applied := p.apply()
		applied.does("delete", romeMilan)
		applied.does("create", after)
		p.has(after, "Connected", "status")
	})
}

// renamed returns a shortcut under another address, liqo_shortcut.after.
func renamed(shortcut string) string { return strings.Replace(shortcut, `"rome_milan"`, `"after"`, 1) }

func TestAShortcutThatIsCreatedBeforeItIsDestroyedStays(t *testing.T) {
	l := leavesFor(t)
	destroyed := l.project(t, between("milan", overNodePort))
	destroyed.apply()
	networks := l.networks()
	created := l.project(t, between("milan", overNodePort))
	refused := l.of("milan").gets(http.MethodDelete, "/leases/terraform-provider-liqo.milan.rome")
	defer created.limit(refused)() // until then, the create waits for the destroy
	created.isRefused("Error: A shortcut with", "exists already on leaf",
		"If this apply replaces it with `create_before_destroy`, remove that setting.")
	l.sameNetworks(networks)
	destroyed.plan().isEmpty()
}

func TestAShortcutThatTerraformForgetsKeepsItsNetworkUntilItIsImportedAgain(t *testing.T) {
	l := leavesFor(t)
	first, second := l.project(t, between("milan", overNodePort)), l.project(t, between("milan", overNodePort))
	first.apply()
	l.madeInFirst()
	networks := l.networks()
	first.forget(romeMilan)
	second.isRefused("Error: A shortcut with", "exists already on leaf", madeInFirst)
	second.imports(romeMilan, "rome/milan")
	second.plan().isEmpty()
	l.sameNetworks(networks)
	second.destroy()
	second.hasNoState()
}

func TestACompleteShortcutStaysItsOwnersWithoutItsGateways(t *testing.T) {
	l := leavesFor(t)
	first, second := l.project(t, between("milan", overNodePort)), l.project(t, between("milan", overNodePort))
	first.apply()
	l.madeInFirst()
	l.lose("rome", inTenant(&networkingv1beta1.GatewayClient{}, "milan"))
	l.lose("milan", inTenant(&networkingv1beta1.GatewayServer{}, "rome"))
	second.isRefused("Error: A shortcut with", "exists already on leaf", madeInFirst)
	first.apply().does("update", romeMilan)
	first.has(romeMilan, "Connected", "status")
}
