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
	byFirst = "made by alice@ci, in directory first"
)

// madeInFirst starts leaves, and applies a shortcut in a directory first. All other projects of a test run in the same
// directory.
func madeInFirst(t *testing.T) (*leaves, *project) {
	t.Helper()
	l, first := applied(t, shortcut())
	l.patch("rome", inTenant(&networkingv1beta1.Configuration{}, "milan"), inFirst)
	l.patch("milan", inTenant(&networkingv1beta1.Configuration{}, "rome"), inFirst)
	return l, first
}

// isRefused applies a project. It must fail, say these sentences, and leave no state.
func (p *project) isRefused(sentences ...string) {
	p.t.Helper()
	p.applyFails(sentences...)
	p.isNotInTheState()
}

func TestASecondNetworkOfThePairIsAWarning(t *testing.T) {
	l, p := applied(t, shortcut())
	first := read(l, "rome", inTenant(&networkingv1beta1.Configuration{}, "milan"))
	l.have("rome", &networkingv1beta1.Configuration{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "default", Name: "milan", Labels: map[string]string{consts.RemoteClusterID: "milan"},
		},
		Spec: first.Spec,
	})
	p.plan().says("A second network connects the pair", `Configuration default/milan on leaf "rome"`)
	p.configure(shortcut("mtu = 1400")).applyOnce().does("update", romeMilan)
	p.destroy().says(`Warning: Some objects were kept on leaf "rome"`,
		"Objects that another user created stay: Configuration default/milan.")
	if left := slices.Collect(maps.Keys(l.requested())); !slices.Equal(left, []string{"rome Configuration"}) {
		t.Errorf("these are left: %v", left)
	}
}

func TestBothOwnersOfANetworkAreShownAndTheOneWithMostObjectsTakesItBack(t *testing.T) {
	l := leavesFor(t)
	p := l.project(t, shortcut()+`
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
	p.plan().does("update", romeMilan).
		says("Warning: Another resource has changed the shortcut", helpAt("owners-mixed"))
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

func TestAShortcutOfAnotherStateIsNeitherTakenOverNorRemoved(t *testing.T) {
	l, first := madeInFirst(t)
	networks := l.networks()
	for _, test := range []struct{ client, server string }{{"rome", "milan"}, {"milan", "rome"}} {
		second := l.project(t, fromTo(test.client, test.server, overNodePort))
		for range 2 { // the second try has the same result
			second.isRefused(fmt.Sprintf("Error: A shortcut with %q exists already on leaf %q", test.server, test.client),
				"with "+romeMilan+", server = ", "Another liqo_shortcut owns it, "+byFirst, "run `terraform destroy` there",
				"first forget it there, with a `removed` block or `terraform state rm`. Then, or if that state is lost,",
				importRomeMilan, helpAt("shortcut-exists"))
		}
		second.destroy()
	}
	l.sameNetworks(networks)
	first.plan().isEmpty()
	first.taint(romeMilan) // its refresh says that this state has it, wherever it was made
	first.plan().does("replace", romeMilan)
}

// Terraform plans as for an apply before a destroy, too, and records nothing of a plan that fails.
func TestAStateWhoseShortcutHasAnotherOwnerNowCanLetGoOfIt(t *testing.T) {
	l, first := madeInFirst(t)
	const theirs = `{"metadata":{"annotations":{"terraform-provider-liqo/owner":"theirs"}}}`
	for what, object := range l.requested() {
		leaf, _, _ := strings.Cut(what, " ")
		l.patch(leaf, &object, theirs)
	}
	l.patch("rome", namespaceNamed("liqo-tenant-milan"), theirs)
	l.patch("milan", namespaceNamed("liqo-tenant-rome"), theirs)
	networks := l.networks()
	first.plan().does("create", romeMilan).says("Warning: The shortcut has another owner now",
		"Warning: A shortcut with \"milan\" exists already on leaf \"rome\"", "a destroy takes nothing of it")
	first.applyFails("Error: A shortcut with \"milan\" exists already on leaf \"rome\"")
	first.isNotInTheState()
	first.destroy()
	l.sameNetworks(networks)
}

// Terraform creates the resource of the new address and destroys that of the old one in any order.
func TestAShortcutWithANewAddressExistsAfterTheApply(t *testing.T) {
	t.Run("which is created first", func(t *testing.T) {
		l, before := applied(t, shortcut())
		after := l.project(t, shortcut())
		refused := l.of("milan").gets(http.MethodDelete, "/leases/terraform-provider-liqo.milan.rome")
		created := after.applying(refused) // for the first time: the create has given the lock on the pair back
		before.destroy()
		created()
		after.plan().isEmpty()
	})
	t.Run("which is destroyed first", func(t *testing.T) {
		_, p := applied(t, shortcut())
		p.configure(named("after", "rome", "milan", overNodePort))
		p.apply().does("delete", romeMilan).does("create", "liqo_shortcut.after")
	})
}

func TestAShortcutThatIsCreatedBeforeItIsDestroyedStays(t *testing.T) {
	l, destroyed := applied(t, shortcut())
	networks := l.networks()
	created := l.project(t, shortcut())
	refused := l.of("milan").gets(http.MethodDelete, "/leases/terraform-provider-liqo.milan.rome")
	defer created.limit(refused)() // until then, the create waits for the destroy
	created.isRefused("Error: A shortcut with", "exists already on leaf",
		"If this apply replaces it with `create_before_destroy`, remove that setting.")
	l.sameNetworks(networks)
	destroyed.plan().isEmpty()
}

func TestAShortcutThatTerraformForgetsKeepsItsNetworkUntilItIsImportedAgain(t *testing.T) {
	l, first := madeInFirst(t)
	second := l.project(t, shortcut())
	networks := l.networks()
	first.forget(romeMilan)
	second.isRefused("Error: A shortcut with", "exists already on leaf", byFirst)
	second.imports(romeMilan, "rome/milan")
	second.plan().isEmpty()
	l.sameNetworks(networks)
	second.destroy()
	second.hasNoState()
}

func TestACompleteShortcutStaysItsOwnersWithoutItsGateways(t *testing.T) {
	l, first := madeInFirst(t)
	second := l.project(t, shortcut())
	l.lose("rome", inTenant(&networkingv1beta1.GatewayClient{}, "milan"))
	l.lose("milan", inTenant(&networkingv1beta1.GatewayServer{}, "rome"))
	second.isRefused("Error: A shortcut with", "exists already on leaf", byFirst)
	first.apply().does("update", romeMilan)
	first.has(romeMilan, "Connected", "status")
}
