package protocol

import (
	"net/http"
	"testing"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
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
	if left := p.leaves.requested(); len(left) > 0 || len(p.state) > 0 {
		p.t.Errorf("left behind: %v, and %d resources in the state", left, len(p.state))
	}
}

func TestANamespaceThatIsBeingDeletedIsAWarningAndANewShortcutWaitsForIt(t *testing.T) {
	for name, namespace := range map[string]*corev1.Namespace{
		"with Liqo's labels": clustertest.TenantNamespace("rome"), "without": namespaceNamed("liqo-tenant-rome"),
	} {
		t.Run(name, func(t *testing.T) {
			l := leavesFor(t)
			release := l.deletesHeldNamespace("milan", namespace)
			p := l.project(t, between("milan", overNodePort))
			planned := p.plan()
			planned.does("create", romeMilan)
			planned.says(`Warning: Namespace liqo-tenant-rome is being deleted on leaf "milan"`, `server = "milan"`,
				"Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances",
				"Another user has deleted it already. An apply that needs its place waits until it is gone",
				helpAt("deletion-under-way"))
			planned.doesNotSay("Delete the namespace")

			waits := l.of("milan").watches("namespaces", "liqo-tenant-rome")
			failed := p.runsOut(waits, `Error: Namespace liqo-tenant-rome is not deleted on leaf "milan"`,
				"example.com/hold in 1 resource instances", "not done milan: look for the namespace")
			failed.doesNotSay("tainted")
			p.hasNoState()
			other := client.ObjectKey{Name: "liqo-tenant-milan"}
			if err := l.of("rome").Get(t.Context(), other, &corev1.Namespace{}); !apierrors.IsNotFound(err) {
				t.Errorf("the apply has made a namespace on the other leaf (%v)", err)
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
	p := l.project(t, between("milan", overNodePort+"\n"+`server_namespace = "shortcuts"`))
	const advice = "Another user has deleted it already, and nothing can be created in it. When it is gone, create it " +
		"again, or set another namespace."
	planned := p.plan()
	planned.does("create", romeMilan)
	planned.says(`Warning: Namespace shortcuts is being deleted on leaf "milan"`, advice)
	p.applyFails(`Error: Namespace shortcuts is being deleted on leaf "milan"`, advice).doesNotSay("tainted")
	p.hasNoState()
	p.configure(endAt("liqo_public_key.rome", "milan", "rome", keyOfTurin+"\n"+`namespace = "shortcuts"`))
	p.plan().says(`Warning: Namespace shortcuts is being deleted on leaf "milan"`)
	p.applyFails(`Error: Namespace shortcuts is being deleted on leaf "milan"`).doesNotSay("tainted")
	p.hasNoState()
}

func TestANewShortcutWaitsForWhatSomeoneElseIsDeleting(t *testing.T) {
	l := leavesFor(t)
	l.joinedByHand()
	release := l.deletesHeld("rome", inTenant(&networkingv1beta1.GatewayClient{}, "milan"))
	for name, other := range map[string]string{"rome": "milan", "milan": "rome"} {
		l.lose(name, inTenant(&networkingv1beta1.Configuration{}, other))
	}
	p := l.project(t, between("milan", overNodePort))
	const refused = "A network with"
	p.planFails(refused, "exists already on leaf", "GatewayServer liqo-tenant-rome/rome", // nobody is deleting this one
		`Warning: GatewayClient liqo-tenant-milan/milan is being deleted on leaf "rome"`)
	l.lose("milan", inTenant(&networkingv1beta1.GatewayServer{}, "rome"))

	planned := p.plan()
	planned.does("create", romeMilan)
	planned.says("Warning: GatewayClient liqo-tenant-milan/milan is being deleted", "it waits for the finalizer "+
		"example.com/hold.", "Another user has deleted it already.", "Do not remove a finalizer by hand")
	planned.doesNotSay(refused)
	locked := l.of("milan").gets(http.MethodPost, "/leases")
	p.runsOut(locked, `Error: GatewayClient liqo-tenant-milan/milan is not deleted on leaf "rome"`,
		"it waits for the finalizer example.com/hold.").doesNotSay("tainted")
	if len(p.state) > 0 {
		t.Errorf("the state has %v", p.state[0].address)
	}

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
			l := leavesFor(t)
			p := l.project(t, between("milan", overNodePort))
			p.apply()
			release := l.deletesHeld("milan", object)
			planned := p.plan()
			planned.does("update", romeMilan)
			planned.says("Warning: "+shown+` is being deleted on leaf "milan"`, "it waits for the finalizer example.com/hold.")
			release()
			p.apply().doesNotSay("is being deleted")
			p.has(romeMilan, "Connected", "status")
		})
	}
}

func TestAForeignClusterThatIsBeingDeletedIsAWarning(t *testing.T) {
	l := leavesFor(t)
	l.project(t, between("milan", overNodePort)).apply()
	release := l.deletesHeld("rome", &liqov1beta1.ForeignCluster{ObjectMeta: metav1.ObjectMeta{Name: "milan"}})
	defer release()
	p := l.project(t, between("milan", overNodePort))
	p.plan().says(`Warning: ForeignCluster milan is being deleted on leaf "rome"`, "it waits for the finalizer")
}

func TestAnObjectOfOneEndWaitsForWhatSomeoneElseIsDeleting(t *testing.T) {
	l := leavesFor(t)
	l.joinedByHand()
	release := l.deletesHeld("milan", inTenant(&networkingv1beta1.Configuration{}, "rome"))
	p := l.project(t, endAt("liqo_configuration.rome", "milan", "rome",
		"pod_cidrs = [\"10.202.0.0/16\"]\nexternal_cidr = \"192.168.0.0/24\""))
	planned := p.plan()
	planned.does("create", "liqo_configuration.rome")
	planned.says(`Warning: Configuration liqo-tenant-rome/rome is being deleted on leaf "milan"`)
	locked := l.of("milan").gets(http.MethodPost, "/leases")
	p.runsOut(locked, `Error: Configuration liqo-tenant-rome/rome is not deleted on leaf "milan"`).doesNotSay("tainted")
	if len(p.state) > 0 {
		t.Errorf("the state has %v", p.state[0].address)
	}
	release()
	p.apply()
}

func TestACreateThatHasWrittenNothingLeavesNoState(t *testing.T) {
	l := leavesFor(t)
	p := l.project(t, between("milan", overNodePort))
	milan := l.of("milan")
	stopped := milan.stopsAt(http.MethodPost, "/leases") // that of the pair
	p.runsOut(stopped, `Error: The API server can't be reached on leaf "milan"`).doesNotSay("tainted")
	milan.Start()
	p.hasNoState()
}

func TestADestroyWaitsForPodsOfOthersOnlyInATenantNamespace(t *testing.T) {
	l := leavesFor(t)
	l.have("milan", namespaceNamed("shortcuts"))
	p := l.project(t, between("milan", overNodePort+"\n"+`server_namespace = "shortcuts"`))
	p.apply()
	own := podIn("shortcuts")
	l.have("milan", own)
	l.patch("milan", own, held)
	before := own.ResourceVersion
	p.destroy()
	if err := l.of("milan").Get(t.Context(), client.ObjectKeyFromObject(own), own); err != nil ||
		own.ResourceVersion != before {
		t.Errorf("the destroy has changed the pod: %v (%v)", own.ObjectMeta, err)
	}

	p.configure(between("milan", overNodePort))
	p.apply()
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
	for name, test := range map[string]struct {
		remote, config, address string
	}{
		"shortcut": {"rome", between("milan", replicated), romeMilan},
		"one end":  {"turin", serverOf(`pods = { replicas = 2 }`), turinsServer},
	} {
		t.Run(name, func(t *testing.T) {
			l := leavesFor(t)
			p := l.project(t, test.config)
			p.apply()
			release := l.deletesHeld("milan", inTenant(&networkingv1beta1.GatewayServer{}, test.remote))
			base := read(l, "milan", serverTemplate("liqo", "wireguard-server"))
			l.lose("milan", base)
			p.planFails("can't be checked for repairs", `The template does not exist on leaf "milan"`)
			base.SetResourceVersion("")
			l.have("milan", base)
			p.plan().does("update", test.address)
			release()
			p.apply()
			p.plan().isEmpty()
		})
	}
}
