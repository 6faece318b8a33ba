package protocol

import (
	"fmt"
	"strings"
	"testing"

	"github.com/liqotech/liqo/pkg/consts"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestForbiddenRemappingFailsThePlanAndNamesBothCIDRs(t *testing.T) {
	l := leavesFor(t, topology...)
	l.project(t, between("naples", overNodePort+"\n"+`cidr_remapping = "forbid"`)).planFails(
		"Error: Remapping is forbidden, and needed", `cidr_remapping = "forbid"`,
		`10.202.0.0/16 of "naples" overlaps with 10.202.0.0/16`)
	l.project(t, between("naples", overNodePort)).plan().
		says("Warning: A pod CIDR will be remapped", `10.202.0.0/16 of "naples" overlaps with 10.202.0.0/16`)
}

func TestAnUnpredictedForbiddenRemappingLeavesNothingBehind(t *testing.T) {
	l := leavesFor(t, "rome=10.202.0.0/16", "europe=100.64.0.0/16") // Liqo's IPAM has only private addresses
	p := l.project(t, between("europe", overNodePort+"\n"+`cidr_remapping = "forbid"`))
	p.applyFails(`Remapping is forbidden, and needed on leaf "rome"`, `100.64.0.0/16 of "europe"`)
	if left := l.requested(); len(left) > 0 || len(p.state) > 0 {
		t.Errorf("left behind: %v, and %d resources in the state", left, len(p.state))
	}
}

func TestAMissingTemplateFailsThePlan(t *testing.T) {
	l := leavesFor(t)
	for settings, sentences := range map[string][]string{
		`server_gateway = { template = { name = "nothing" } }`: {
			`The template does not exist on leaf "milan"`, "server_gateway.template", "WgGatewayServerTemplate liqo/nothing",
		},
		`client_gateway = { template = { resource = "example.com/v1/nothings" } }`: {
			`There are no templates of type example.com/v1/nothings on leaf "rome"`, "client_gateway.template",
		},
	} {
		t.Run(settings, func(t *testing.T) {
			l.project(t, between("milan", settings)).planFails(sentences...)
		})
	}
}

func TestAPlanWarnsOfMissingObjectsThatTheApplyMayCreate(t *testing.T) {
	l := leavesFor(t)
	p := l.project(t, between("milan", overNodePort+`
		server_namespace = "nowhere"
		client_namespace = "default"
		client_gateway   = { key_secret_name = "no-keys" }`))
	p.plan().says(`Warning: Namespace nowhere does not exist on leaf "milan"`,
		`server_namespace = "nowhere"`, `client_gateway.key_secret_name = "no-keys"`,
		`Warning: Secret default/no-keys does not exist on leaf "rome"`,
		"This is only a warning, because the same apply may create it before the shortcut.")
	p.applyFails(`Error: Namespace nowhere does not exist on leaf "milan"`)
}

func TestAPlanWarnsThatAnotherServiceHasThePortOfALoadBalancer(t *testing.T) {
	l := leavesFor(t)
	for name, port := range map[string]int32{"web": 443, "game": 51840} {
		service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}}
		service.Spec.Type = corev1.ServiceTypeLoadBalancer
		service.Spec.Ports = []corev1.ServicePort{{Port: port, Protocol: corev1.ProtocolUDP}}
		l.have("milan", service)
		l.patchStatus("milan", service, `{"status":{"loadBalancer":{"ingress":[{"ip":"192.0.2.80"}]}}}`)
	}
	p := l.project(t, between("milan", ""))
	p.plan().says(`Warning: Port 51840 of the load balancer is taken on leaf "milan"`,
		"Service default/game has this UDP port", "set another `port`")
	p.configure(between("milan", `server_gateway = { port = 51841 }`))
	p.plan().doesNotSay("is taken")
}

func TestAPlanFindsANamespaceThatCannotBeUsed(t *testing.T) {
	l := leavesFor(t)
	l.have("rome", namespaceNamed("liqo-tenant-milan"))
	l.project(t, between("milan", overNodePort)).
		planFails(`Namespace liqo-tenant-milan is taken on leaf "rome"`, "with "+romeMilan+",", "client_namespace")
}

func TestAPairCanHaveOnlyOneShortcut(t *testing.T) {
	l := leavesFor(t)
	l.project(t, `
		resource "liqo_shortcut" "one" {
		  client = "rome"
		  server = "milan"
		}
		resource "liqo_shortcut" "two" {
		  client = "milan"
		  server = "rome"
		}`).planFails("The same pair twice", `clusters "milan" and "rome"`)
}

func TestAPlanFindsANamespaceOfTwoShortcuts(t *testing.T) {
	l := leavesFor(t, topology...)
	l.have("rome", namespaceNamed("shortcuts"))
	l.project(t, between("milan", overNodePort+"\n"+`client_namespace = "shortcuts"`)+`
		resource "liqo_shortcut" "naples_rome" {
		  client           = "naples"
		  server           = "rome"
		  server_namespace = "shortcuts"
		}`).planFails("The same namespace twice", "with liqo_shortcut.",
		`Another liqo_shortcut of this configuration already has namespace "shortcuts" of leaf "rome".`)
}

func TestAPlanFindsANodePortOfTwoShortcuts(t *testing.T) {
	const port = `server_gateway = {
		service_type = "NodePort"
		node_port    = 31000
	}`
	l := leavesFor(t, topology...)
	p := l.project(t, between("milan", port))
	p.apply()
	p.plan().isEmpty()
	p.configure(between("milan", port) + strings.ReplaceAll(fromTo("naples", "milan", port), "rome_milan", "naples_milan"))
	p.planFails("Error: The same node port twice", `node port 31000 of leaf "milan"`, "server_gateway.node_port")
}

func TestAPlanFindsANetworkThatSomeoneElseMade(t *testing.T) {
	l := leavesFor(t)
	l.joinedByHand()
	imported := importing("rome_milan", "rome/milan")
	refused := []string{
		"Error: A network with", "exists already on leaf", "with " + romeMilan + ", server = ", "This provider did not make",
		helpAt("network-exists"),
	}
	l.project(t, between("milan", overNodePort)).planFails(append(refused, "To manage it here, import it, with the "+
		"address "+
		"of this resource after `to`: "+imported+" To begin anew, remove it first, for instance with `liqoctl network "+
		"reset`.")...)
	l.project(t, fromTo("milan", "rome", "")).planFails(append(refused, "To manage it here, swap `client` and `server` "+
		"of "+
		"this resource, because \"rome\" dials \"milan\", and import it, with the address of this resource after `to`: "+
		imported)...)
}

// importing is an import block of a shortcut, as it is in a text without line breaks.
func importing(name, id string) string {
	return fmt.Sprintf("import { to = liqo_shortcut.%s id = %q }", name, id)
}

func TestAPlanFindsAShortcutOfAnotherState(t *testing.T) {
	l := leavesFor(t)
	first := l.project(t, between("milan", overNodePort))
	first.apply()
	l.madeInFirst()
	for _, second := range []*project{
		l.project(t, between("milan", overNodePort)), l.project(t, fromTo("milan", "rome", overNodePort)),
	} {
		second.planFails("Error: A shortcut with", "exists already on leaf", "with "+romeMilan+", server = ",
			"Another liqo_shortcut owns it, "+madeInFirst, "run `terraform destroy` there", "first forget it there, with a "+
				"`removed` block or "+
				"`terraform state rm`. Then, or if that state is lost,", importing("rome_milan", "rome/milan"),
			helpAt("shortcut-exists"))
	}
	first.taint(romeMilan) // its refresh says that this state has it, wherever it was made
	first.plan().does("replace", romeMilan)
}

func TestAPlanWarnsOfAShortcutThatMayBeInThisState(t *testing.T) {
	l := leavesFor(t, topology...)
	l.have("rome", namespaceNamed("shortcuts"))
	const inNamespace = overNodePort + "\n" + `client_namespace = "shortcuts"`
	first := l.project(t, between("milan", inNamespace))
	first.apply()

	second := l.project(t, between("milan", overNodePort))
	planned := second.plan()
	planned.does("create", romeMilan)
	planned.says(`Warning: A shortcut with "milan" exists already on leaf "rome"`, `server = "milan"`,
		"Another liqo_shortcut owns it",
		"This is only a warning, because the same apply may destroy the other resource")
	second.configure(between("naples", inNamespace))
	second.planFails(`Error: Namespace shortcuts has a gateway for another cluster on leaf "rome"`, "with "+romeMilan)

	const renamed = "liqo_shortcut.renamed"
	first.configure(strings.Replace(between("milan", inNamespace), `"rome_milan"`, `"renamed"`, 1))
	planned = first.plan()
	planned.does("create", renamed)
	planned.does("delete", romeMilan)
	planned.says("Warning: A shortcut with", "with "+renamed+",")
}

func TestAPlanFindsKeysThatCannotBeUsed(t *testing.T) {
	l := leavesFor(t)
	keys := func(name, more string) string {
		return overNodePort + fmt.Sprintf("\nclient_gateway = { key_secret_name = %q }\n", name) + more
	}
	const own = `client_namespace = "default"`
	l.have("rome", keysNamed(t, "my-keys"))
	mixed := keysNamed(t, "mixed-keys")
	mixed.Data[consts.PublicKeyField] = keysNamed(t, "others").Data[consts.PublicKeyField]
	l.have("rome", mixed)

	l.project(t, between("milan", keys("mixed-keys", own))).
		planFails(`Secret default/mixed-keys has another public key on leaf "rome"`)
	l.project(t, between("milan", keys("my-keys", ""))).planFails(
		`Secret liqo-tenant-milan/my-keys would be deleted with the shortcut on leaf "rome"`,
		`client_gateway.key_secret_name = "my-keys"`,
		"Set the namespace at this end (`client_namespace`")
	l.project(t, between("milan", keys("my-keys", own))).plan().does("create", romeMilan)
}

func TestAPlanFindsASettingThatTheTemplateIgnores(t *testing.T) {
	l := leavesFor(t)
	l.copyTemplate("milan", "WgGatewayServerTemplate", "wireguard-server", "?loadBalancerIP", "?nodePort")
	const nodePort = `server_gateway = { service_type = "NodePort", node_port = 31021 `
	l.project(t, between("milan", nodePort+`, template = { name = "copy" } }`)).planFails(
		"The template ignores node_port", "with "+romeMilan+",", "server_gateway.node_port = 31021",
		`The Service in template WgGatewayServerTemplate liqo/copy on leaf "milan" does not use the node port of the `+
			"gateway, so `node_port` would have no effect.")
	l.project(t, between("milan", `server_gateway = { load_balancer_ip = "192.0.2.11", template = { name = "copy" } }`)).
		planFails("The template ignores load_balancer_ip")
	l.project(t, between("milan", nodePort+"}")).plan().does("create", romeMilan) // Liqo's default template
}

func TestAPlanFindsRangesThatLiqoCannotAssign(t *testing.T) {
	l := leavesFor(t)
	l.have("rome", ipam("172.16.0.0/12,192.168.0.0/16"))
	l.project(t, between("milan", overNodePort+"\n"+`cidr_remapping = "forbid"`)).planFails(
		"Remapping is forbidden, and needed",
		`The pod CIDR 10.203.0.0/16 of "milan" is outside the ranges that Liqo on "rome" gives out, 172.16.0.0/12 and `+
			`192.168.0.0/16: Liqo on "rome" remaps it.`)
	l.project(t, between("milan", overNodePort+"\n"+`server_network = { pod_cidrs = ["fd00:1::/64"] }`)).planFails(
		`Liqo can't join the IPv6 range fd00:1::/64 on leaf "milan"`, "The IPAM of Liqo gives out IPv4 ranges only")
	l.project(t, between("milan", overNodePort)).plan().
		says("Warning: A pod CIDR will be remapped", `is outside the ranges that Liqo on "rome" gives out`)
}

// endAt returns a resource of one end at an address: that of a leaf, for another cluster.
func endAt(address, leaf, other, settings string) string {
	kind, name, _ := strings.Cut(address, ".")
	return fmt.Sprintf(`
		resource %q %q {
		  cluster           = %q
		  remote_cluster_id = %q
		  %s
		}`, kind, name, leaf, other, settings)
}

func TestAPlanFindsAnObjectOfOneEndThatSomeoneElseMade(t *testing.T) {
	const ranges = "pod_cidrs = [\"10.202.0.0/16\"]\nexternal_cidr = \"192.168.0.0/24\""
	l := leavesFor(t)
	l.joinedByHand()
	const configuration = "liqo_configuration.rome"
	p := l.project(t, endAt(configuration, "milan", "rome", ranges))
	p.planFails(`Error: A network with cluster "rome" exists already on leaf "milan"`, "remote_cluster_id = \"rome\"",
		"To manage it here, import it", `import { to = liqo_configuration.rome id = "milan/rome" }`)
	p.imports(configuration, "milan/rome")
	p.taint(configuration)
	p.apply().does("replace", configuration)
	l.project(t, endAt("liqo_configuration.milan", "milan", "milan", ranges)).planFails("Error: The same cluster twice")
}

func TestAPlanFindsAnObjectOfOneEndOfTwoResources(t *testing.T) {
	const dials = "server_address = \"192.0.2.1\"\nserver_port = 51840"
	l := leavesFor(t)
	both := endAt("liqo_gateway_server.rome", "milan", "rome", "") +
		endAt("liqo_gateway_client.rome", "milan", "rome", dials)
	l.project(t, both).planFails(
		"The same object twice", `already manages the gateway of cluster "milan" for cluster "rome"`)
	l.project(t, withTurinsKey("milan")+endAt("liqo_public_key.again", "milan", "turin", keyOfTurin)).planFails(
		"The same object twice", `already manages the public key of cluster "milan" for cluster "turin"`)
	l.project(t, endAt("liqo_gateway_server.turin", "milan", "turin", "")+withTurinsKey("milan")).plan()
}

// ipam returns the Deployment of Liqo's IPAM with these pools, as in Liqo's chart.
func ipam(pools string) *appsv1.Deployment {
	labels := map[string]string{
		"app.kubernetes.io/name": "ipam", "app.kubernetes.io/component": "ipam", "app.kubernetes.io/instance": "liqo-ipam",
	}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: "liqo", Name: "liqo-ipam", Labels: labels},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{
				Containers: []corev1.Container{{
					Name: "ipam", Image: "ghcr.io/liqotech/ipam",
					Args: []string{"--pod-name=$(POD_NAME)", "--port=6000", "--pools=" + pools},
				}},
			}},
		},
	}
}
