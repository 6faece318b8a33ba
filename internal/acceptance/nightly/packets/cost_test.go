package packets

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/liqotech/liqo/pkg/consts"
	corev1 "k8s.io/api/core/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// The names of the parts that a change can touch, in the guide's table.
const (
	serverGateway = "the server's gateway"
	serverService = "its Service"
	serverAddress = "its address"
	serverKeys    = "its keys"
	serverPod     = "its pod"
	clientGateway = "the client's gateway"
	clientKeys    = "the keys of the client"
	clientPod     = "the pod of the client"
)

// cost is a change of settings, and what it costs.
type cost struct {
	name     string
	settings string
	touches  []string // the parts that are others after the change
	loses    bool     // packets, for a moment
}

func TestAccPacketsShowWhatAChangeOfTheServersGatewayCosts(t *testing.T) {
	const port = `service_type = "NodePort", node_port = 31510`
	withAndWithoutAllow(t, func(t *testing.T, allow string) {
		t.Helper()
		costs(acctest.BorrowReal(t, acctest.Plane).Join(t, "milan", `server_gateway = { `+port+` }`+allow), allow,
			cost{"service_annotations, more", `server_gateway = {
			` + port + `, service_annotations = { "example.com/speed" = "fast", "example.com/zone" = "a" }
		}`, nil, false},
			cost{"service_annotations, less", `server_gateway = {
			` + port + `, service_annotations = { "example.com/speed" = "slow" }
		}`, nil, false},
			cost{"service_labels", `server_gateway = { ` + port + `, service_labels = { team = "network" } }`, nil, false},
			cost{"node_port", `server_gateway = { service_type = "NodePort", node_port = 31511 }`,
				[]string{serverAddress, clientPod}, true},
			cost{"port", `server_gateway = { service_type = "NodePort", node_port = 31511, port = 51900 }`,
				[]string{serverPod}, true},
			cost{"service_type", `server_gateway = { port = 51900 }`, []string{serverAddress, clientPod}, true},
			cost{"load_balancer_ip", `server_gateway = { port = 51900, load_balancer_ip = "172.18.0.200" }`,
				[]string{serverAddress, clientPod}, true},
		)
	})
}

func TestAccPacketsShowWhatAnotherDialledPortCosts(t *testing.T) {
	lab := acctest.BorrowReal(t, acctest.Plane)
	p := lab.Join(t, "milan", acctest.OverNodePort)
	// Another port of Milan's node leads to its gateway.
	gateway := acctest.Get[corev1.Service](t, lab.Lab, "milan", "liqo-tenant-rome", "gw-rome").Spec
	forward := gateway.Ports[0]
	lab.Have(t, "milan", acctest.Named(&corev1.Service{Spec: corev1.ServiceSpec{
		Type: corev1.ServiceTypeNodePort, Selector: gateway.Selector, Ports: []corev1.ServicePort{{
			Port: forward.Port, TargetPort: forward.TargetPort, Protocol: corev1.ProtocolUDP, NodePort: 31512,
		}},
	}}, "liqo-tenant-rome", "forward"))
	costs(p, "", cost{"server_port", acctest.OverNodePort + `
		client_gateway = { server_port = 31512 }`, []string{clientPod}, true})
}

func TestAccPacketsShowThatOtherSettingsDoNotTouchTheGateways(t *testing.T) {
	lab := acctest.BorrowReal(t, acctest.Plane)
	half, _ := lab.Halves(t, "milan")
	part := fmt.Sprintf("%s\nserver_network = { pod_cidrs = [%q] }\n", acctest.OverNodePort, half)
	costs(lab.Join(t, "milan", acctest.OverNodePort), "",
		cost{"server_network", part, nil, true},
		cost{"settings that the leaves do not have", part + `
			cidr_remapping          = "forbid"
			on_destroy              = "disconnect"
			abandon_lost_cluster    = true
			destroy_peering_network = true
			wait_for_connection     = false
			client_gateway          = {}
			timeouts                = { create = "3m" }`, nil, false},
		cost{"none of them, so that the destroy keeps nothing", part, nil, false},
	)
}

func TestAccPacketsShowWhatTheFirstUpdateAfterAnImportCosts(t *testing.T) {
	lab := acctest.BorrowReal(t, acctest.Plane)
	lab.TakesTenantNamespaces(t)
	lab.JoinByHand(t, "rome", "milan")
	p := &acctest.PacketPair{
		Project: lab.NewProject(t, t.TempDir()), Lab: lab, Server: "milan",
		RomeAt: lab.Pods["rome"], ServerAt: lab.Pods["milan"],
	}
	acctest.DestroyAtLast(p.Project)
	p.Configure(acctest.OverNodePort)
	p.Write("import.tf", acctest.ImportRomeMilan)
	p.Run("init")
	before := parts(t, lab)
	p.Update()
	p.Configure(acctest.OverNodePort + "\ntimeouts = { create = \"3m\" }") // a change of nothing on the leaves
	p.During("first update after an import of a network made by liqoctl", p.Update)
	if touched := differences(before, parts(t, lab)); len(touched) > 0 {
		t.Errorf("the import and the update touch %q", touched)
	}
	p.Works()
}

func TestAccPacketsShowWhatAChangeOfTheTunnelCosts(t *testing.T) {
	const port = `server_gateway = { service_type = "NodePort", node_port = 31510 }` + "\n"
	withAndWithoutAllow(t, func(t *testing.T, allow string) {
		t.Helper()
		lab := acctest.BorrowReal(t, acctest.Plane)
		lab.CopyTemplate(t, "milan", "my-server")
		lab.CopyTemplate(t, "rome", "my-client")
		const mtu1300, mtu1310 = port + "mtu = 1300\n", port + "mtu = 1310\n"
		all := []string{serverKeys, serverPod, clientKeys, clientPod}
		costs(lab.Join(t, "milan", port+allow), allow,
			cost{"mtu", mtu1300, []string{serverPod, clientPod}, true},
			cost{"key_rotation_trigger", mtu1300 + `key_rotation_trigger = "spring"`, all, true},
			cost{"key_rotation_trigger, again", mtu1300 + `key_rotation_trigger = "summer"`, all, true},
			cost{"key_rotation_trigger and mtu", mtu1310 + `key_rotation_trigger = "autumn"`, all, true},
			cost{"key_rotation_trigger removed", mtu1310, nil, false},
			cost{"server_address", mtu1310 + fmt.Sprintf(`client_gateway = { server_address = %q }`,
				lab.Cluster(t, "milan").NATIP), []string{clientPod}, true},
			cost{"template of the client", mtu1310 + `client_gateway = { template = { name = "my-client" } }`,
				[]string{clientGateway, clientKeys, clientPod}, true},
			cost{"template of the server", `
			server_gateway = { service_type = "NodePort", node_port = 31510, template = { name = "my-server" } }
			mtu            = 1310
			client_gateway = { template = { name = "my-client" } }`,
				[]string{serverGateway, serverService, serverKeys, serverPod}, true},
		)
	})
}

func TestAccPacketsShowWhatAReplacedGatewayCosts(t *testing.T) {
	lab := acctest.BorrowReal(t, acctest.Plane)
	lab.HaveKeys(t, "rome", "my-keys")
	lab.HaveKeys(t, "milan", "my-keys")
	const port = `service_type = "NodePort", node_port = 31510`
	const dialled = `server_gateway = { ` + port + ` }
		client_namespace = "default"
		client_gateway   = { key_secret_name = "my-keys" }` + "\n"
	ofClient := []string{clientGateway, clientKeys, clientPod}
	ofServer := []string{serverGateway, serverService, serverKeys, serverPod}
	costs(lab.Join(t, "milan", `server_gateway = { `+port+` }`), "",
		cost{"client_namespace", `server_gateway = { ` + port + ` }
			client_namespace = "default"`, ofClient, true},
		cost{"key_secret_name of the client", dialled, ofClient, true},
		cost{"server_namespace", dialled + `server_namespace = "default"`, ofServer, true},
		cost{"key_secret_name of the server", `
			server_gateway   = { ` + port + `, key_secret_name = "my-keys" }
			server_namespace = "default"
			client_namespace = "default"
			client_gateway   = { key_secret_name = "my-keys" }`, ofServer, true},
	)
}

// costs applies one change of the shortcut after the other, each with the same allow. It compares the parts before and
// after each, and counts the lost packets.
func costs(p *acctest.PacketPair, allow string, changes ...cost) {
	p.T.Helper()
	p.Works()
	before := parts(p.T, p.Lab)
	for _, change := range changes {
		p.Configure(change.settings + allow)
		wait := map[bool]string{true: acctest.Briefly, false: acctest.Patiently}[change.loses]
		traffic := p.Measure(change.name, wait, func() {
			acctest.Says(p.T, p.Run("apply", "-auto-approve"), acctest.InPlace)
		})
		p.Works()
		p.Run("plan", "-detailed-exitcode") // nothing is left to change
		after := parts(p.T, p.Lab)
		touched := differences(before, after)
		if !slices.Equal(touched, slices.Sorted(slices.Values(change.touches))) {
			p.T.Errorf("%s touches %q, expected %q", change.name, touched, change.touches)
		}
		if !change.loses && traffic.Lost > 0 {
			p.T.Errorf("%s loses %d of %d packets", change.name, traffic.Lost, traffic.Sent)
		}
		before = after
	}
}

// differences returns the names of the parts that are others afterwards, sorted.
func differences(before, after map[string]string) []string {
	var names []string
	for _, part := range slices.Sorted(maps.Keys(after)) {
		if after[part] != before[part] {
			names = append(names, part)
		}
	}
	return names
}

// parts returns what identifies the parts of the shortcut from Rome to Milan, by their names.
func parts(t *testing.T, l *acctest.RealLab) map[string]string {
	t.Helper()
	keys := func(cluster string, at *corev1.ObjectReference) string {
		t.Helper()
		secret := acctest.Get[corev1.Secret](t, l.Lab, cluster, at.Namespace, at.Name)
		return string(secret.UID) + string(secret.Data[consts.PublicKeyField])
	}
	dialling, server := l.Gateways(t)
	service := acctest.Get[corev1.Service](t, l.Lab, "milan", server.Namespace, "gw-"+server.Name)
	return map[string]string{
		serverGateway: string(server.UID), serverService: string(service.UID),
		serverAddress: fmt.Sprint(server.Status.Endpoint.Addresses, server.Status.Endpoint.Port),
		serverKeys:    keys("milan", server.Status.SecretRef), serverPod: string(l.GatewayPod(t, "milan").UID),
		clientGateway: string(dialling.UID), clientKeys: keys("rome", dialling.Status.SecretRef),
		clientPod: string(l.GatewayPod(t, "rome").UID),
	}
}
