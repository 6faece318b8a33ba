package protocol

import (
	"strings"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	"github.com/zclconf/go-cty/cty"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// replicated is a shortcut whose server has a standby.
const replicated = `server_gateway = {
	service_type = "LoadBalancer"
	pods         = { replicas = 2, lease_duration = "4s" }
}`

// serverTemplate names a template of gateway servers.
func serverTemplate(namespace, name string) *unstructured.Unstructured {
	return templateOf(networkingv1beta1.WgGatewayServerTemplateKind, namespace, name)
}

// templateOf names a template of gateways of this kind.
func templateOf(kind, namespace, name string) *unstructured.Unstructured {
	template := &unstructured.Unstructured{}
	template.SetGroupVersionKind(networkingv1beta1.GroupVersion.WithKind(kind))
	template.SetNamespace(namespace)
	template.SetName(name)
	return template
}

const anotherRevision = `{"spec":{"template":{"spec":{"deployment":{"spec":{"revisionHistoryLimit":7}}}}}}`

func TestAPlanSaysWhyADerivedTemplateIsWrittenAgainAndAnApplyDoesIt(t *testing.T) {
	const milan = "data.liqo_cluster.milan"
	l, p := applied(t, between("milan", replicated)+`
		data "liqo_cluster" "milan" { name = "milan" }`)
	p.has(romeMilan, "2", "server_gateway", "pods", "replicas")
	for i, name := range []string{"wireguard-server", "wireguard-client"} { // no derived one, which nobody can choose
		p.has(milan, name, "gateway_templates", i, "name")
	}
	if templates := at(p.shown[milan], "gateway_templates").LengthInt(); templates != 2 {
		t.Errorf("users can choose among %d templates", templates)
	}
	base, derived := serverTemplate("liqo", "wireguard-server"), serverTemplate("liqo-tenant-rome", "rome")
	isRepaired := func(reason string) {
		t.Helper()
		p.plan().does("update", romeMilan).says(reason)
		p.apply().does("update", romeMilan)
	}
	l.patch("milan", base, anotherRevision)
	isRepaired(`The template of the gateway's pods is older than its base on leaf "milan"`)
	l.patch("milan", derived, `{"spec":{"objectKind":{"kind":"X"}}}`)
	isRepaired(`Another user has edited the template of the gateway's pods on leaf "milan"`)
	l.lose("milan", derived)
	isRepaired(`The template of the gateway's pods is gone on leaf "milan"`)
}

func TestAnApplyAndAPlanNameThePodsThatNoNodeTakesInTheWordsOfTheScheduler(t *testing.T) {
	l := leavesFor(t)
	for remote, config := range map[string]func(lease string) string{
		"rome": func(lease string) string {
			return between("milan", strings.Replace(replicated, "4s", lease, 1))
		},
		"turin": func(lease string) string {
			return serverOf(`pods = { replicas = 2, lease_duration = "` + lease + `" }`)
		},
	} {
		t.Run(remote, func(t *testing.T) {
			p := l.project(t, config("4s"))
			p.apply()
			pod := &corev1.Pod{}
			pod.SetNamespace("liqo-tenant-" + remote)
			pod.SetName("gw-" + remote + "-0")
			pod.SetLabels(map[string]string{consts.GatewayNameLabel: remote})
			l.have("milan", pod)
			pod.Status.Conditions = []corev1.PodCondition{{
				Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Message: "0/1 nodes are available: 1 Insufficient cpu.",
			}}
			must(t, l.of("milan").Status().Update(t.Context(), pod))
			p.configure(config("5s"))
			for _, said := range []*outcome{p.applyOnce(), p.plan()} {
				said.says(`No node takes 1 of 2 pods of the gateway on leaf "milan"`, `The scheduler reports for Pod `+
					client.ObjectKeyFromObject(pod).String()+`: 0/1 nodes are available: 1 Insufficient cpu.`)
			}
		})
	}
}

func TestSettingsOfPodsThatLeadNowhereAreNamedAtThePlan(t *testing.T) {
	l := leavesFor(t)
	l.project(t, between("milan", `server_gateway = { service_type = "NodePort", pods = { replicas = 2 } }`)).plan().
		says(`The client dials one node of the server`)
	for said, pods := range map[string]string{
		`must be at least 1, got: 0`:                 `{ replicas = 0 }`,
		`It needs ` + "`replicas = 2` or more":       `{ topology_key = "kubernetes.io/hostname" }`,
		`no replica takes over from a single one`:    `{ replicas = 1, lease_duration = "4s" }`,
		`Liqo would make a number of the text "7"`:   `{ node_selector = { "example.com/rack" = "7" } }`,
		`the template has no container "wg"; it has`: `{ resources = { wg = { limits = { cpu = "1" } } } }`,
		"`toleration_seconds` needs":                 `{ tolerations = [{ key = "a", toleration_seconds = 5 }] }`,
		`must be a quantity of Kubernetes`:           `{ resources = { gateway = { limits = { cpu = "-1" } } } }`,
		`pods.resources["gateway"].limits["cpus"]`:   `{ resources = { gateway = { limits = { cpus = 1 } } } }`,
		`container "gateway" would request 1Gi of memory, more than its limit of 512Mi`: `{ resources = {
			gateway = { requests = { memory = "1Gi" }, limits = { memory = "512Mi" } }
		} }`,
		`is Liqo's: with another value, a gateway would`: `{ labels = { "networking.liqo.io/active" = "true" } }`,
	} {
		t.Run(said, func(t *testing.T) {
			l.project(t, between("milan", `server_gateway = { pods = `+pods+` }`)).planFails(said)
		})
	}
}

const (
	standbyAtEachEnd = `pods = { replicas = 2 }`
	standbyOfEach    = `
		client_gateway = { pods = { replicas = 2 } }
		server_gateway = { pods = { replicas = 2 } }`
)

// threeReplicas changes the note on Milan's gateway of what its template was derived for.
const threeReplicas = `{"metadata":{"annotations":{"terraform-provider-liqo/pods":` +
	`"{\"template\":{\"Name\":\"wireguard-server\",\"Namespace\":\"liqo\",` +
	`\"Resource\":\"networking.liqo.io/v1beta1/wggatewayservertemplates\"},\"pods\":{\"replicas\":3}}"}}}`

func TestPodsOfAShortcutAreThoseOfBothGateways(t *testing.T) {
	l, p := applied(t, between("milan", standbyAtEachEnd))
	p.has(romeMilan, "null", "client_gateway", "pods")
	p.has(romeMilan, "null", "server_gateway", "pods")
	l.haveReplicas(2)

	p.configure(between("milan", standbyAtEachEnd+"\nserver_gateway = { pods = { replicas = 3 } }"))
	p.apply().does("update", romeMilan)
	l.haveReplicas(3)
	p.configure(between("milan", standbyAtEachEnd+"\nserver_gateway = { pods = {} }")).apply()
	l.haveReplicas(1)
	p.configure(between("milan", standbyAtEachEnd)).apply()
	p.has(romeMilan, "2", "pods", "replicas")
}

func TestWherePodsAreConfiguredMakesNoDifferenceToTheLeaves(t *testing.T) {
	l, p := applied(t, between("milan", standbyAtEachEnd))
	l.writes()
	for _, settings := range []string{standbyOfEach, standbyAtEachEnd} {
		p.configure(between("milan", settings))
		p.apply().does("update", romeMilan).plans(romeMilan, "Connected", "status")
		l.writesNothing()
	}
}

func TestAnImportFindsThePodsThatBothGatewaysHave(t *testing.T) {
	l, p := applied(t, between("milan", standbyAtEachEnd))
	for _, found := range p.query("") {
		if pods := shown(at(found.resource, "pods", "replicas")); pods != "2" {
			t.Errorf("a query finds %s replicas of both gateways, of %s", pods, shown(found.resource))
		}
	}
	p.forget(romeMilan)
	p.imports(romeMilan, "rome/milan")
	p.plan().isEmpty()

	p.configure(between("milan", replicated)).apply()
	p.forget(romeMilan)
	p.imports(romeMilan, "rome/milan")
	p.plan().isEmpty()
	p.has(romeMilan, "4s", "server_gateway", "pods", "lease_duration")
	p.destroy()
	if l.hasObject("milan", serverTemplate("liqo-tenant-rome", "rome")) {
		t.Error("the destroy has left the template")
	}
}

func TestPodsThatDifferAtOneEndAreRepairedThere(t *testing.T) {
	l, p := applied(t, between("milan", standbyAtEachEnd))
	const noneOfItsOwn = `{"spec":{"serverTemplateRef":{"name":"wireguard-server","namespace":"liqo"}}}`
	for _, edit := range []string{threeReplicas, noneOfItsOwn} {
		l.patch("milan", inTenant(&networkingv1beta1.GatewayServer{}, "rome"), edit)
		p.plan().does("update", romeMilan)
		p.apply()
		p.has(romeMilan, "2", "pods", "replicas")
		l.haveReplicas(2)
	}
}

func TestPodsOfBothGatewaysMayBeKnownOnlyByTheApply(t *testing.T) {
	l := leavesFor(t)
	p := l.project(t, between("milan", `pods = { replicas = var.replicas }`))
	p.unknown("replicas", cty.NumberIntVal(2))
	p.validate()
	p.plan().plans(romeMilan, unknown, "pods", "replicas")
	p.applyOnce()
	p.has(romeMilan, "2", "pods", "replicas")

	pods := cty.ObjectVal(map[string]cty.Value{"replicas": cty.NumberIntVal(3)})
	p.configure(between("milan", `pods = var.pods`)).unknown("pods", pods).applyOnce().does("update", romeMilan)
	p.has(romeMilan, "3", "pods", "replicas")
	p.unknown("pods", cty.NullVal(pods.Type())).applyOnce()
	p.has(romeMilan, "null", "pods")
	p.set("pods", cty.NullVal(pods.Type())).plan().isEmpty()
}

func TestWhatIsWrongWithThePodsOfBothGatewaysIsSaidWhereTheyAre(t *testing.T) {
	l := leavesFor(t)
	for pods, said := range map[string]string{
		`{ topology_key = "kubernetes.io/hostname" }`:       "pods.topology_key",
		`{ resources = { wg = { limits = { cpu = 1 } } } }`: "pods.resources",
		`{ replicas = 1, lease_duration = "4s" }`:           "pods.lease_duration",
	} {
		t.Run(pods, func(t *testing.T) {
			l.project(t, between("milan", "pods = "+pods)).planFails(said).doesNotSay("_gateway.pods")
		})
	}
}

// haveReplicas fails the test unless the gateway of Rome shall have two pods, and that of Milan so many.
func (l *leaves) haveReplicas(ofMilan int64) {
	l.t.Helper()
	clientTemplate := templateOf(networkingv1beta1.WgGatewayClientTemplateKind, "liqo-tenant-milan", "milan")
	rome, milan := l.replicas("rome", clientTemplate), l.replicas("milan", serverTemplate("liqo-tenant-rome", "rome"))
	if rome != 2 || milan != ofMilan {
		l.t.Errorf("the gateway of Rome has %d replicas, not 2, and that of Milan %d, not %d", rome, milan, ofMilan)
	}
}

// replicas returns how many pods the gateway of a leaf shall have, as the template says that is derived for it.
func (l *leaves) replicas(leaf string, template *unstructured.Unstructured) int64 {
	l.t.Helper()
	replicas, _, err := unstructured.NestedInt64(
		read(l, leaf, template).Object, "spec", "template", "spec", "deployment", "spec", "replicas")
	must(l.t, err)
	return replicas
}
