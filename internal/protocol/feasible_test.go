package protocol

import (
	"fmt"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestAnUnpredictedForbiddenRemappingLeavesNothingBehind(t *testing.T) {
	l := leavesFor(t, "rome=10.202.0.0/16", "europe=100.64.0.0/16") // Liqo's IPAM has only private addresses
	p := l.project(t, between("europe", overNodePort+"\n"+`cidr_remapping = "forbid"`))
	p.applyFails(`Remapping is forbidden, and needed on leaf "rome"`, `100.64.0.0/16 of "europe"`)
	p.hasNoState()
}

func TestAPlanWarnsOfMissingObjectsThatTheApplyMayCreate(t *testing.T) {
	l := leavesFor(t)
	p := l.project(t, shortcut(`server_namespace = "nowhere"`, `client_namespace = "default"`,
		`client_gateway = { key_secret_name = "no-keys" }`))
	p.plan().says(`Warning: Namespace nowhere does not exist on leaf "milan"`,
		`server_namespace = "nowhere"`, `client_gateway.key_secret_name = "no-keys"`,
		`Warning: Secret default/no-keys does not exist on leaf "rome"`,
		"This is only a warning, because the same apply may create it before the shortcut.")
	p.applyFails(`Error: Namespace nowhere does not exist on leaf "milan"`)
}

func TestAPlanWarnsThatAnotherServiceHasThePortOfALoadBalancer(t *testing.T) {
	l := leavesFor(t)
	for name, port := range map[string]int32{"web": 443, "game": 51840} {
		service := &corev1.Service{
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
			Spec: corev1.ServiceSpec{
				Type:  corev1.ServiceTypeLoadBalancer,
				Ports: []corev1.ServicePort{{Port: port, Protocol: corev1.ProtocolUDP}},
			},
		}
		l.have("milan", service)
		l.patchStatus("milan", service, `{"status":{"loadBalancer":{"ingress":[{"ip":"192.0.2.80"}]}}}`)
	}
	p := l.project(t, between("milan", ""))
	p.plan().says(`Warning: Port 51840 of the load balancer is taken on leaf "milan"`,
		"Service default/game has this UDP port", "set another `port`")
	p.configure(between("milan", `server_gateway = { port = 51841 }`)).plan().doesNotSay("is taken")
}

func TestAPlanFindsANamespaceThatCannotBeUsed(t *testing.T) {
	l := leavesFor(t)
	l.have("rome", namespaceNamed("liqo-tenant-milan"))
	l.project(t, shortcut()).
		planFails(`Namespace liqo-tenant-milan is taken on leaf "rome"`, "with "+romeMilan+",", "client_namespace")
}

func TestAPlanFindsANamespaceOfTwoShortcuts(t *testing.T) {
	l := leavesFor(t, topology...)
	l.have("rome", namespaceNamed("shortcuts"))
	both := shortcut(`client_namespace = "shortcuts"`) +
		named("naples_rome", "naples", "rome", `server_namespace = "shortcuts"`)
	l.project(t, both).planFails("The same namespace twice", "with liqo_shortcut.",
		`Another liqo_shortcut of this configuration already has namespace "shortcuts" of leaf "rome".`)
}

func TestAPlanFindsANodePortOfTwoShortcuts(t *testing.T) {
	const port = `server_gateway = { service_type = "NodePort", node_port = 31000 }`
	_, p := applied(t, between("milan", port), topology...)
	p.configure(between("milan", port) + named("naples_milan", "naples", "milan", port))
	p.planFails("Error: The same node port twice", `node port 31000 of leaf "milan"`, "server_gateway.node_port")
}

func TestAPlanFindsANetworkThatSomeoneElseMade(t *testing.T) {
	l := joinedByHand(t)
	refused := []string{
		"Error: A network with", "exists already on leaf", "with " + romeMilan + ", server = ", "This provider did not make",
		helpAt("network-exists"),
	}
	l.project(t, shortcut()).planFails(append(refused, "To manage it here, import it, with the address of this "+
		"resource after `to`: "+importRomeMilan+" To begin anew, remove it first, for instance with `liqoctl network "+
		"reset`.")...)
	l.project(t, fromTo("milan", "rome", "")).planFails(append(refused, "To manage it here, swap `client` and `server` "+
		"of this resource, because \"rome\" dials \"milan\", and import it, with the address of this resource after "+
		"`to`: "+importRomeMilan)...)
}

// importRomeMilan is an import block, as it is in a text without line breaks.
const importRomeMilan = `import { to = liqo_shortcut.rome_milan id = "rome/milan" }`

func TestAPlanWarnsOfAShortcutThatMayBeInThisState(t *testing.T) {
	const inNamespace = overNodePort + "\n" + `client_namespace = "shortcuts"`
	l := leavesFor(t, topology...)
	l.have("rome", namespaceNamed("shortcuts"))
	first, second := l.project(t, between("milan", inNamespace)), l.project(t, shortcut())
	first.apply()
	second.plan().does("create", romeMilan).
		says(`Warning: A shortcut with "milan" exists already on leaf "rome"`, `server = "milan"`,
			"Another liqo_shortcut owns it",
			"This is only a warning, because the same apply may destroy the other resource")
	second.configure(between("naples", inNamespace))
	second.planFails(`Error: Namespace shortcuts has a gateway for another cluster on leaf "rome"`, "with "+romeMilan)

	const renamed = "liqo_shortcut.renamed"
	first.configure(named("renamed", "rome", "milan", inNamespace))
	first.plan().does("create", renamed).does("delete", romeMilan).
		says("Warning: A shortcut with", "with "+renamed+",")
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
	l.copyTemplate("milan", networkingv1beta1.WgGatewayServerTemplateKind, "wireguard-server",
		"?loadBalancerIP", "?nodePort")
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
	l := leavesFor(t, topology...)
	l.project(t, between("naples", overNodePort)).plan().
		says("Warning: A pod CIDR will be remapped", `10.202.0.0/16 of "naples" overlaps with 10.202.0.0/16`)
	l.have("rome", ipam("172.16.0.0/12,192.168.0.0/16"))
	l.project(t, shortcut(`cidr_remapping = "forbid"`)).planFails(
		"Remapping is forbidden, and needed",
		`The pod CIDR 10.203.0.0/16 of "milan" is outside the ranges that Liqo on "rome" gives out, 172.16.0.0/12 and `+
			`192.168.0.0/16: Liqo on "rome" remaps it.`)
	l.project(t, shortcut(`server_network = { pod_cidrs = ["fd00:1::/64"] }`)).planFails(
		`Liqo can't join the IPv6 range fd00:1::/64 on leaf "milan"`, "The IPAM of Liqo gives out IPv4 ranges only")
	l.project(t, shortcut()).plan().
		says("Warning: A pod CIDR will be remapped", `is outside the ranges that Liqo on "rome" gives out`)
}

func TestAPlanFindsAnObjectOfOneEndThatSomeoneElseMade(t *testing.T) {
	const configuration = "liqo_configuration.rome"
	l := joinedByHand(t)
	p := l.project(t, endAt(configuration, "milan", "rome", romesRanges))
	p.planFails(`Error: A network with cluster "rome" exists already on leaf "milan"`, "remote_cluster_id = \"rome\"",
		"To manage it here, import it", `import { to = liqo_configuration.rome id = "milan/rome" }`)
	p.importFails(configuration, "milan/turin", "Cannot import non-existent remote object")
	p.imports(configuration, "milan/rome")
	p.has(configuration, "liqo-tenant-rome", "namespace")
	p.plan().isEmpty()
	p.taint(configuration)
	p.apply().does("replace", configuration)
}

func TestAGatewayAndAPublicKeyOfOneEndAreTwoObjects(t *testing.T) {
	leavesFor(t).project(t, serverOf("")+withTurinsKey("milan")).plan()
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
