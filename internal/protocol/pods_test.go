package protocol

import (
	"strings"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
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
	template := &unstructured.Unstructured{}
	template.SetGroupVersionKind(networkingv1beta1.GroupVersion.WithKind(networkingv1beta1.WgGatewayServerTemplateKind))
	template.SetNamespace(namespace)
	template.SetName(name)
	return template
}

const anotherRevision = `{"spec":{"template":{"spec":{"deployment":{"spec":{"revisionHistoryLimit":7}}}}}}`

func TestAPlanSaysWhyADerivedTemplateIsWrittenAgainAndAnApplyDoesIt(t *testing.T) {
	l := leavesFor(t)
	p := l.project(t, between("milan", replicated))
	p.apply()
	p.has(romeMilan, "2", "server_gateway", "pods", "replicas")
	p.plan().isEmpty()
	for _, test := range []struct {
		spoil func()
		says  string
	}{
		{
			func() { l.patch("milan", serverTemplate("liqo", "wireguard-server"), anotherRevision) },
			`The template of the gateway's pods is older than its base on leaf "milan"`,
		},
		{
			func() {
				l.patch("milan", serverTemplate("liqo-tenant-rome", "rome"), `{"spec":{"objectKind":{"kind":"X"}}}`)
			},
			`Another user has edited the template of the gateway's pods on leaf "milan"`,
		},
		{
			func() { l.lose("milan", serverTemplate("liqo-tenant-rome", "rome")) },
			`The template of the gateway's pods is gone on leaf "milan"`,
		},
	} {
		test.spoil()
		planned := p.plan()
		planned.does("update", romeMilan)
		planned.says(test.says)
		p.apply().does("update", romeMilan)
		p.plan().isEmpty()
	}
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

func TestADerivedTemplateIsNoneThatUsersChoose(t *testing.T) {
	l := leavesFor(t)
	l.project(t, between("milan", replicated)).apply()
	p := l.project(t, `data "liqo_cluster" "milan" { name = "milan" }`)
	p.plan()
	for i, name := range []string{"wireguard-server", "wireguard-client"} {
		p.has("data.liqo_cluster.milan", name, "gateway_templates", i, "name")
	}
}

func TestAnImportReadsTheSettingsOfPodsBack(t *testing.T) {
	l := leavesFor(t)
	p := l.project(t, between("milan", replicated))
	p.apply()
	p.forget(romeMilan)
	p.imports(romeMilan, "rome/milan")
	p.has(romeMilan, "4s", "server_gateway", "pods", "lease_duration")
	p.destroy()
	template := serverTemplate("liqo-tenant-rome", "rome")
	if err := l.of("milan").Get(t.Context(), client.ObjectKeyFromObject(template), template); client.IgnoreNotFound(err) !=
		nil || err == nil {
		t.Errorf("after the destroy, there is %v (%v)", template, err)
	}
}

func TestSettingsOfPodsThatLeadNowhereAreNamedAtThePlan(t *testing.T) {
	l := leavesFor(t)
	l.project(t, between("milan", `server_gateway = {
		service_type = "NodePort"
		pods         = { replicas = 2 }
	}`)).plan().says(`The client dials one node of the server`)
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
			p := l.project(t, between("milan", `server_gateway = { pods = `+pods+` }`))
			p.planFails(said)
		})
	}
}
