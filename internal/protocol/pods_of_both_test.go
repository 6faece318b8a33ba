package protocol

import (
	"strings"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

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
	l := leavesFor(t)
	p := l.project(t, between("milan", standbyAtEachEnd))
	p.apply()
	for _, gateway := range []string{"client_gateway", "server_gateway"} {
		p.has(romeMilan, "null", gateway, "pods")
	}
	for leaf, other := range map[string]string{"rome": "milan", "milan": "rome"} {
		t.Run(leaf, func(t *testing.T) {
			if replicas := l.replicas(leaf, other); replicas != 2 {
				t.Errorf("the gateway on %s has %d replicas", leaf, replicas)
			}
		})
	}

	p.configure(between("milan", standbyAtEachEnd+`
		server_gateway = { pods = { replicas = 3 } }`))
	p.apply().does("update", romeMilan)
	if client, server := l.replicas("rome", "milan"), l.replicas("milan", "rome"); client != 2 || server != 3 {
		t.Errorf("with pods of its own, the server has %d replicas, and the client %d", server, client)
	}
	p.configure(between("milan", standbyAtEachEnd+`
		server_gateway = { pods = {} }`))
	p.apply()
	if server := l.replicas("milan", "rome"); server != 1 {
		t.Errorf("without a setting of its own, the server has %d replicas", server)
	}
	p.configure(between("milan", standbyAtEachEnd))
	p.apply()
	p.has(romeMilan, "2", "pods", "replicas")
}

func TestWherePodsAreConfiguredMakesNoDifferenceToTheLeaves(t *testing.T) {
	l := leavesFor(t)
	p := l.project(t, between("milan", standbyAtEachEnd))
	p.apply()
	l.writes()
	for _, settings := range []string{standbyOfEach, standbyAtEachEnd} {
		p.configure(between("milan", settings))
		moved := p.apply()
		moved.does("update", romeMilan)
		moved.plans(romeMilan, "Connected", "status")
		if writes := l.writes(); len(writes) > 0 {
			t.Errorf("with %s, it has written %v", settings, writes)
		}
	}
}

func TestAnImportFindsThePodsThatBothGatewaysHave(t *testing.T) {
	l := leavesFor(t)
	p := l.project(t, between("milan", standbyAtEachEnd))
	p.apply()
	for _, found := range p.query("") {
		if pods := shown(at(found.resource, "pods", "replicas")); pods != "2" {
			t.Errorf("a query finds %s replicas of both gateways, of %s", pods, shown(found.resource))
		}
	}
	p.forget(romeMilan)
	p.imports(romeMilan, "rome/milan")
	p.plan().isEmpty()

	p.configure(between("milan", `client_gateway = { pods = { replicas = 2 } }`))
	p.apply()
	p.forget(romeMilan)
	p.imports(romeMilan, "rome/milan")
	p.plan().isEmpty()
}

func TestPodsThatDifferAtOneEndAreRepairedThere(t *testing.T) {
	l := leavesFor(t)
	p := l.project(t, between("milan", standbyAtEachEnd))
	p.apply()
	const noneOfItsOwn = `{"spec":{"serverTemplateRef":{"name":"wireguard-server","namespace":"liqo"}}}`
	for _, edit := range []string{threeReplicas, noneOfItsOwn} {
		l.patch("milan", inTenant(&networkingv1beta1.GatewayServer{}, "rome"), edit)
		p.plan().does("update", romeMilan)
		p.apply()
		p.has(romeMilan, "2", "pods", "replicas")
		if client, server := l.replicas("rome", "milan"), l.replicas("milan", "rome"); client != 2 || server != 2 {
			t.Errorf("after the repair, the server has %d replicas, and the client %d", server, client)
		}
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
	p.configure(between("milan", `pods = var.pods`))
	p.unknown("pods", pods)
	p.applyOnce().does("update", romeMilan)
	p.has(romeMilan, "3", "pods", "replicas")
	p.unknown("pods", cty.NullVal(pods.Type()))
	p.applyOnce()
	p.has(romeMilan, "null", "pods")
	p.set("pods", cty.NullVal(pods.Type()))
	p.plan().isEmpty()
}

func TestWhatIsWrongWithThePodsOfBothGatewaysIsSaidWhereTheyAre(t *testing.T) {
	l := leavesFor(t)
	for pods, said := range map[string]string{
		`{ topology_key = "kubernetes.io/hostname" }`:       "pods.topology_key",
		`{ resources = { wg = { limits = { cpu = 1 } } } }`: "pods.resources",
		`{ replicas = 1, lease_duration = "4s" }`:           "pods.lease_duration",
	} {
		t.Run(pods, func(t *testing.T) {
			p := l.project(t, between("milan", "pods = "+pods))
			p.planFails(said)
			refused := p.tryPlan(false).outcome.text.String()
			if strings.Contains(refused, "_gateway.pods") {
				t.Errorf("with %s, it is said of one gateway:\n%s", pods, refused)
			}
		})
	}
}

// replicas returns how many pods the gateway of a leaf shall have, as the template says that is derived for it.
func (l *leaves) replicas(leaf, other string) int64 {
	l.t.Helper()
	template := serverTemplate("liqo-tenant-"+other, other)
	if leaf == "rome" {
		template.SetKind(networkingv1beta1.WgGatewayClientTemplateKind)
	}
	replicas, _, err := unstructured.NestedInt64(
		read(l, leaf, template).Object, "spec", "template", "spec", "deployment", "spec", "replicas")
	must(l.t, err)
	return replicas
}
