package protocol

import (
	"net/http"
	"testing"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

const (
	held     = `{"metadata":{"finalizers":["example.com/hold"]}}`
	released = `{"metadata":{"finalizers":null}}`
)

// deletesHeld deletes an object of a leaf, which a finalizer holds until the returned function is called.
func (l *leaves) deletesHeld(name string, object client.Object) (release func()) {
	l.t.Helper()
	l.patch(name, object, held)
	l.lose(name, object)
	return func() { l.t.Helper(); l.patch(name, object, released) }
}

// deletesHeldNamespace makes a namespace and deletes it. Something in it has a finalizer until the returned function is
// called.
func (l *leaves) deletesHeldNamespace(name string, namespace *corev1.Namespace) (release func()) {
	l.t.Helper()
	l.have(name, namespace)
	content := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace.Name, Name: "content"}}
	l.have(name, content)
	l.patch(name, content, held)
	l.lose(name, namespace)
	return func() { l.t.Helper(); l.patch(name, content, released) }
}

// hasNoState fails the test if the project has a state, or a leaf an object that someone makes for a network.
func (p *project) hasNoState() {
	p.t.Helper()
	p.isNotInTheState()
	p.leaves.areClean()
}

// isNotInTheState fails the test if the project has a state.
func (p *project) isNotInTheState() {
	p.t.Helper()
	for _, one := range p.state {
		p.t.Errorf("%s is in the state", one.address)
	}
}

// areClean fails the test if a leaf has an object that someone makes for a network.
func (l *leaves) areClean() {
	l.t.Helper()
	if left := l.requested(); len(left) > 0 {
		l.t.Errorf("left behind: %v", left)
	}
}

func TestANamespaceThatIsBeingDeletedIsAWarningAndANewShortcutWaitsForIt(t *testing.T) {
	for name, namespace := range map[string]*corev1.Namespace{
		"with Liqo's labels": clustertest.TenantNamespace("rome"), "without": namespaceNamed("liqo-tenant-rome"),
	} {
		t.Run(name, func(t *testing.T) {
			l := leavesFor(t)
			release := l.deletesHeldNamespace("milan", namespace)
			p := l.project(t, shortcut())
			p.plan().does("create", romeMilan).
				says(`Warning: Namespace liqo-tenant-rome is being deleted on leaf "milan"`, `server = "milan"`,
					"Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances",
					"Another user has deleted it already. An apply that needs its place waits until it is gone",
					helpAt("deletion-under-way")).doesNotSay("Delete the namespace")

			waits := l.of("milan").watches("namespaces", "liqo-tenant-rome")
			p.runsOut(waits, `Error: Namespace liqo-tenant-rome is not deleted on leaf "milan"`,
				"example.com/hold in 1 resource instances", "not done milan: look for the namespace").
				doesNotSay("tainted")
			p.hasNoState()
			if l.hasObject("rome", namespaceNamed("liqo-tenant-milan")) {
				t.Error("the apply has made a namespace on the other leaf")
			}

			release()
			p.apply()
			p.has(romeMilan, "Connected", "status")
		})
	}
}

func TestANamespaceOfTheUsersThatIsBeingDeletedIsAWarningAndRefusesAnApply(t *testing.T) {
	l := leavesFor(t)
	l.deletesHeldNamespace("milan", namespaceNamed("shortcuts"))
	p := l.project(t, shortcut(`server_namespace = "shortcuts"`))
	const advice = "Another user has deleted it already, and nothing can be created in it. When it is gone, create it " +
		"again, or set another namespace."
	p.plan().does("create", romeMilan).says(`Warning: Namespace shortcuts is being deleted on leaf "milan"`, advice)
	p.applyFails(`Error: Namespace shortcuts is being deleted on leaf "milan"`, advice).doesNotSay("tainted")
	p.hasNoState()
	p.configure(endAt("liqo_public_key.rome", "milan", "rome", keyOfTurin+"\n"+`namespace = "shortcuts"`))
	p.plan().says(`Warning: Namespace shortcuts is being deleted on leaf "milan"`)
	p.applyFails(`Error: Namespace shortcuts is being deleted on leaf "milan"`).doesNotSay("tainted")
	p.hasNoState()
}

func TestANewShortcutWaitsForWhatSomeoneElseIsDeleting(t *testing.T) {
	l := joinedByHand(t)
	release := l.deletesHeld("rome", inTenant(&networkingv1beta1.GatewayClient{}, "milan"))
	for name, other := range map[string]string{"rome": "milan", "milan": "rome"} {
		l.lose(name, inTenant(&networkingv1beta1.Configuration{}, other))
	}
	p := l.project(t, shortcut())
	const refused = "A network with"
	p.planFails(refused, "exists already on leaf", "GatewayServer liqo-tenant-rome/rome", // nobody is deleting this one
		`Warning: GatewayClient liqo-tenant-milan/milan is being deleted on leaf "rome"`)
	l.lose("milan", inTenant(&networkingv1beta1.GatewayServer{}, "rome"))

	p.plan().does("create", romeMilan).
		says("Warning: GatewayClient liqo-tenant-milan/milan is being deleted", "it waits for the finalizer "+
			"example.com/hold.", "Another user has deleted it already.", "Do not remove a finalizer by hand").
		doesNotSay(refused)
	locked := l.of("milan").gets(http.MethodPost, "/leases")
	p.runsOut(locked, `Error: GatewayClient liqo-tenant-milan/milan is not deleted on leaf "rome"`,
		"it waits for the finalizer example.com/hold.").doesNotSay("tainted")
	p.isNotInTheState()

	release()
	p.apply()
	p.has(romeMilan, "Connected", "status")
}

func TestAnObjectOfAShortcutThatIsBeingDeletedIsRepaired(t *testing.T) {
	for shown, object := range map[string]client.Object{
		"Namespace liqo-tenant-rome":          namespaceNamed("liqo-tenant-rome"),
		"GatewayServer liqo-tenant-rome/rome": inTenant(&networkingv1beta1.GatewayServer{}, "rome"),
		"Configuration liqo-tenant-rome/rome": inTenant(&networkingv1beta1.Configuration{}, "rome"),
		"PublicKey liqo-tenant-rome/rome":     inTenant(&networkingv1beta1.PublicKey{}, "rome"),
	} {
		t.Run(shown, func(t *testing.T) {
			l, p := applied(t, shortcut())
			release := l.deletesHeld("milan", object)
			p.plan().does("update", romeMilan).
				says("Warning: "+shown+` is being deleted on leaf "milan"`, "it waits for the finalizer example.com/hold.")
			release()
			p.apply().doesNotSay("is being deleted")
		})
	}
}

func TestAForeignClusterThatIsBeingDeletedIsAWarning(t *testing.T) {
	l, _ := applied(t, shortcut())
	release := l.deletesHeld("rome", &liqov1beta1.ForeignCluster{ObjectMeta: metav1.ObjectMeta{Name: "milan"}})
	defer release()
	p := l.project(t, shortcut())
	p.plan().says(`Warning: ForeignCluster milan is being deleted on leaf "rome"`, "it waits for the finalizer")
}

func TestAnObjectOfOneEndWaitsForWhatSomeoneElseIsDeleting(t *testing.T) {
	l := joinedByHand(t)
	release := l.deletesHeld("milan", inTenant(&networkingv1beta1.Configuration{}, "rome"))
	p := l.project(t, endAt("liqo_configuration.rome", "milan", "rome", romesRanges))
	p.plan().does("create", "liqo_configuration.rome").
		says(`Warning: Configuration liqo-tenant-rome/rome is being deleted on leaf "milan"`)
	locked := l.of("milan").gets(http.MethodPost, "/leases")
	p.runsOut(locked, `Error: Configuration liqo-tenant-rome/rome is not deleted on leaf "milan"`).doesNotSay("tainted")
	p.isNotInTheState()
	release()
	p.apply()
}

func TestACreateThatHasWrittenNothingLeavesNoState(t *testing.T) {
	l := leavesFor(t)
	p := l.project(t, shortcut())
	milan := l.of("milan")
	stopped := milan.stopsAt(http.MethodPost, "/leases") // that of the pair
	p.runsOut(stopped, `Error: The API server can't be reached on leaf "milan"`).doesNotSay("tainted")
	milan.Start()
	p.hasNoState()
}

func TestADestroyWaitsForPodsOfOthersOnlyInATenantNamespace(t *testing.T) {
	l := leavesFor(t)
	l.have("milan", namespaceNamed("shortcuts"))
	p := l.project(t, shortcut(`server_namespace = "shortcuts"`))
	p.apply()
	own := podIn("shortcuts")
	l.have("milan", own)
	l.patch("milan", own, held)
	before := own.ResourceVersion
	p.destroy()
	if read(l, "milan", own).ResourceVersion != before {
		t.Errorf("the destroy has changed the pod: %v", own.ObjectMeta)
	}

	p.configure(shortcut()).apply()
	inTenant := podIn("liqo-tenant-rome")
	l.have("milan", inTenant)
	l.patch("milan", inTenant, held)
	unlimited := p.limit(l.of("milan").watches("namespaces", "liqo-tenant-rome"))
	p.destroyFails(`Error: Namespace liqo-tenant-rome is not deleted on leaf "milan"`,
		"Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances")
	unlimited()
	l.patch("milan", inTenant, released)
	p.destroy()
}

// podIn returns somebody's pod.
func podIn(namespace string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "somebody"},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "somebody", Image: "example.com/somebody"}}},
	}
}

func TestAGatewayThatIsBeingDeletedIsMadeAgainAlsoIfAnotherCheckFails(t *testing.T) {
	for name, test := range map[string]struct{ remote, config, address string }{
		"shortcut": {"rome", between("milan", replicated), romeMilan},
		"one end":  {"turin", serverOf(`pods = { replicas = 2 }`), turinsServer},
	} {
		t.Run(name, func(t *testing.T) {
			l, p := applied(t, test.config)
			release := l.deletesHeld("milan", inTenant(&networkingv1beta1.GatewayServer{}, test.remote))
			base := read(l, "milan", serverTemplate("liqo", "wireguard-server"))
			l.lose("milan", base)
			p.planFails("can't be checked for repairs", `The template does not exist on leaf "milan"`)
			base.SetResourceVersion("")
			l.have("milan", base)
			p.plan().does("update", test.address)
			release()
			p.apply()
		})
	}
}
